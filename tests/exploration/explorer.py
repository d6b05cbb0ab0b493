"""Every state that a small table can reach, and what must hold in each of them.

States are merged by `key.py`; ways with fewer mistakes are walked first, each length before the
next, so that the way told of a broken rule is a short one.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from controller.core.book import Book
from controller.core.inputs import LINE
from controller.core.state import Phase, TableState
from controller.core.table import new_state, run
from controller.core.view import Turn
from tests.exploration import alphabet, courses, ways
from tests.exploration.congruence import Sampler
from tests.exploration.invariants import at_rest, check
from tests.exploration.key import key, untouched
from tests.exploration.lines import Line, arrived

# A bound for the machine, far above what any small table has with one mistake on a way.
STATES_MAX = 2_000_000
# What is not the ordinary course shows itself in one of these, whoever caused it. An alarm is not
# among them: whether one sounds depends on those that sound already.
FAULTS = frozenset(
    (
        "irregularity.raised", "token.refused", "floor.decision_required", "shuffle.failed",
        "link.lost", "rng.failed", "batch.conflict", "device.fault",
    )
)  # fmt: skip
# Of these what no state of the cards brings about: each is a mistake of its own.
FAILURES = frozenset(("shuffle.failed", "link.lost", "rng.failed", "device.fault"))
Filter = Callable[[Line], bool]


class Broken(AssertionError):
    """An invariant does not hold; the message has the way that leads there."""


@dataclass
class Explored:
    """What was seen: states, transitions, refused inputs, and whether all of them was seen."""

    states: int = 0
    transitions: int = 0
    refused: int = 0
    merged_checked: int = 0
    complete: bool = True
    phases: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        end = "" if self.complete else ", not all of them"
        return (
            f"{self.states:,} states{end}, {self.transitions:,} transitions, "
            f"{self.refused:,} inputs refused, {self.merged_checked:,} merged states compared"
        )


def lines_for(book: Book, state: TableState) -> Iterator[Line]:
    """Everything that may be said in this state."""
    yield from alphabet.open_questions(state)
    yield from courses.lines_of(book, state)
    yield from alphabet.in_season(state, book.profile.stub.rounds_max is not None)
    names = tuple(batch.name for batch in state.batches)
    yield from alphabet.always(book.setup.batch_cards, names)


class Walk:
    """One exploration. `prefix`: lines said first instead of `ways.beginning`, so that a walk may
    begin in the middle of a round; `only`: the lines that it keeps to; `checked`: one merged state
    in so many is compared with the first of its key, none where it is 0."""

    def __init__(
        self, book: Book, mistakes_max: int, states_max: int = STATES_MAX,
        prefix: Sequence[Line] | None = None, only: Filter | None = None, checked: int = 0,
    ) -> None:  # fmt: skip
        self.book, self.mistakes_max, self.states_max = book, mistakes_max, states_max
        self.prefix = tuple(ways.beginning(book) if prefix is None else prefix)
        self.only = only
        self.seen = Explored()
        self.sampler = Sampler(book, lambda state: list(self._lines(state)), checked)
        self.numbers: dict[bytes, int] = {}
        self.ways: list[tuple[int, Line | None]] = []
        self.cost = array("B")
        self.rest: list[int] = []
        # Ordinary transitions alone: a way out needs no further mistake.
        self.edges_from, self.edges_to = array("I"), array("I")
        # One queue for each number of mistakes, each breadth first.
        self.queues: list[deque[tuple[int, TableState]]] = [
            deque() for _ in range(mistakes_max + 1)
        ]

    def explore(self) -> Explored:
        """Walk all of it. Raises Broken with the way that leads to what does not hold."""
        state = new_state(self.book)
        for line in self.prefix:
            turn = run(self.book, state, arrived(line))
            assert turn.refusal is None, f"the way to the beginning: {line}: {turn.refusal}"
            state = turn.state
        self._enter(-1, None, state, 0)
        for spent, queue in enumerate(self.queues):
            while queue:
                here, state = queue.popleft()
                # A cheaper way to it was found since.
                if self.cost[here] == spent:
                    self._expand(here, state, spent)
        self.seen.states = len(self.ways)
        self.seen.merged_checked = self.sampler.compared
        if self.seen.complete:
            self._everything_has_a_way_out()
        return self.seen

    def _lines(self, state: TableState) -> Iterator[Line]:
        lines = lines_for(self.book, state)
        return lines if self.only is None else filter(self.only, lines)

    def _expand(self, here: int, state: TableState, spent: int) -> None:
        seen = self.seen
        seen.phases.add(str(state.phase))
        unspoken = False
        for line in self._lines(state):
            if spent + line.mistake > self.mistakes_max:
                continue
            if no_row_speaks_of(self.book, state, line):
                # One stands for all: they are refused by the same two lines of the core.
                if unspoken:
                    seen.refused += 1
                    continue
                unspoken = True
            turn = self._step(here, state, line)
            then = spent + int(line.mistake or (not line.answer and _is_mistake(state, turn)))
            if turn.refusal is not None:
                seen.refused += 1
            elif then <= self.mistakes_max:
                seen.transitions += 1
                if untouched(state, turn.state):
                    continue
                self._reached(here, line, turn.state, spent, then)

    def _reached(self, here: int, line: Line, state: TableState, before: int, spent: int) -> None:
        named = key(self.book, state)
        there = self.numbers.get(named)
        if there is None:
            if len(self.ways) >= self.states_max:
                self.seen.complete = False
                return
            there = self._enter(here, line, state, spent, named)
        else:
            difference = self.sampler.compare(named, state)
            if difference is not None:
                raise Broken(f"{difference}\nby {self._way(here)}\n   {line}")
            if spent < self.cost[there]:
                self.cost[there] = spent
                self.ways[there] = (here, line)
                self.queues[spent].append((there, state))
        if spent == before and there != here:
            self.edges_from.append(here)
            self.edges_to.append(there)

    def _enter(
        self, here: int, line: Line | None, state: TableState, spent: int, named: bytes = b""
    ) -> int:
        there = len(self.ways)
        named = named or key(self.book, state)
        self.numbers[named] = there
        self.sampler.first(named, state)
        self.ways.append((here, line))
        self.cost.append(spent)
        self.queues[spent].append((there, state))
        if at_rest(self.book, state):
            self.rest.append(there)
        return there

    def _step(self, here: int, state: TableState, line: Line) -> Turn:
        try:
            turn = run(self.book, state, arrived(line))
            check(self.book, state, turn)
        except AssertionError as fault:
            raise Broken(f"{fault}\nby {self._way(here)}\nthen {line}") from fault
        return turn

    def _way(self, here: int) -> str:
        steps = []
        while here >= 0:
            here, line = self.ways[here]
            if line is not None:
                steps.append(str(line))
        return "\n   ".join((*map(str, self.prefix), *reversed(steps)))

    def _everything_has_a_way_out(self) -> None:
        back: list[list[int]] = [[] for _ in self.ways]
        for here, there in zip(self.edges_from, self.edges_to, strict=True):
            back[there].append(here)
        reached, queue = set(self.rest), deque(self.rest)
        while queue:
            for before in back[queue.popleft()]:
                if before not in reached:
                    reached.add(before)
                    queue.append(before)
        for place in range(len(self.ways)):
            if place not in reached:
                raise Broken(f"INVARIANT way out: none\nafter {self._way(place)}")


def explore(book: Book, mistakes_max: int, **bounds: object) -> Explored:
    """All ways with so many mistakes. Raises Broken."""
    return Walk(book, mistakes_max, **bounds).explore()  # type: ignore[arg-type]


def _is_mistake(state: TableState, turn: Turn) -> bool:
    """Whether something went wrong, or a device failed, that was not wrong before."""
    if any(event.type in FAILURES for event in turn.events):
        return True
    return _is_fault(turn) and not _is_late(state, turn)


def _is_late(state: TableState, turn: Turn) -> bool:
    """Whether an input only brings to light what was wrong before it.

    A stack of a wrong size that waits is handed out by whatever line; a deck that was gathered and
    counted, in a round that goes on all the same, cannot be dealt any further. What leaves the shoe
    when none is due is one too many whatever was before.
    """
    from_shoe = turn.arrived.source == "shoe"
    if state.round.waiting:
        # One more that leaves the shoe meanwhile is another thing that went wrong.
        return not from_shoe
    if from_shoe and state.phase not in (Phase.DEAL, Phase.PLAY):
        return False
    load = state.load
    gathered = any(one.cards.table for one in state.batches if load and one.name == load.batch)
    return state.in_round and gathered and not state.holds and state.void is None


def _is_fault(turn: Turn) -> bool:
    return any(event.type in FAULTS for event in turn.events)


def no_row_speaks_of(book: Book, state: TableState, line: Line) -> bool:
    """A person's word that `core.table` refuses before any guard is asked, as it does it."""
    one = arrived(line)
    kind = type(one.item)
    if one.source not in LINE or kind.__name__ in ("Done", "Malformed") or kind in book.common:
        return False
    if kind in book.reports:
        return kind not in book.rows[state.phase]
    if state.void is not None:
        return kind not in book.voiding
    if state.holds or not state.services.recording:
        return True
    return kind not in book.rows[state.phase]
