"""Records of a journal that exists only here, and forgeries of them."""

from __future__ import annotations

from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.journal.record import GENESIS, Chain, seal
from controller.recorder.records import Record, read_record


def bodies(
    count: int, *, journal: str = "j", table: str = "T1", prevhash: str = GENESIS, start: int = 1
) -> list[bytes]:
    """The envelopes `start` to `start + count - 1` of a chain."""
    chain = Chain(journal, table, sequence=start - 1, prevhash=prevhash)
    made = []
    for _ in range(count):
        number = chain.inputs + 1
        arrived = Arrived(number, number, number, 1, True, "floorperson", "f", Open())
        turn = seal(chain, arrived, (Event("round.dealt", {"n": number}),), ())
        chain = turn.chain
        made += [event.body for event in turn.events]
    return made


def records(count: int, *, prevhash: str = GENESIS, start: int = 1) -> list[Record]:
    """The same, read."""
    return [read_record("T1", body) for body in bodies(count, prevhash=prevhash, start=start)]
