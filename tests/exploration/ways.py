"""Ways from the closed table to where a restricted walk begins, as lines that a crew would say."""

from __future__ import annotations

from controller.core.book import Book
from controller.core.seats import DEALER
from tests.exploration.alphabet import ended
from tests.exploration.lines import Line, dealer, device, floor

# Two players at a game whose players cut, the second seat the first to arrive.
SEATED = (dealer("player_arrived", seat=2), dealer("player_arrived", seat=1))
OPENED = (floor("open"), dealer("inspected"), floor("opening_verified"))
STACK_CARDS = {"dj-wild": 5, "fortune-asia-poker": 7}


def beginning(book: Book) -> tuple[Line, ...]:
    """Where a walk of everything begins: a closed table, or the opening with both seated."""
    if book.profile.cut.by.value == DEALER:
        return ()
    return (floor("open"), *SEATED)


def to_shuffle() -> tuple[Line, ...]:
    """Opened, and the batch is in the shuffler."""
    return (*OPENED, device("shuffler", "loaded", batch="A"))


def to_bets(book: Book) -> tuple[Line, ...]:
    """Shuffled and loaded; a poker game without cut and burn."""
    started = device("shuffler", "cycle_started", cycle=1, mode="shuffle")
    done = ended(book.setup.batch_cards)
    return (*to_shuffle(), started, done, dealer("loaded", into="shoe"))


def to_deal(book: Book) -> tuple[Line, ...]:
    """The bets of a round are closed, the start position is known; no card is dealt yet."""
    if book.profile.start_position is None:
        bets = dealer("no_more_bets", seats=(1, 2), progressive=(1,), trips=(1,))
        return (*to_bets(book), bets)
    drawn = device("rng", "drawn", number=2, draw=1)
    return (*to_bets(book), dealer("no_more_bets", seats=(1,)), device("rng", "button"), drawn)


def to_hands(book: Book) -> tuple[Line, ...]:
    """Every hand is dealt."""
    hands = 3
    size = STACK_CARDS[book.profile.id.game]
    stacks = (device("shoe", "stack", number=n, cards=size) for n in range(1, hands + 1))
    return (*to_deal(book), *stacks)


def to_play(book: Book) -> tuple[Line, ...]:
    """A shoe that deals card by card, its first round open."""
    done = dealer("done")
    started = device("shuffler", "cycle_started", cycle=1, mode="shuffle")
    restacked = (done,) if book.profile.cut.restack is not None else ()
    burn = (dealer("first_card", rank="A"),) if book.profile.third_card is not None else ()
    return (
        *to_shuffle(), started, ended(book.setup.batch_cards),
        device("shuffler", "ejected", batch="A"), done, *restacked, done, done, *burn, done,
        dealer("no_more_bets", seats=(1,)),
    )  # fmt: skip
