"""Every state that a small table can reach, and what must hold in each of them.

States are merged by `key`: ids, numbers, times, timers, alarms and announced locks are dropped,
since no guard reads them (alarms only sound; ids only name). Rounds since the last proof are kept.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from config.profiles import profile_document
from controller.core.book import Book
from controller.core.codec import arrived_of_line
from controller.core.levels import locks_of
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.core.state import Batch, Counters, Phase, TableState
from controller.core.table import new_state, run
from controller.core.view import Turn
from controller.core.whereabouts import EVERYWHERE, Whereabouts
from controller.games import book_of
from tests.exploration import alphabet

AT = "2026-01-05T18:00:00.000Z"
# Enough rounds to make a stub due; more are the same state again.
STUB_ROUNDS_MAX = 6
# A bound for the machine, far above what was ever seen with two faults.
STATES_MAX = 2_000_000
# Cards beyond the sixth of a round or shoe change nothing that a guard reads.
CARDS_MAX = 7


class Broken(AssertionError):
    """An invariant does not hold; the message has the way that leads there."""


@dataclass
class Explored:
    """What was seen: states, transitions, refused inputs, and whether all of them was seen."""

    states: int = 0
    transitions: int = 0
    refused: int = 0
    complete: bool = True
    phases: set[str] = field(default_factory=set)


def small_book(game: str) -> Book:
    """Two seats; the deck as small as the game's stacks allow."""
    setup = dataclasses.replace(
        DEFAULTS[game], seats=alphabet.SEATS, decks=1, batches=1, rounds_after_cover=0
    )
    return book_of(setup, profile_of(profile_document(game)[0]))


def key(state: TableState, cards_max: int = CARDS_MAX) -> object:
    """The state without what no guard reads."""
    play = dataclasses.replace(
        state.round, number=0, cards=min(state.round.cards, cards_max),
        shaken=min(state.round.shaken, 3), early=min(state.round.early, 1),
        ranks=state.round.ranks[:cards_max], face_up=min(state.round.face_up, 3),
    )  # fmt: skip
    pack = dataclasses.replace(
        state.pack, cards_out=0, burned=min(state.pack.burned, 3), exposed=0, order_hits=0,
        last_rank=None, last_suit=None,
    )  # fmt: skip
    void = state.void and dataclasses.replace(state.void, since_ms=0, irregularity="")
    holds = tuple(
        (one.code, one.choices, one.waiver, one.device, bool(one.irregularity))
        for one in state.holds
    )
    normal = dataclasses.replace(
        state, round=play, pack=pack, void=void, holds=(), alarms=(), alarm_marks=(),
        counters=Counters(),
        timers={}, locked={}, prompt_step="", prompt_since_ms=0, last_mono_ms=0,
        session=dataclasses.replace(state.session, seals=()),
        rng=dataclasses.replace(
            state.rng, pending_draw=None if state.rng.pending_draw is None else 1
        ),
        cycle=dataclasses.replace(state.cycle, started_mono_ms=0),
        batches=tuple(_batch_key(one) for one in state.batches),
        stub_rounds=min(state.stub_rounds, STUB_ROUNDS_MAX),
        shuffler=dataclasses.replace(state.shuffler, identity={}),
        shoe=dataclasses.replace(state.shoe, identity={}),
    )  # fmt: skip
    # Sixteen octets instead of a page of text: two million states fit into memory.
    return hashlib.blake2b(repr((normal, holds)).encode(), digest_size=16).digest()


def _batch_key(batch: Batch) -> Batch:
    """Where its cards are is told apart only by holds on a count, which other ways open as well."""
    return dataclasses.replace(
        batch, since_ms=None, cards=Whereabouts(),
        stub_rounds=min(batch.stub_rounds, STUB_ROUNDS_MAX),
    )  # fmt: skip


def lines_for(game: str, book: Book, state: TableState) -> Iterator[alphabet.Line]:
    cards = book.setup.batch_cards
    names = tuple(batch.name for batch in state.batches)
    yield from alphabet.open_questions(state)
    yield from alphabet.GAMES[game](state, cards)
    yield from alphabet.common(cards, names)


