"""What is said at one game alone: its deal, its count and what may go wrong with them."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.book import Book
from controller.core.state import Phase, TableState
from tests.exploration.lines import Line, answer, dealer, device, mistake, usual

# Two fours are a natural, an ace and a four draw; an ace burns one more card.
RANKS = ("A", "4")
BURNED = "A"
PLAYERS = (1, 2)
DRAWS = (1, 2, 3)


def lines_of(book: Book, state: TableState) -> Iterator[Line]:
    """The lines of this state's game."""
    yield from GAMES[book.profile.id.procedure](book, state)
    yield from _seal(state)


def _stacks(book: Book, state: TableState) -> Iterator[Line]:
    """The stack that is due, whole, short and long; one out of turn, one told again; the rest."""
    play, size = state.round, book.profile.deal.stack_cards.value
    due, late = play.heard + 1, play.due + play.left_out
    yield device("shoe", "stack", number=due, cards=size)
    yield from (
        mistake(device("shoe", "stack", number=due, cards=one)) for one in (size - 1, size + 1)
    )
    yield mistake(device("shoe", "stack", number=due + 1, cards=size))
    yield mistake(device("shoe", "stack", number=play.heard, cards=size))
    yield mistake(device("shoe", "stack", number=late, cards=size))
    yield from (mistake(device("shoe", "card", index=1, face=face)) for face in ("down", "up"))
    yield usual(device("shoe", "remainder_removed"), state.phase is Phase.REMAINDER)
    yield from (mistake(device("shoe", "remainder_removed", cards=rest(book, state) - less))
                for less in (0, 1))  # fmt: skip
    by_hand = state.methods.deal != "auto_shoe"
    at = min(play.due, len(play.order)) if by_hand else play.last
    to = play.order[at - 1] if play.order and at > 0 else "dealer"
    other = 1 if to == "dealer" else "dealer"
    yield dealer("delivered", to=to, cards=size)
    yield mistake(dealer("delivered", to=to, cards=size - 1))
    yield mistake(dealer("delivered", to=other, cards=size))


def rest(book: Book, state: TableState) -> int:
    """What lies on after every hand, the extra card and the rack: 687a.10(d), 659a.10."""
    law, play = book.profile.stub, state.round
    if law.exact is not None:
        return law.exact.value - play.discarded
    hands = len(play.order) * book.profile.deal.stack_cards.value
    return book.setup.batch_cards - hands - int(play.extra) - play.discarded


def _stub(book: Book, state: TableState) -> Iterator[Line]:
    # Where a count differed before, the right one answers it.
    yield answer(dealer("stub", cards=rest(book, state)))
    yield mistake(dealer("stub", cards=max(rest(book, state) - 1, 0)))


def _stub_poker(book: Book, state: TableState) -> Iterator[Line]:
    cards = book.setup.batch_cards
    yield from _stacks(book, state)
    yield from _stub(book, state)
    yield dealer("no_more_bets", seats=(1, 2), progressive=(1,), trips=(1,))
    yield mistake(dealer("no_more_bets", seats=(1,), progressive=(2,)))
    yield dealer("raises_closed")
    yield answer(dealer("deck_counted", cards=cards))
    yield mistake(dealer("deck_counted", cards=cards - 1))
    yield answer(dealer("misdeal", misdealt=True, total=cards))
    yield from (
        mistake(dealer("misdeal", misdealt=one, total=cards - int(one))) for one in (False, True)
    )


def _fortune_asia(book: Book, state: TableState) -> Iterator[Line]:
    yield from _stacks(book, state)
    yield from _stub(book, state)
    draw = state.rng.pending_draw or 0
    yield device("rng", "button")
    yield from (device("rng", "drawn", number=number, draw=draw) for number in DRAWS)
    yield from (mistake(device("rng", "drawn", number=9, draw=draw)),
                mistake(device("rng", "drawn", number=1, draw=draw + 1)))  # fmt: skip
    yield from (
        mistake(device("rng", "health_failed", test="repetition")),
        answer(device("rng", "restored")),
    )
    raw = state.round.start.raw if state.round.start is not None else 1
    yield device("rng", "shown", number=raw, readback=raw)
    yield mistake(device("rng", "shown", number=raw, readback=0))
    yield from (dealer("shaken", times=3), mistake(dealer("shaken", times=2)))
    yield from (dealer("dice", total=total) for total in (3, 4, 5))
    yield from (dealer("shaker_reset"), dealer("start_marked"))


def _seal(state: TableState) -> Iterator[Line]:
    """A pack that nobody opened yet, and the last one again."""
    opened = len(state.session.seals)
    yield from (_preshuffled(f"s{opened}"), mistake(_preshuffled(f"s{opened - 1}")))


def _preshuffled(seal: str) -> Line:
    return Line((("from", "floorperson"), ("by", "f1"), ("type", "preshuffled"), ("seal", seal),
                 ("receipt", "r")))  # fmt: skip


def _card_by_card(book: Book, state: TableState) -> Iterator[Line]:
    pack, phase = state.pack, state.phase
    burning, playing = phase is Phase.BURN, phase is Phase.PLAY
    # A seventh card is one too many for any round of Minibaccarat.
    playing = playing and (state.round.cards < 6 or book.profile.third_card is None)
    burned = burning and pack.burned >= max(pack.burn_due, 1)
    yield usual(device("shoe", "card", index=1, face="down"), playing or (burning and not burned))
    known = burning or len(state.round.ranks) == state.round.cards
    if known and book.profile.third_card is not None:
        for rank in RANKS:
            card = device("shoe", "card", index=1, face="up", rank=rank, suit="clubs")
            yield usual(card, playing or (not pack.burned and rank == BURNED))
    if book.profile.third_card is not None and state.round.cards > 6:
        # What was dealt too many, ranks unknown, is asked about when the round is done.
        yield answer(dealer("round_done"))
    yield usual(device("shoe", "cover_card"), playing)
    for place in (1, "dealer"):
        yield usual(dealer("cover_card_out", where=place), playing and pack.cover_seen)
    yield mistake(dealer("cover_card_out", where=9))
    for seat in PLAYERS:
        yield from (dealer("cut_refused", seat=seat), dealer("cut_made", cutter=seat))
        # Both sit down before the table opens; who comes and goes later is not the usual course.
        yield mistake(dealer("player_arrived", seat=seat))
    yield mistake(dealer("player_left", seat=2))
    yield mistake(dealer("cut_made", cutter=1, from_top=9))
    yield from (dealer("cover_inserted"), mistake(dealer("cover_inserted", from_bottom=1)))
    due = dealer("burned", cards=max(pack.burn_due, 1))
    # Where the shoe gave one too many, or has none left to give, this answers it.
    left = sum(one.cards.shoe + one.cards.unknown for one in state.batches if one.where == "shoe")
    yield answer(due) if pack.burned > pack.burn_due or left == 0 else due
    yield mistake(dealer("burned", cards=pack.burn_due + 1))
    yield dealer("first_card", rank=BURNED)
    yield mistake(dealer("first_card", rank="2"))


GAMES = {
    "stub_poker": _stub_poker,
    "fortune_asia": _fortune_asia,
    "blackjack": _card_by_card,
    "minibaccarat": _card_by_card,
}
