"""Each type states its fact, and none ever tells an undealt card."""

import re
from pathlib import Path

import pytest

from hal import facts
from hal.protocols.members import IDENTITY_KEYS, NotUnderstood
from hal.protocols.message import Event
from hal.protocols.tdp1_types import (
    KINDS,
    METERS_MAX,
    message_of,
)

EXAMPLES = [
    ("shuffler", "LOAD", {"batch": "A"}, facts.ShufflerLoaded("A")),
    ("shuffler", "SHUF_START", {"cycle": "1", "mode": "sort"}, facts.CycleStarted(1, "sort")),
    ("shuffler", "SHUF_END",
     {"cycle": "1", "mode": "count", "result": "incomplete", "count": "50", "batch": "B"},
     facts.CycleEnded(1, "count", "incomplete", 50, "B")),
    ("shuffler", "EJECT", {"batch": "A", "cards": "53"}, facts.Ejected("A", 53)),
    ("shuffler", "RESIDUE", {"cards": "16"}, facts.Residue(16)),
    ("shuffler", "LAMP", {"colour": "red"}, facts.Lamp("red")),
    ("shuffler", "DOOR", {"open": "1"}, facts.Door(True)),
    ("shuffler", "JAM", {"zone": "exit", "cards": "3"}, facts.Jam("exit", 3)),
    ("shuffler", "JAM", {}, facts.Jam()),
    ("shuffler", "JAM_CLR", {}, facts.JamCleared()),
    ("shuffler", "STOP", {}, facts.Stopped()),
    ("shuffler", "FAULT_ON", {"code": "201", "severity": "5"}, facts.Fault("201", 5)),
    ("shuffler", "FAULT_OFF", {"code": "201"}, facts.FaultCleared("201")),
    ("shuffler", "MODE", {"mode": "service"}, facts.Mode("service")),
    ("shuffler", "POWER", {"state": "brownout"}, facts.Power("brownout")),
    ("shuffler", "METERS", {"cycles": "7", "jams": "0"}, facts.Meters({"cycles": 7, "jams": 0})),
    ("shoe", "LOADED", {"cards": "53", "batch": "A"}, facts.ShoeLoaded(53, "A")),
    ("shoe", "DRAW", {"idx": "1", "face": "down"}, facts.CardDrawn(1, "down")),
    ("shoe", "DRAW", {"idx": "1", "face": "up", "rank": "10", "suit": "spades"},
     facts.CardDrawn(1, "up", "10", "spades")),
    ("shoe", "STACK", {"n": "2", "cards": "5"}, facts.StackDispensed(2, 5)),
    ("shoe", "STACK_TAKEN", {"n": "2"}, facts.StackTaken(2)),
    ("shoe", "CUTCARD", {}, facts.CoverCardSeen()),
    ("shoe", "REMOVED", {"cards": "33"}, facts.RemainderRemoved(33)),
    ("shoe", "REMOVED", {"cards": ""}, facts.RemainderRemoved()),
    ("shoe", "EMPTY", {}, facts.Emptied()),
    ("shoe", "LID", {"open": "0"}, facts.Lid(False)),
    ("shoe", "NOT_ALL", {"stacks": "3"}, facts.Incomplete(3)),
]  # fmt: skip


@pytest.mark.parametrize(("device", "kind", "fields", "fact"), EXAMPLES)
def test_a_type_states_its_fact(
    device: str, kind: str, fields: dict[str, str], fact: object
) -> None:
    assert message_of(device, 1, 2, kind, fields) == Event(1, 2, fact)


def test_every_type_has_an_example() -> None:
    shown = {kind for _, kind, _, _ in EXAMPLES} | {"METERS"}
    assert {kind for kinds in KINDS.values() for kind in kinds} <= shown


@pytest.mark.parametrize("key", sorted(IDENTITY_KEYS))
def test_what_could_tell_an_undealt_card_is_dropped_from_every_type(key: str) -> None:
    for device, kind, fields, fact in EXAMPLES:
        if kind == "DRAW" and fields["face"] == "up":
            continue
        told = {**fields, key: "AS,KH,7C"}
        assert message_of(device, 1, 2, kind, told) == Event(1, 2, fact), kind


def test_a_card_drawn_face_down_carries_no_rank_even_a_lawful_one() -> None:
    fields = {"idx": "4", "face": "down", "rank": "A", "suit": "spades"}
    assert message_of("shoe", 1, 2, "DRAW", fields) == Event(1, 2, facts.CardDrawn(4, "down"))


@pytest.mark.parametrize(("number", "lawful"), [(METERS_MAX, True), (METERS_MAX + 1, False)])
def test_meters_are_bounded(number: int, lawful: bool) -> None:
    fields = {f"m{i}": "1" for i in range(number)}
    if lawful:
        assert isinstance(message_of("shoe", 1, 2, "METERS", fields), Event)
    else:
        with pytest.raises(NotUnderstood, match="bad_field"):
            message_of("shoe", 1, 2, "METERS", fields)


@pytest.mark.parametrize(("severity", "lawful"), [("5", True), ("6", False)])
def test_bounds_are_those_of_the_facts(severity: str, lawful: bool) -> None:
    fields = {"code": "x", "severity": severity}
    if lawful:
        assert message_of("shoe", 1, 2, "FAULT_ON", fields) == Event(1, 2, facts.Fault("x", 5))
    else:
        with pytest.raises(NotUnderstood, match="out_of_range"):
            message_of("shoe", 1, 2, "FAULT_ON", fields)


def test_a_heartbeat_may_carry_what_we_do_not_know() -> None:
    said = {"state": "READY", "faults": "2", "last": "0001", "lock": "1", "vendor_x": "?"}
    beat = message_of("shoe", 1, 2, "HB", said)
    assert (beat.seq, beat.faults, beat.locked) == (2, 2, True)  # type: ignore[union-attr]


def test_the_protocol_document_names_every_type_and_every_field() -> None:
    rows: dict[tuple[str, str], str] = {}
    for line in Path("docs/tdp1.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[1] in ("both", "shuffler", "shoe"):
            for kind in cells[2].split(", "):
                for device in ("shuffler", "shoe") if cells[1] == "both" else (cells[1],):
                    rows[device, kind] = cells[3]
    for device, kinds in KINDS.items():
        for kind, entry in kinds.items():
            words = set(re.findall(r"\w+", rows[device, kind]))
            assert {*entry.keys, *entry.ignored} <= words, (device, kind)