def explore(
    game: str, faults_max: int, book: Book | None = None, states_max: int = STATES_MAX
) -> Explored:
    """From the closed table, ways with fewer faults first, `faults_max` on any way.

    Raises Broken with the way that leads to what does not hold.
    """
    book = book or small_book(game)
    first = new_state(book)
    # Only where third cards are held to their table does the number of cards decide anything.
    cards_max = CARDS_MAX if book.profile.third_card is not None else 1
    first_key = key(first, cards_max)
    ways: dict[object, tuple[object, alphabet.Line] | None] = {first_key: None}
    back: dict[object, set[object]] = {}
    out_of: set[object] = {first_key}
    seen = Explored(states=1)
    cost = {first_key: 0}
    # One queue for each number of faults, each breadth first, so that ways are short.
    queues: list[deque[tuple[object, TableState]]] = [deque() for _ in range(faults_max + 1)]
    queues[0].append((first_key, first))
    for spent, here, state in _drain(queues):
        if spent > cost[here]:
            continue
        seen.phases.add(str(state.phase))
        for line in lines_for(game, book, state):
            marked = isinstance(line, alphabet.Fault)
            if spent + int(marked) > faults_max:
                continue
            turn = _step(book, state, line, ways, here)
            then = spent + int(marked or _is_fault(turn))
            if then > faults_max:
                continue
            if turn.refusal is not None:
                seen.refused += 1
                continue
            seen.transitions += 1
            there = key(turn.state, cards_max)
            if there not in ways and len(ways) >= states_max:
                seen.complete = False
                continue
            if then < cost.get(there, faults_max + 1):
                cost[there] = then
                ways[there] = (here, line)
                queues[then].append((there, turn.state))
                if turn.state.phase in (Phase.BETS, Phase.CLOSED) and not turn.state.holds:
                    out_of.add(there)
            back.setdefault(there, set()).add(here)
    seen.states = len(ways)
    if seen.complete:
        _everything_has_a_way_out(ways, back, out_of)
    return seen


# What is not the ordinary course shows itself in one of these, whoever caused it.
FAULTS = frozenset(
    (
        "irregularity.raised", "token.refused", "floor.decision_required", "alarm.raised",
        "shuffle.failed", "link.lost", "rng.failed", "batch.conflict", "device.fault",
    )
)  # fmt: skip


def _is_fault(turn: Turn) -> bool:
    return any(event.type in FAULTS for event in turn.events)


def _drain(
    queues: list[deque[tuple[object, TableState]]],
) -> Iterator[tuple[int, object, TableState]]:
    for spent, queue in enumerate(queues):
        while queue:
            here, state = queue.popleft()
            yield spent, here, state


def _step(
    book: Book, state: TableState, line: alphabet.Line,
    ways: dict[object, tuple[object, alphabet.Line] | None], here: object,
) -> Turn:  # fmt: skip
    arrived = arrived_of_line({"at": AT, **line}, 1, state.last_mono_ms, 0)
    try:
        turn = run(book, state, arrived)
        check(book, state, turn)
    except AssertionError as fault:
        raise Broken(f"{fault}\nby {_way(ways, here)}\nthen {line}") from fault
    return turn


def _way(ways: dict[object, tuple[object, alphabet.Line] | None], here: object) -> str:
    steps = []
    at = ways.get(here)
    while at is not None:
        steps.append(" ".join(f"{name}={value}" for name, value in at[1].items()))
        at = ways.get(at[0])
    return "\n   ".join(reversed(steps))


def _everything_has_a_way_out(
    ways: dict[object, tuple[object, alphabet.Line] | None],
    back: dict[object, set[object]], out_of: set[object],
) -> None:  # fmt: skip
    reached, queue = set(out_of), deque(out_of)
    while queue:
        for before in back.get(queue.popleft(), ()):
            if before not in reached:
                reached.add(before)
                queue.append(before)
    for place in ways:
        if place not in reached:
            raise Broken(f"no lawful way out\nafter {_way(ways, place)}\n{place}")


