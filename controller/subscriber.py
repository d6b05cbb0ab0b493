"""The reference subscriber: each event once, gaps noticed, the hash chain checked as it arrives.

`Ledger` is pure and may be fed from anywhere; `Subscriber` feeds one from a broker. Repeats are
told by (journal, sequence), never by the DUP flag (faults M11). A gap may be a broker that dropped
messages for a slow subscriber (M12): ask the table for them with `replay`.
"""

from __future__ import annotations

import asyncio
import fnmatch
import json
import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from controller.backoff import Backoff
from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Plan, Received
from controller.clock import Clock
from controller.journal.record import hash_of
from controller.mqtt import connect

# Events held for one journal beyond a gap: a whole day of a table; then the gap is given up.
AHEAD_EVENTS_MAX = 20_000
# Of all journals together, some 30 MB; and journals and tables that are followed: strangers may
# invent them, so the one that was silent for longest is forgotten.
AHEAD_ALL_EVENTS_MAX = 100_000
JOURNALS_MAX = 4_096
# An event is some 1 KB; a forged one must not fill the memory.
EVENT_OCTETS_MAX = 256 * 1024
REASON_CHARACTERS_MAX = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """What one message turned out to be.

    `envelope` is None where it is no event; `repeat` where it came before; `gap` the first and
    last sequence that are missing right before it; `problem` what is wrong with bytes or chain.
    """

    table: str
    envelope: dict[str, object] | None
    sequence: int
    received_ns: int
    repeat: bool = False
    gap: tuple[int, int] | None = None
    problem: str | None = None


