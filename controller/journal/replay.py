"""From the journal back to the state: at a start, and to show that the same inputs give the same
bytes."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from controller.core.codec import Unreadable, arrived_of_record, build
from controller.journal.program import Program
from controller.journal.reading import Saved
from controller.journal.record import Chain, SealedTurn, seal
from controller.journal.runs import RunRow, run_of
from controller.journal.store import Store
from controller.journal.trouble import CorruptJournal
from controller.journal.turns import StoredTurn

S = TypeVar("S")

# Bound of `TakenOver.reason`, with room for words before it.
DIFFERS_MAX = 380
# Some 300 KB at a time while the state is brought back.
TURNS_PER_READ = 256


@dataclass(frozen=True, slots=True)
class Restored(Generic[S]):
    """The state in which the journal ends. `replayed` counts the turns that were run for it.

    `other` is the digest of the program that this one follows, None where it is the same one;
    `differs` says where this one decides otherwise, or why nothing of the other's could be read.
    """

    state: S
    chain: Chain
    replayed: int
    other: str | None = None
    differs: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first record that a replay writes differently: where, what stood there, what came."""

    place: str
    recorded: bytes
    replayed: bytes

    def __str__(self) -> str:
        return f"{self.place}: recorded {_short(self.recorded)}, replayed {_short(self.replayed)}"


