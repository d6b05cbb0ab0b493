"""The table's file for the house of a scenario, on the board of a rig; and dicts as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from controller.broker_address import BrokerAddress
from controller.core.setup import Setup, ShufflerSetup
from tests.hil.sentences import Script

KEY = "K-1"
EYE = "eye"
# A panel's key must be carried by somebody; no sentence of a scenario turns it.
CARRIER = {"keeper": {"role": "floorperson", "key": KEY}}
# Shorter than a house's own, so that an alarm of which nobody takes note goes up within seconds.
ESCALATE_S = {"escalate_floor_s": 2, "escalate_pit_s": 4}
SEATS_MAX = 16


@dataclass(frozen=True, slots=True)
class Board:
    """Where the table's daemon runs: device to port, purpose to line, a folder; `hand` on mock
    pins alone. Without `pins` there is no panel."""

    ports: Mapping[str, str]
    pins: Mapping[str, int]
    factory: str
    home: str
    hand: str | None = None


def table_file(script: Script, table: str, broker: BrokerAddress, board: Board) -> str:
    """TOML of the house."""
    setup = script.setup
    people = {name: {"role": role} for name, role in script.roster.items()}
    sections: dict[str, object] = {
        "table": {"id": table, "seats": setup.seats, "numbering": setup.numbering},
        "game": _game(setup),
        "shoe": {"driver": "tdp1", "port": board.ports["shoe"]},
        "mqtt": {
            "host": broker.host, "port": broker.port, "commands_per_minute": 60_000,
            "allow_plaintext": True,
        },
        "journal": {"path": f"{board.home}/journal.sqlite", "key": f"{board.home}/seal.key"},
        "roster": {**people, EYE: {"role": "surveillance"}},
    }  # fmt: skip
    if setup.shuffle == "device":
        sections["shuffler"] = _shuffler(board.ports["shuffler"], setup.shuffler)
    if board.pins:
        sections["panel"] = {"factory": board.factory, "key_id": KEY, "pins": _pins(setup, board)}
        sections["roster"] = {**people, EYE: {"role": "surveillance"}, **CARRIER}
    if board.hand is not None:
        sections["bench"] = {"hand": board.hand}
    if any(sentence.kind == "timer" for sentence in script.sentences):
        sections["alarms"] = ESCALATE_S
    return toml_of(sections)


def _pins(setup: Setup, board: Board) -> dict[str, int]:
    """Of the board's lines those that this table has."""
    absent = {f"seat_{seat}" for seat in range(setup.seats + 1, SEATS_MAX + 1)}
    if setup.game != "fortune-asia-poker":
        absent.add("rng")
    return {name: line for name, line in board.pins.items() if name not in absent}


def _game(setup: Setup) -> dict[str, object]:
    idle_s = None if setup.idle_after_ms is None else setup.idle_after_ms // 1000
    asked = {
        "name": setup.game, "decks": setup.decks, "deck_cards": setup.deck_cards,
        "batches": setup.batches, "deal": setup.deal,
        "rounds_after_cover": setup.rounds_after_cover,
        "start": setup.start if setup.game == "fortune-asia-poker" else None,
        "approved_device": setup.approved_device, "idle_after_s": idle_s,
    }  # fmt: skip
    return {key: value for key, value in asked.items() if value is not None}


def _shuffler(port: str, setup: ShufflerSetup) -> dict[str, object]:
    said: dict[str, object] = {
        "driver": "tdp1", "port": port, "counts": setup.counts,
        "stores_one_batch": setup.stores_one_batch, "direct_to_shoe": setup.direct_to_shoe,
    }  # fmt: skip
    for key, value in (("cycle_s_min", setup.cycle_ms_min), ("cycle_s_max", setup.cycle_ms_max)):
        if value is not None:
            said[key] = value // 1000
    return said


def toml_of(document: Mapping[str, object]) -> str:
    """A document of tables, texts, numbers, truths and flat lists as TOML."""
    return "\n".join(_lines(document, ())) + "\n"


def _lines(table: Mapping[str, object], place: tuple[str, ...]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    if place:
        yield f"[{'.'.join(json.dumps(name) for name in place)}]"
    for key, value in table.items():
        if key not in inner:
            # JSON's texts, numbers, truths and lists of them are TOML's.
            yield f"{json.dumps(key)} = {json.dumps(value)}"
    for key, value in inner.items():
        yield from _lines(value, (*place, key))
