"""By what two states of a small table count as the same one: what a guard reads, and no more.

Left out everywhere: ids and counters (they only name), times and what timers are due at (a walk
happens at one moment; which timers run is kept), alarms (they sound and shut nothing), citations
and words, locks and prompt (they follow from the rest), clock, broker and free storage (no guard
reads them), what only an approved continuous device is asked for (none is at a small table), a
shoe's own numbering (lines are told relative to it), cards in the rack (a stub is told relative to
them), the order check's cards (it only sounds an alarm), and at the games dealt card by card how
many of a shoe's cards are where, as far as they are many (no walk deals a shoe out; few are told
apart one by one, as are a whole deck and one that lacks a card).
Left out where nothing reads it before it is written again: who inspected, outside of the opening;
what was asked and washed, outside of the idle spread; a cycle's number and mode, while none runs;
the burn, outside of it; who is asked to cut, outside of the cut; whether the cards were cut, once
the load has ended a recut's time; why a batch has no token, but for the check that is missing; who
sits where, where the dealer cuts; since when bets may go on, where no cause decides who cuts.
Bounded: face-up cards and shakes at three, a round's cards at seven, rounds since the last proof at
the count that is due. `Sampler` in `congruence.py` holds all of this against the rules.
"""

from __future__ import annotations

import hashlib
import operator

from controller.core.book import Book
from controller.core.seats import DEALER
from controller.core.state import Batch, Device, Phase, Round, TableState
from controller.core.stops import Hold, Void
from controller.core.whereabouts import EVERYWHERE, Whereabouts
from controller.regions.cards import BEFORE_LOAD
from controller.rules.third_card import POINTS

CUTTING = (Phase.CUT, Phase.RESTACK, Phase.COVER, Phase.LOAD)
IDLING = (Phase.IDLE, Phase.SPREAD, Phase.WASH)
BEFORE_OPENING = (Phase.OPENING, Phase.DECK)
_PLACES = operator.attrgetter(*EVERYWHERE)
# What comes after the third makes no difference: one card is discarded, a second one voids.
FACE_UP_MAX = 3
SHAKEN_MAX = 3
# Cards that are seen to be elsewhere, beyond which a count of all but one never fits again.
SEEN_MAX = 2
# Cards at one place, beyond which no walk takes so many away by stated numbers that few are left.
FEW_MAX = 8
# No round has more than six cards (627a.10); one more is as wrong as many more.
CARDS_MAX = 7


# All that a key is made of: where none of it was touched, the key is the same one.
_READ = operator.attrgetter(
    *(
        name
        for name in TableState.__slots__
        if name
        not in ("alarms", "alarm_marks", "counters", "locked", "prompt_step", "prompt_since_ms",
                "last_mono_ms")
    )
)  # fmt: skip


def untouched(before: TableState, after: TableState) -> bool:
    """Whether nothing that a key is made of was even written; a quick way to the same key."""
    return all(map(operator.is_, _READ(before), _READ(after)))


def key(book: Book, state: TableState) -> bytes:
    """Sixteen octets that are the same for states that no guard tells apart."""
    parts = (
        str(state.phase), state.methods.shuffle, state.methods.deal, state.methods.start,
        tuple(_batch(book, one, state.phase is Phase.PLAY) for one in state.batches),
        _session(book, state), _cut(book, state),
        _pack(state), _device(state.shuffler), _device(state.shoe), _cycle(state), _load(state),
        _round(book, state), _people(book, state), _stub_rounds(book, state),
        (state.last_batch, state.rested) if len(state.batches) > 1 else None,
        state.shuffle_ordered, state.recut_back and str(state.recut_back),
        tuple(sorted(set(state.waived))), _rng(state), tuple(_hold(one) for one in state.holds),
        state.void and _void(state.void), state.services.recording, state.services.case_open,
        tuple(sorted(name for name in state.timers if not of_alarm(name))),
    )  # fmt: skip
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def _cards_of(book: Book, one: Batch, playing: bool) -> tuple[object, ...]:
    cards, most = one.cards, book.profile.stub.rounds_max
    unproven = 0 if most is None else min(one.stub_rounds, most.value)
    if book.profile.burn is not None:
        return unproven, _few(cards, playing)
    return unproven, _PLACES(cards)


def _few(cards: Whereabouts, playing: bool) -> tuple[int, ...]:
    """How many are where, beyond FEW_MAX as many as ever; what was dealt and what came to the rack
    only as far as a count of a whole deck, or of one card less, asks for it.

    Those come back with the whole deck or are lost sight of: nothing takes them away one by one
    while the shoe has cards, or nobody knows how many it has.
    """
    racked = min(cards.rack + cards.burned, SEEN_MAX)
    dealt = min(cards.hands + cards.layout + cards.stub, FEW_MAX)
    if cards.unknown >= FEW_MAX or (playing and cards.shoe >= FEW_MAX):
        dealt = min(dealt, SEEN_MAX - racked)
    lie = (cards.table, cards.shuffler, cards.stack, cards.shoe, cards.removed, cards.unknown)
    return racked, dealt, *(min(one, FEW_MAX) for one in lie)


def of_alarm(timer: str) -> bool:
    """Whether a timer is one of an alarm's own, as `A3.floorperson`."""
    return timer[0] == "A" and timer[1].isdigit()