class Diverged(Exception):
    """The program does not write what the journal holds: another version, or a changed record."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


async def restore(
    store: Store, program: Program[S], bound: Callable[[bytes], Program[S]] | None = None
) -> Restored[S]:
    """Last snapshot that can be read plus the turns after it; equal to the state that was lost.

    `bound` makes the program of another book, since the house may have changed its file since: a
    turn is decided again by the book that it was decided by.

    A journal that another program wrote is taken over where this one decides otherwise: the
    inputs are decided again by this one, the records stay as they are, and `differs` says so.

    Raises CorruptJournal where a record cannot be read or the end does not fit, Diverged where
    the same program decides otherwise than it did.
    """
    runs = await store.runs()
    own, before = runs[-1].program, runs[-2].program if len(runs) > 1 else ""
    other = before if own and before and own != before else None
    begun = _begin(await store.snapshots(), store, program)
    if begun is None:
        if other is None:
            raise CorruptJournal("snapshots", "none can be read, and what was before is pruned")
        return Restored(program.first(), store.chain, 0, other, "its state cannot be read")
    state, chain = begun
    books = _Books(store, program, bound, runs)
    replayed, differs = 0, None
    while turns := await store.turns_after(chain.inputs, TURNS_PER_READ):
        for turn in turns:
            decided_by = await books.program_of(turn.number)
            if differs is None:
                try:
                    state, chain = again(turn, state, chain, decided_by)
                    continue
                except (Diverged, ArithmeticError, AssertionError, LookupError) as problem:
                    if other is None:
                        raise
                    differs = _short(f"input {turn.number}: {problem}".encode(), DIFFERS_MAX)
            state, chain = _follow(turn, state, chain, decided_by)
        replayed += len(turns)
    if chain != store.chain:
        raise CorruptJournal(f"input {chain.inputs}", "the chain does not end where it is said to")
    return Restored(state, chain, replayed, other, differs)


class _Books(Generic[S]):
    """The program of each stretch of the journal, made once."""

    def __init__(
        self, store: Store, program: Program[S], bound: Callable[[bytes], Program[S]] | None,
        runs: Sequence[RunRow],
    ) -> None:  # fmt: skip
        self._store = store
        self._bound = bound
        self._runs = runs
        self._made = {runs[-1].book: program, "": program}

    async def program_of(self, number: int) -> Program[S]:
        run = run_of(self._runs, number)
        digest = "" if run is None else run.book
        if self._bound is None:
            digest = ""
        if digest not in self._made:
            assert self._bound is not None, "without it every book is this one"
            body = await self._store.document(digest)
            if body is None:
                raise CorruptJournal(f"input {number}", f"its book {digest[:16]} is missing")
            self._made[digest] = self._bound(body)
        return self._made[digest]


def _follow(stored: StoredTurn, state: S, chain: Chain, program: Program[S]) -> tuple[S, Chain]:
    """A turn of another program: its input decided again, its records as they stand."""
    if stored.outcome != "fault":
        # What this program cannot decide at all moves nothing: a person looks at the table anyway.
        with contextlib.suppress(Unreadable, ArithmeticError, AssertionError, LookupError):
            state = program.run(state, arrived_of_record(json.loads(stored.body))).state
    assert stored.ends is not None, "a database says where each turn ends"
    sequence, effects = stored.ends
    prevhash = chain.prevhash
    if stored.events:
        prevhash = str(json.loads(stored.events[-1])["hash"])
    return state, dataclasses.replace(
        chain, sequence=sequence, prevhash=prevhash, inputs=stored.number, effects=effects,
        inputdigest=stored.digest,
    )  # fmt: skip


def compare(
    turns: Iterable[StoredTurn], journal: str, table_id: str, program: Program[S]
) -> Difference | None:
    """Run a whole journal again, from its first turn; the first difference, or None.

    Raises CorruptJournal where an input cannot be read.
    """
    state, chain = program.first(), Chain(journal, table_id)
    try:
        for turn in turns:
            state, chain = again(turn, state, chain, program)
    except Diverged as diverged:
        return diverged.difference
    return None


def _begin(saved: list[Saved], store: Store, program: Program[S]) -> tuple[S, Chain] | None:
    for snapshot in saved:
        try:
            chain: Chain = build(Chain, json.loads(snapshot.chain), "chain")
            state = program.load(snapshot.body)
        except ValueError:
            # Written by another version whose state had another shape: an older one, or the
            # journal from its start, leads to the same state.
            continue
        if chain.inputs == snapshot.number:
            return state, chain
    if store.base is not None:
        return None
    return program.first(), Chain(store.journal, store.chain.table_id)


def again(stored: StoredTurn, state: S, chain: Chain, program: Program[S]) -> tuple[S, Chain]:
    """State and chain after one more turn, which was decided again from `state`.

    Raises Diverged where other bytes come out, CorruptJournal where the input cannot be read.
    """
    place = f"input {stored.number}"
    if stored.number != chain.inputs + 1:
        raise CorruptJournal(place, f"follows input {chain.inputs}")
    try:
        arrived = arrived_of_record(json.loads(stored.body))
    except (Unreadable, ValueError, AttributeError) as error:
        raise CorruptJournal(place, f"cannot be read: {error}") from None
    if arrived.number != stored.number:
        raise CorruptJournal(place, f"calls itself input {arrived.number}")
    if stored.outcome == "fault":
        sealed = seal(chain, arrived, (), ())
    else:
        turn = program.run(state, arrived)
        sealed = seal(chain, turn.arrived, turn.events, turn.effects)
        state = turn.state
    for where, recorded, replayed in _pairs(stored, sealed):
        if recorded != replayed:
            raise Diverged(Difference(f"{place}, {where}", recorded, replayed))
    # The same bytes lead to the same digest, unless the row of the digest itself was changed; an
    # export has none.
    if stored.digest and stored.digest != sealed.chain.inputdigest:
        raise CorruptJournal(place, "does not have the digest that it names")
    return state, sealed.chain


def _pairs(stored: StoredTurn, sealed: SealedTurn) -> Iterator[tuple[str, bytes, bytes]]:
    yield "input", stored.body, sealed.input_body
    effects = tuple(body for _, body in sealed.effects)
    events = tuple(one.body for one in sealed.events)
    for name, old, new in (("effect", stored.effects, effects), ("event", stored.events, events)):
        for i in range(max(len(old), len(new))):
            yield (
                f"{name} {i + 1}",
                old[i] if i < len(old) else b"nothing",
                new[i] if i < len(new) else b"nothing",
            )


def _short(body: bytes, most: int = 600) -> str:
    text = body.decode("utf-8", "replace")
    return text if len(text) <= most else f"{text[:most]}…"