@dataclass(slots=True)
class _Row:
    """One journal: the gap-free row so far, and what came ahead of it."""

    reached: int
    hash: str
    ahead: dict[int, tuple[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Ledger:
    """Counts what arrived. A journal's row begins with the first event that is seen of it, or
    with 1 where `from_start` says that everything must come."""

    from_start: bool = False
    events: int = 0
    repeats: int = 0
    problems: int = 0
    _rows: OrderedDict[str, _Row] = field(default_factory=OrderedDict)
    _ahead: int = 0

    def missing(self) -> dict[str, list[tuple[int, int]]]:
        """The open gaps of each journal, as first and last missing sequence."""
        gaps: dict[str, list[tuple[int, int]]] = {}
        for journal, row in self._rows.items():
            at = row.reached
            for sequence in sorted(row.ahead):
                if sequence > at + 1:
                    gaps.setdefault(journal, []).append((at + 1, sequence - 1))
                at = sequence
        return gaps

    def reached(self, journal: str) -> int:
        """The last sequence of the gap-free row; 0 for a journal never seen."""
        row = self._rows.get(journal)
        return 0 if row is None else row.reached

    def take(self, table: str, payload: bytes, received_ns: int) -> Seen:
        """Read one event message. Never raises."""
        try:
            envelope, journal, sequence = _read(payload)
            wrong = None if hash_of(envelope) == envelope["hash"] else "its hash is wrong"
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.problems += 1
            reason = f"no event: {type(error).__name__} {error}"[:REASON_CHARACTERS_MAX]
            return Seen(table, None, 0, received_ns, problem=reason)
        row = self._rows.get(journal)
        if row is None:
            row = self._rows[journal] = self._begin(envelope, sequence)
            if len(self._rows) > JOURNALS_MAX:
                self._ahead -= len(self._rows.popitem(last=False)[1].ahead)
        self._rows.move_to_end(journal)
        if sequence <= row.reached or sequence in row.ahead:
            self.repeats += 1
            return Seen(table, envelope, sequence, received_ns, repeat=True)
        newest = max(row.ahead, default=row.reached)
        gap = (newest + 1, sequence - 1) if sequence > newest + 1 else None
        row.ahead[sequence] = (str(envelope["prevhash"]), str(envelope["hash"]))
        self._ahead += 1
        problem = wrong or self._advance(row)
        self.events += 1
        self.problems += problem is not None
        return Seen(table, envelope, sequence, received_ns, gap=gap, problem=problem)

    def _begin(self, envelope: dict[str, object], sequence: int) -> _Row:
        if self.from_start:
            return _Row(0, "0" * 64)
        return _Row(sequence - 1, str(envelope["prevhash"]))

    def _advance(self, row: _Row) -> str | None:
        """Take up what now follows without a gap; says where the chain does not hold."""
        problem = None
        if len(row.ahead) > AHEAD_EVENTS_MAX or self._ahead > AHEAD_ALL_EVENTS_MAX:
            row.reached = min(row.ahead) - 1
            row.hash = row.ahead[row.reached + 1][0]
            problem = "a gap was never filled"
        while row.reached + 1 in row.ahead:
            before, own = row.ahead.pop(row.reached + 1)
            self._ahead -= 1
            if before != row.hash:
                problem = f"the chain breaks before event {row.reached + 1}"
            row.reached, row.hash = row.reached + 1, own
        return problem


def _read(payload: bytes) -> tuple[dict[str, object], str, int]:
    if len(payload) > EVENT_OCTETS_MAX:
        raise ValueError(f"{len(payload)} bytes")
    envelope = json.loads(payload)
    if not isinstance(envelope, dict):
        raise TypeError("not an object")
    journal, text = envelope["journal"], envelope["sequence"]
    if not isinstance(journal, str) or not isinstance(text, str) or not text.isascii():
        raise TypeError("journal and sequence are texts")
    sequence = int(text)
    if not 0 < sequence <= 0x1FFFFFFFFFFFFF:
        raise ValueError("sequence out of range")
    return envelope, journal, sequence


@dataclass(slots=True)
class StatusBook:
    """The newest `status` of each table: an older life's late will is known as late (M05)."""

    newest: OrderedDict[str, tuple[int, int]] = field(default_factory=OrderedDict)

    def take(self, table: str, payload: bytes) -> dict[str, object] | None:
        """The status if it is not older than the last one of its journal; None otherwise."""
        try:
            value = json.loads(payload)
            age = (int(value["boot"]), int(value["session"]))
            key = f"{table}/{value['journal']}"
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        if age < self.newest.get(key, age):
            return None
        self.newest[key] = age
        self.newest.move_to_end(key)
        if len(self.newest) > JOURNALS_MAX:
            self.newest.popitem(last=False)
        return dict(value)


class Subscriber:
    """Follows the tables of a broker until cancelled, through its outages.

    `tables` is a glob of table ids; `seen` is called for each event message, `status` with table
    and value for each status that is not late, `link` when the broker comes and goes. `level` is
    called with table, level, payload and whether it was published just now, for each of `levels`
    (such as `state`).
    """

    def __init__(
        self,
        address: BrokerAddress,
        client_id: str,
        clock: Clock,
        seen: Callable[[Seen], None],
        *,
        prefix: str = "tables",
        tables: str = "*",
        from_start: bool = False,
        status: Callable[[str, dict[str, object]], None] | None = None,
        link: Callable[[bool], None] | None = None,
        levels: Sequence[str] = (),
        level: Callable[[str, str, bytes, bool], None] | None = None,
    ) -> None:
        self.ledger = Ledger(from_start)
        self.ready = asyncio.Event()
        self._plan = Plan(address, client_id)
        self._clock = clock
        self._seen = seen
        self._prefix = prefix
        self._tables = tables
        self._status = status
        self._link = link
        self._levels = tuple(levels)
        self._level = level
        self._book = StatusBook()

    async def run(self, jitter: random.Random) -> None:
        """Follow. Raises BrokerAway where the first connection fails; later ones are tried again.

        `ready` is set once the subscription stands for the first time.
        """
        backoff = Backoff(jitter)
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            try:
                await self._follow()
            except BrokerAway:
                if not self.ready.is_set():
                    raise
            if self._link is not None:
                self._link(False)
            await asyncio.sleep(backoff.after(loop.time() - begun))

    async def _follow(self) -> None:
        async with connect(self._plan, self._hear) as connection:
            # A level that is published now has to be told from one that the broker kept.
            refused = await connection.subscribe(self._filters(), as_published=False)
            if refused:
                raise BrokerAway(f"the broker refuses the subscription to {refused[0]}")
            self.ready.set()
            if self._link is not None:
                self._link(True)
            raise BrokerAway(await connection.lost())

    def _filters(self) -> Sequence[str]:
        whole = set(self._tables).isdisjoint("*?[]")
        table = self._tables if whole else "+"
        wanted = ["events/#", *self._levels, *(() if self._status is None else ("status",))]
        return [f"{self._prefix}/{table}/{one}" for one in wanted]

    def _hear(self, received: Received) -> None:
        table, _, rest = received.topic.removeprefix(f"{self._prefix}/").partition("/")
        if not fnmatch.fnmatchcase(table, self._tables):
            return
        if rest == "status":
            value = self._book.take(table, received.payload)
            if value is not None and self._status is not None:
                self._status(table, value)
        elif rest in self._levels:
            if self._level is not None:
                self._level(table, rest, received.payload, not received.retain)
        else:
            self._seen(self.ledger.take(table, received.payload, self._clock.mono_ns()))