def _batch(book: Book, one: Batch, playing: bool) -> tuple[object, ...]:
    token = one.token
    lie = _cards_of(book, one, playing)
    if token is None:
        return one.name, one.where, one.why == "not_checked", one.change_due, one.counted, lie
    return (
        one.name, one.where, lie, token.method == "device", token.cards, token.cut, token.spent,
        one.change_due, one.counted,
    )  # fmt: skip


def _by_cause(book: Book) -> bool:
    """Whether what brought the shuffle about decides who is asked to cut."""
    first = book.profile.cut.first
    return first is not None and first.value == "cause"


def _session(book: Book, state: TableState) -> tuple[object, ...]:
    said, phase = state.session, state.phase
    opening = phase in BEFORE_OPENING
    wash = phase in IDLING or said.wash_due or (phase is Phase.OPENING and said.after_idle)
    return (
        said.dealer,
        said.inspected_by if phase is Phase.OPENING else None,
        opening and said.preshuffled,
        opening and said.after_idle,
        (said.asked_face_up, said.asked_spread)
        if phase in IDLING else (),
        (said.washed, said.stacked) if wash else (),
        said.wash_due,
        said.begun and _by_cause(book),
        bool(said.seals),
    )  # fmt: skip


def _cut(book: Book, state: TableState) -> tuple[object, ...]:
    cut = state.cut
    if book.profile.cut.by.value == DEALER:
        return ()
    asked = (cut.offers, cut.cutter) if state.phase in CUTTING else ()
    if not _by_cause(book):
        return asked
    # The first arrival is asked about once, by the shuffle that it is the cause of.
    waits = not state.session.begun or cut.origin == "first_arrival"
    return asked, cut.origin, cut.seat, state.first_arrival if waits else None


def _people(book: Book, state: TableState) -> tuple[object, ...]:
    if book.profile.cut.by.value == DEALER:
        return (state.panel_seats,)
    return state.occupied, state.panel_seats


def _pack(state: TableState) -> tuple[object, ...]:
    if state.load is None:
        return ()
    pack = state.pack
    burn = (pack.burned, pack.burn_rank, pack.burn_due) if state.phase is Phase.BURN else ()
    return (
        burn,
        pack.cover_seen,
        pack.cover_where,
        pack.cover_told,
        pack.rounds_left,
        pack.burn_owed,
    )


def _device(one: Device) -> tuple[object, ...]:
    saw = sorted(set(one.covered_by)) if one.health == "uncovered" else []
    if one.health == "covered" and "switch" in one.covered_by:
        saw = ["switch"]
    return (
        one.health, one.up, one.jammed, one.faults, one.lamp in ("red", "blink"), tuple(saw),
        one.health == "uncovered" and one.floor_saw_cover,
    )  # fmt: skip


def _cycle(state: TableState) -> tuple[object, ...]:
    cycle = state.cycle
    run = (cycle.number, cycle.mode) if cycle.running else ()
    went_in = cycle.loaded_cards if cycle.inside is not None else None
    return cycle.inside, went_in, run, cycle.by_hand, cycle.residue


def _load(state: TableState) -> tuple[object, ...]:
    load = state.load
    if load is None:
        return ()
    return load.batch, load.confirmed or load.witness, load.cards


def _round(book: Book, state: TableState) -> tuple[object, ...]:
    play, start = state.round, state.round.start
    # Where a recut ends with the load, the next cut is the next one that is asked about.
    cut_counts = book.profile.cut.recut_window.value != "load" or state.phase in BEFORE_LOAD
    exact = book.profile.stub.exact
    told = play.remainder_cards
    return (
        play.open, play.seats if not play.order else (), bool(play.progressive), bool(play.trips),
        start and (start.method, start.raw), play.order, play.ahead, play.last,
        play.heard - play.left_out, play.waiting, play.waiting_numbers, bool(play.early),
        min(play.face_up, FACE_UP_MAX), min(play.face_up_shoe, FACE_UP_MAX),
        min(play.face_up_dealer, FACE_UP_MAX), play.extra, play.raises_closed,
        None if exact is None or told is None else told + play.discarded,
        play.stub_counted, play.deck_counted, min(play.shaken, SHAKEN_MAX), _cards(book, play),
        cut_counts and play.cut,
    )  # fmt: skip


def _cards(book: Book, play: Round) -> tuple[object, ...]:
    """What the table of third cards is asked with: two hands' points and the player's third card.

    Ranks of which one is not known are asked with no more: they never are all known again.
    """
    if book.profile.third_card is None:
        return (play.cards > 0,)
    cards, ranks = min(play.cards, CARDS_MAX), play.ranks
    if len(ranks) != play.cards:
        return (cards,)
    hands = tuple(sum(POINTS[rank] for rank in ranks[one:4:2]) % 10 for one in (0, 1))
    return cards, hands, tuple(POINTS[rank] for rank in ranks[4:5])


def _stub_rounds(book: Book, state: TableState) -> int:
    most = book.profile.stub.rounds_max
    return 0 if most is None else min(state.stub_rounds, most.value)


def _rng(state: TableState) -> tuple[object, ...]:
    rng = state.rng
    return rng.in_service, rng.display_ok, rng.pending_draw is not None, rng.shaker_reset_due


def _hold(one: Hold) -> tuple[object, ...]:
    return one.code, one.choices, one.waiver, one.device, one.batch, one.irregularity is not None


def _void(void: Void) -> tuple[object, ...]:
    also = tuple((one.code, one.outcome, one.choices) for one in void.also)
    return (
        void.code, void.settle, void.bonuses_settled, void.returned_by, void.deck_count_due,
        void.deck, also,
    )  # fmt: skip
