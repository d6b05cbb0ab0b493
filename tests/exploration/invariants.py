"""What must hold of every input at a small table; each raises AssertionError with its name."""

from __future__ import annotations

from controller.core.altered import altered
from controller.core.book import Book
from controller.core.inputs import Delivered
from controller.core.levels import locks_of
from controller.core.state import Phase, TableState
from controller.core.view import Turn
from controller.core.whereabouts import EVERYWHERE, Whereabouts

OUT_OF_SERVICE = ("uncovered", "covered")


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
    """No deal under a lock, a hold or a void; a card that comes all the same is told of."""
    from_shoe = turn.arrived.source == "shoe"
    if "round.deal_progress" in types and from_shoe:
        # A shoe that had stopped and gives cards again works, and has thereby lifted its own lock.
        lifted = altered(before, shoe=turn.state.shoe)
        assert "deal" not in locks_of(book, lifted), "INVARIANT lock: dealt while locked"
    elif "round.deal_progress" in types and isinstance(turn.arrived.item, Delivered):
        assert "deal" not in locks_of(book, before), "INVARIANT lock: dealt by hand while locked"
    elif "round.deal_progress" in types:
        # A stack that waited, handed out once a person let play go on and nothing is open.
        # What the stack itself raises, a count that does not fit, is asked with it.
        open_before = {one.id for one in before.holds} & {one.id for one in turn.state.holds}
        assert not open_before, "INVARIANT lock: handed out under a hold"
        assert turn.state.void is None, "INVARIANT lock: handed out in a void"
    if turn.state.round.cards > before.round.cards and "deal" in locks_of(book, before):
        assert "irregularity.raised" in types, "INVARIANT lock: a card left under a lock, untold"
    if "round.no_more_bets" in types:
        assert "bets" not in locks_of(book, before), "INVARIANT lock: bets closed while locked"


def void_never_completes(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A round on its way to be void ends void, unless the report of its cause is withdrawn."""
    assert not ("round.completed" in types and before.void is not None), "INVARIANT void"
    assert not {"round.completed", "round.voided"} <= set(types), "INVARIANT void: both"
    if before.void is not None and turn.state.void is None:
        ended = {"round.voided", "irregularity.withdrawn"} & set(types)
        assert ended, "INVARIANT void: it went away by itself"
    if before.in_round and not turn.state.in_round:
        assert {"round.completed", "round.voided"} & set(types), "INVARIANT void: no end of a round"


def wagers_are_disposed_of(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """The wagers of a voided round are all returned or settled, each once."""
    if "round.voided" not in types:
        return
    assert "wager.disposition" in types, "INVARIANT wagers: none disposed of"
    data = next(event.data for event in turn.events if event.type == "wager.disposition")
    names = [*data["returned"], *data["settled"]]
    placed = {"trips": bool(before.round.trips), "progressive": bool(before.round.progressive),
              "raise": before.round.raises_closed}  # fmt: skip
    due = {name for name in book.profile.wagers.names.value if placed.get(name, True)}
    assert len(names) == len(set(names)), "INVARIANT wagers: one is disposed of twice"
    assert due == set(names), f"INVARIANT wagers: {due ^ set(names)} not disposed of or not placed"


def no_device_out_of_service(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A device that is out of service is not used."""
    made = any(
        event.type == "token.made" and event.data["method"] == "device" for event in turn.events
    )
    assert not (made and before.shuffler.health in OUT_OF_SERVICE), "INVARIANT service: shuffler"
    shoe_out = before.methods.deal == "auto_shoe" and before.shoe.health in OUT_OF_SERVICE
    assert not (shoe_out and "round.no_more_bets" in types), "INVARIANT service: bets at the shoe"
    assert not (shoe_out and "round.deal_progress" in types), "INVARIANT service: dealt by the shoe"
    number = any(
        event.type == "startpos.determined" and event.data["method"] == "rng"
        for event in turn.events
    )
    if number and not before.rng.in_service:
        assert turn.state.holds, "INVARIANT service: a number of a failed generator, unasked"


def one_number_a_round(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """At most one number a round, and it stays the round's number."""
    if "startpos.determined" in types:
        assert before.round.start is None, "INVARIANT number: a second one"
        assert types.count("startpos.determined") == 1, "INVARIANT number: two at once"
    law = book.profile.start_position
    lost = before.round.start is not None and turn.state.round.start is None and before.in_round
    if lost and turn.state.in_round:
        assert law is not None, "INVARIANT number: without its law"
        assert law.redraw.value, "INVARIANT number: given back for another one"


def refused_moves_nothing(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """A refused input moves nothing, and a device's word is never refused."""
    if turn.refusal is not None:
        same = altered(turn.state, last_mono_ms=before.last_mono_ms) == before
        assert same, "INVARIANT refusal: a refused input moved something"
        assert turn.arrived.source not in ("shuffler", "shoe"), "INVARIANT refusal: of a fact"


def no_card_comes_or_goes(book: Book, before: TableState, turn: Turn, types: list[str]) -> None:
    """Every card of every batch is somewhere, once."""
    for batch in turn.state.batches:
        if batch.cards is not _cards(before, batch.name):
            assert batch.cards.total == book.setup.batch_cards, "INVARIANT cards: too many or few"
            least = min(batch.cards.at(place) for place in EVERYWHERE)
            assert least >= 0, "INVARIANT cards: fewer than none"


def _cards(state: TableState, name: str) -> Whereabouts:
    return next(one.cards for one in state.batches if one.name == name)


INVARIANTS = (
    no_card_comes_or_goes,
    no_card_without_token, no_deal_under_lock, void_never_completes, wagers_are_disposed_of,
    no_device_out_of_service, one_number_a_round, refused_moves_nothing,
)  # fmt: skip


def at_rest(book: Book, state: TableState) -> bool:
    """Nothing waits for a decision, and bets can be closed or the table is."""
    if state.holds or state.void is not None:
        return False
    bets_open = state.phase is Phase.BETS and "bets" not in locks_of(book, state)
    return bets_open or state.phase is Phase.CLOSED
