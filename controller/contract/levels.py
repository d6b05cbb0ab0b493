"""The shapes of what is not an event: levels of the table, status, health, answers. Pure.

Every object here is open: a later version may say more, and a subscriber must bear it.
"""

from __future__ import annotations

from typing import Literal

from controller.contract.event_members import Step, Whole
from controller.contract.shapes import Schema, members_of, object_of, schema_of
from controller.core.levels import ROUND_WORDS
from controller.core.state import Methods, Phase, Round, Start
from controller.core.statements import Seats
from controller.core.stops import Hold, Void
from controller.core.whereabouts import Whereabouts
from controller.messages import SCHEMA
from hal.member_types import Batch, Name, Word

STAMP: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}
NUMBER_OF_SCHEMA: Schema = {"const": SCHEMA}
Switch = Literal["off", "on", "blink"]
Digit = Literal[" ", "-", "1", "2", "3", "4", "5", "6", "7"]


def _all(**members: object) -> Schema:
    """An object that has all of these members."""
    return object_of(members, list(members))


def _list_of(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _by_name(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _or_nothing(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _plain(shape: type, names: tuple[str, ...] = ()) -> Schema:
    """A dataclass as the codec writes it: members that are None are left out."""
    members = {name: hint for name, hint in members_of(shape).items() if name in (names or (name,))}
    required = [name for name, hint in members.items() if not _may_be_none(hint)]
    return object_of(members, required)


def _may_be_none(hint: object) -> bool:
    return type(None) in getattr(hint, "__args__", ())


PROMPT_MEMBERS: dict[str, object] = {
    "step": Word, "who": Word, "text": str, "rule": str | None, "since": STAMP,
}  # fmt: skip
ALARM_MEMBERS: dict[str, object] = {
    "alarm": Word, "code": Name, "severity": Whole, "text": str, "since": STAMP, "level": Word,
    "rule": str | None, "acknowledged_by": Name | None, "repeats": Whole, "live": bool,
    "also": tuple[Name, ...], "chattering": bool,
}  # fmt: skip
BATCH_MEMBERS: dict[str, object] = {
    "batch": Batch, "where": Word, "token": bool, "why": str, "stub_rounds": Whole,
    "cards": _plain(Whereabouts),
}  # fmt: skip
CARD_DEVICE: dict[str, object] = {
    "state": Literal["ok", "fault", "uncovered", "covered"], "link": Literal["up", "down"],
    "jammed": bool, "faults": tuple[Word, ...], "lamp": Word, "mode": Word,
    "identity": dict[str, str],
}  # fmt: skip
DEVICES: dict[str, dict[str, object]] = {
    "shuffler": {**CARD_DEVICE, "inside": Batch | None, "running": bool, "residue": bool},
    "shoe": CARD_DEVICE,
    "rng": {"in_service": bool, "display_ok": bool, "draws": Whole},
}


def state() -> Schema:
    """`state`: everything that the table shows, after the event with this `sequence`."""
    return _all(
        schema=NUMBER_OF_SCHEMA, sequence=Whole, game=Word, phase=Phase, shoe=Whole,
        round=_round(), dealer=Name | None, occupied=Seats, methods=_plain(Methods),
        batches=_list_of(_all(**BATCH_MEMBERS)), stub_rounds=Whole,
        holds=_list_of(_plain(Hold)), void=_or_nothing(_plain(Void)), recording=bool,
        locks=object_of(dict.fromkeys(_steps(), tuple[str, ...]), [], closed=True),
        lamps=_all(red=Switch, amber=Switch, green=Switch), digit=Digit,
        sounder=Literal["off", "chirp", "alarm"], prompt=_all(**PROMPT_MEMBERS),
        device_locks=_all(shuffler=bool, shoe=bool),
        devices=object_of({name: _all(**shape) for name, shape in DEVICES.items()}, []),
        alarms=_by_name(_all(**ALARM_MEMBERS)),
        alarm_load=_all(
            last_10_min=Whole, last_24_h=Whole, budget_24_h=Whole, flood=bool, over_budget=bool
        ),
    )  # fmt: skip


def _steps() -> list[str]:
    choices = schema_of(Step)["enum"]
    assert isinstance(choices, list)
    return [str(one) for one in choices]


def _round() -> Schema:
    members = {name: hint for name, hint in members_of(Round).items() if name in ROUND_WORDS}
    members["start"] = _or_nothing(_plain(Start))
    return object_of(members, list(ROUND_WORDS))


def prompt() -> Schema:
    """`prompt`: what the dealer or the floor does next, and since when."""
    return _all(schema=NUMBER_OF_SCHEMA, **PROMPT_MEMBERS)


def alarm() -> Schema:
    """`alarms/<id>`: an alarm that nobody has dealt with."""
    return _all(schema=NUMBER_OF_SCHEMA, **ALARM_MEMBERS)


def device() -> Schema:
    """`devices/<name>`: a shuffler, a shoe or the generator."""
    shapes = [
        _all(schema=NUMBER_OF_SCHEMA, **shape, counters={"type": "object"})
        for shape in DEVICES.values()
    ]
    return {"anyOf": list(shapes)}


def status() -> Schema:
    """`status`: birth, farewell and will; of two the one with the higher (boot, session) counts."""
    return _all(
        schema=NUMBER_OF_SCHEMA, status=Literal["online", "offline"],
        reason=Literal["running", "stopped", "lost"], table=Name, journal=Name, boot=Whole,
        session=Whole, version=Name, digest=Name, profile_digest=Name, build=Name,
        intact=bool | None,
    )  # fmt: skip


def health() -> Schema:
    """`health`: what the board measures of itself; null where a number cannot be had."""
    return _all(
        schema=NUMBER_OF_SCHEMA,
        clock=_all(synchronised=bool, offset_ms=int | None, error_ms_max=Whole | None),
        storage=_all(free_bytes=Whole, writable=bool),
        journal=_all(lag_ms=Whole | None),
        outbox=_all(depth=Whole, cursor=Whole, refusing=bool),
        delivery=_all(
            journal=Name, journaled=Whole, broker=Whole, store=Whole, delivered=Whole,
            store_expected=Name | None,
        ),
        record=_all(
            previous_end=Word | None, trouble=Word | None, sealed=Whole, kept_after=Whole,
            used_bytes=Whole, filled_percent=Whole | None, budget_bytes=Whole, retention_days=Whole,
        ),
        temperatures_mc=tuple[int, ...],
        memory=_all(resident_bytes=Whole | None),
        intake=_all(waiting=Whole, lost=Whole),
        devices={"type": "object"},
        configuration=_all(waiting=tuple[str, ...], refused=str | None),
        credentials=_all(ends=_ends(), refused=str | None, renewed=Whole),
        corrections=_all(forged=Whole, stale=Whole, left_over=Whole),
    )  # fmt: skip


def _ends() -> Schema:
    """Until when each certificate is good; `warning`: the mark of 30, 7, 1, 0 days passed."""
    one = _all(ends=STAMP, days=int, warning=Literal[0, 1, 7, 30] | None)
    return object_of({"certificate": one, "authority": one, "broker": one}, [])


def reply() -> Schema:
    """`replies/<principal>`: what became of a command."""
    return object_of(
        {
            "id": str | None, "result": Literal["accepted", "refused", "busy"],
            "sequences": tuple[Whole, ...], "rule": str | None, "reason": str,
        },
        ["id", "result"],
    )  # fmt: skip


def command_envelope() -> dict[str, object]:
    """The members that every command has beside its own."""
    return {"id": {"type": "string", "pattern": "^[!-~]{1,64}$"}, "issued_at": STAMP}