# ---- invariants ----------------------------------------------------------------------------------
def check(book: Book, before: TableState, turn: Turn) -> None:
    """What must hold of every transition."""
    types = [event.type for event in turn.events]
    for invariant in INVARIANTS:
        invariant(book, before, turn, types)


def no_card_without_token(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """No card dealt without a spent token of this batch."""
    if "round.deal_progress" in types or turn.state.round.cards > before.round.cards:
        load = before.load
        assert load is not None, "INVARIANT token: dealt from a shoe without a load"
        batch = next(one for one in before.batches if one.name == load.batch)
        assert batch.token is not None, "INVARIANT token: dealt without a token"
        assert batch.token.spent, "INVARIANT token: dealt with an unspent token"


def no_deal_under_lock(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """No deal under a lock, a hold or a void."""
    if "round.deal_progress" in types and turn.arrived.source == "shoe":
        # A shoe that had stopped and gives cards again works, and has thereby lifted its own lock.
        lifted = dataclasses.replace(before, shoe=turn.state.shoe)
        assert "deal" not in locks_of(book, lifted), "INVARIANT lock: dealt while locked"
    elif "round.deal_progress" in types:
        # A stack that waited, handed out once a person let play go on and nothing is open.
        assert not turn.state.holds, "INVARIANT lock: handed out under a hold"
        assert turn.state.void is None, "INVARIANT lock: handed out in a void"
    if "round.no_more_bets" in types:
        assert "bets" not in locks_of(book, before), "INVARIANT lock: bets closed while locked"


def void_never_completes(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A voided round never completes."""
    assert not ("round.completed" in types and before.void is not None), "INVARIANT void"
    assert not {"round.completed", "round.voided"} <= set(types), "INVARIANT void: both"


def wagers_are_disposed_of(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """The wagers of a voided round are all returned or settled, each once."""
    if "round.voided" not in types:
        return
    assert "wager.disposition" in types, "INVARIANT wagers: none disposed of"
    data = next(event.data for event in turn.events if event.type == "wager.disposition")
    names = [*data["returned"], *data["settled"]]
    due = set(book.profile.wagers.names.value) - {"raise"}
    if not before.round.trips:
        due.discard("trips")
    if not before.round.progressive:
        due.discard("progressive")
    assert len(names) == len(set(names)), "INVARIANT wagers: one is disposed of twice"
    assert due <= set(names), f"INVARIANT wagers: {due - set(names)} not disposed of"


def no_device_out_of_service(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A device that is out of service is not used."""
    out = ("uncovered", "covered")
    made = any(
        event.type == "token.made" and event.data["method"] == "device" for event in turn.events
    )
    assert not (made and before.shuffler.health in out), "INVARIANT service: shuffler used"
    closed = "round.no_more_bets" in types and before.methods.deal != "hand"
    assert not (closed and before.shoe.health in out), "INVARIANT service: shoe used"


def one_number_a_round(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """At most one number a round."""
    if "startpos.determined" in types:
        assert before.round.start is None, "INVARIANT number: a second one"
        assert types.count("startpos.determined") == 1, "INVARIANT number: two at once"


def refused_moves_nothing(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A refused input moves nothing, and a device's word is never refused."""
    if turn.refusal is not None:
        same = dataclasses.replace(turn.state, last_mono_ms=before.last_mono_ms) == before
        assert same, "INVARIANT refusal: a refused input moved something"
        assert turn.arrived.source not in ("shuffler", "shoe"), "INVARIANT refusal: of a fact"


def no_card_comes_or_goes(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """Every card of every batch is somewhere, once."""
    for batch in turn.state.batches:
        assert batch.cards.total == book.setup.batch_cards, "INVARIANT cards: one too many or few"
        assert all(batch.cards.at(place) >= 0 for place in EVERYWHERE), "INVARIANT cards: below 0"


INVARIANTS = (
    no_card_comes_or_goes, no_card_without_token, no_deal_under_lock, void_never_completes,
    wagers_are_disposed_of, no_device_out_of_service, one_number_a_round, refused_moves_nothing,
)  # fmt: skip
