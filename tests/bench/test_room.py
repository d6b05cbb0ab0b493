"""The room under load: a tiny one loses nothing, and its tables say what the contract promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.subscriber import Ledger
from tests.bench.room.__main__ import losses, main
from tests.bench.room.hall import Hall, Played, Way
from tests.bench.room.listener import sequence_of
from tests.bench.room.ramp import Bound, _note
from tests.bench.room.sayings import GAMES, Sayings
from tests.bench.room.stamps import COUNT, JUMPS, REPEATS, STRANGERS, Stamps, number_of
from tests.bench.room.wire import _length, rest_of
from tests.controller.contract.validating import misfits

MS = 1_000_000
NOW_MS = 1_790_000_000_000


def test_a_tiny_room_loses_nothing_anywhere(tmp_path: Path) -> None:
    with Hall(tmp_path, 4, 16) as hall:
        played = hall.play(2.0, 2.0, levels=True)
        assert played.events == 16
        assert played.drained
        assert losses(played) == []
        assert hall.kept() == []
    assert {part.name for part in played.parts} == {
        "broker", "recorder", "monitor", "page", "listener", "tables",
    }  # fmt: skip
    assert [len(way.ns) for way in played.ways] == [16, 16]
    assert all(ns > 0 for way in played.ways for ns in way.ns)


@pytest.mark.heavy
def test_a_quick_run_gives_every_figure(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    assert main(["--quick", "--home", str(tmp_path), "--json", str(figures)]) == 0
    told = json.loads(figures.read_text())
    assert len(told["plays"]) == 4
    assert [ramp["title"] for ramp in told["ramps"]][1] == "with recorder and monitor"


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_tables_events_are_of_the_contract_and_of_one_chain(number: int) -> None:
    sayings, ledger = Sayings(number, "life"), Ledger(from_start=True)
    for turn in range(1, 101):
        said = sayings.next_event(NOW_MS + turn)
        length, begin = _length(said.tail, 0)
        body = said.tail[begin + length :]
        event = json.loads(body)
        assert misfits(event["type"], event) == []
        seen = ledger.take(sayings.name, body, 0)
        assert seen.problem is seen.gap is None
        assert sequence_of(body) == said.sequence == turn
    assert ledger.events == 100


def test_a_tables_levels_are_of_the_contract() -> None:
    sayings = Sayings(3, "life")
    _, health, state = sayings.birth()
    assert misfits("state", json.loads(state.payload)) == []
    assert json.loads(health.payload)["schema"] == 1
    later = sayings.state(17)
    assert later.tail == rest_of(
        "application/json", state.payload.replace(b'"sequence":0', b'"sequence":17')
    )


def test_stamps_tell_what_is_missing_repeated_and_out_of_order(tmp_path: Path) -> None:
    file = tmp_path / "stamps"
    with Stamps(file, 2, 3) as writer, Stamps(file, 2, 3) as reader:
        for table, sequence in ((0, 1), (1, 1), (0, 3), (0, 2), (0, 2), (1, 4), (2, 1), (-1, 1)):
            writer.note(table, sequence, 10 * sequence + table)
        assert reader.of(1, 3) == [10, 20, 30, 11, 0, 0]
        assert reader.of(2, 3) == [20, 30, 0, 0]
        told = [reader.told(which) for which in (COUNT, REPEATS, JUMPS, STRANGERS)]
        assert told == [4, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "number"), [("t-0", 0), ("t-1999", 1999), ("t-", -1), ("pit", -1), ("x-1", -1)]
)
def test_a_name_tells_the_table(name: str, number: int) -> None:
    assert number_of(name) == number


def _played(rate: float, ways: tuple[Way, ...] = ()) -> Played:
    told = {"sent": 1, "took_ns": 1, "refused": 0, "times": {}}
    return Played(200, rate, told, {}, ways, (), True, 0.0)


def test_what_was_lost_is_told() -> None:
    ways = (Way("listener", 0, 0, 0, [MS]), Way("recorder", 2, 1, 0, [MS]))
    assert losses(_played(1, ways)) == ["recorder: 2 lost, 1 again, 0 out of order"]


def test_a_bound_lies_between_what_was_borne_and_what_was_too_much() -> None:
    bound = Bound("listener")
    for rate, late_ms in ((2, 50.0), (4, 50.1), (3, 12.0)):
        _note(bound, _played(rate), late_ms)
    assert (bound.borne, bound.too_many) == (600, 800)
    _note(bound, _played(2.5), 51.0)
    assert (bound.borne, bound.too_many) == (500, 500)
    _note(bound, _played(8), 1.0)
    assert bound.borne == 500
