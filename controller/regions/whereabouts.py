"""Cards that move: every input that takes cards from one place to another says so here. Pure."""

from __future__ import annotations

from controller.core.state import Batch, Phase
from controller.core.view import Table
from controller.core.whereabouts import (
    AT_THE_TABLE,
    DEALT_UNSEEN,
    EVERYWHERE,
    IN_SIGHT,
    Place,
    Whereabouts,
)

# Where a card that is found inside of the shuffler was thought to be, the likeliest first.
LEFT_BEHIND: tuple[Place, ...] = ("unknown", *(one for one in IN_SIGHT if one != "unknown"))


def batch_in_play(table: Table) -> Batch | None:
    """The batch that lies in shoe or hand."""
    load = table.state.load
    return None if load is None else table.batch(load.batch)


def put_cards(table: Table, name: str, cards: Whereabouts) -> None:
    """Write down where the cards of a batch are now."""
    batch = table.batch(name)
    if batch is not None and batch.cards != cards:
        table.change_batch(name, cards=cards)


def gather(table: Table, name: str, to: Place, sources: tuple[Place, ...] = IN_SIGHT) -> None:
    """All cards of a batch that lie at these places are one heap now."""
    batch = table.batch(name)
    if batch is not None:
        put_cards(table, name, batch.cards.moved(sources, to))


def take_from_shuffler(table: Table, name: str, to: Place) -> None:
    """A hand took all cards of the batch, those inside of the shuffler too."""
    gather(table, name, to, AT_THE_TABLE)


def declare_decks(table: Table) -> None:
    """A closed table's file may have been changed: its batches are of so many cards from now on."""
    for batch in table.state.batches:
        if batch.cards.total != table.setup.batch_cards:
            put_cards(table, batch.name, Whereabouts(table=table.setup.batch_cards))
            if batch.where == "removed":
                renew(table, batch.name, "removed")


def lie_open(table: Table) -> None:
    """Every deck outside of the shuffler lies on the table, to be looked at or spread."""
    for batch in table.state.batches:
        if batch.where not in ("shuffler", "removed"):
            gather(table, batch.name, "table")


def renew(table: Table, name: str, to: Place) -> None:
    """The whole batch left the table, or a whole new one came to it."""
    gather(table, name, to, EVERYWHERE)


def take_down(table: Table, name: str, place: Place, cards: int) -> bool:
    """Someone counted a place; returns whether so many can be there. What lacks is unknown."""
    batch = table.batch(name)
    assert batch is not None, "only cards of this table's batches are counted"
    put_cards(table, name, batch.cards.counted(place, cards))
    return batch.cards.can_hold(place, cards)


def leave_in_shuffler(table: Table, name: str, cards: int) -> None:
    """Cards of a batch that came out are inside still: those that lack somewhere, if any do."""
    batch = table.batch(name)
    if batch is not None and batch.where != "shuffler":
        put_cards(table, name, batch.cards.moved(LEFT_BEHIND, "shuffler", cards))


def chamber_is_empty(table: Table) -> None:
    """What was left in the shuffler lies on the table; a batch that is in it was not left."""
    for batch in table.state.batches:
        if batch.where != "shuffler":
            gather(table, batch.name, "table", ("shuffler",))


def move(table: Table, sources: tuple[Place, ...], to: Place, cards: int | None = None) -> int:
    """Cards of the batch in play move; returns how many more were said than can have been there."""
    batch = batch_in_play(table)
    if batch is None:
        return 0
    put_cards(table, batch.name, batch.cards.moved(sources, to, cards))
    return 0 if cards is None else batch.cards.lacking(sources, cards)


def burn_is_stated(table: Table, cards: int) -> None:
    """A person says how many cards went to the rack unplayed; a shoe that counted may differ."""
    seen = table.state.pack.burned
    if seen == 0:
        move(table, ("shoe",), "burned", cards)
    elif cards < seen:
        move(table, ("burned",), "unknown", seen - cards)
    else:
        move(table, ("shoe",), "unknown", cards - seen)


def hands_to_rack(table: Table) -> None:
    """A round is settled, its cards go to the rack; a shoe that told of none counts none."""
    if table.state.round.cards == 0:
        lose_sight_of_deal(table)
    move(table, ("hands", "layout"), "rack")


def rest_is_stub(table: Table, cards: int | None = None) -> None:
    """Every hand is dealt: what is left came out of the shoe, or lies in the hand, as the stub."""
    move(table, ("shoe",), "stub")
    batch = batch_in_play(table)
    if batch is not None and cards is not None:
        take_down(table, batch.name, "stub", cards)


def stub_to_rack(table: Table) -> None:
    """The stub goes to the rack unexposed."""
    move(table, ("stub",), "rack")


def stub_is_counted(table: Table, cards: int) -> None:
    """The stub was counted by hand, out of the rack where it lay there; whole, it goes back."""
    discarded, batch = table.state.round.discarded, batch_in_play(table)
    if batch is None:
        return
    if batch.cards.rack > discarded:
        move(table, ("rack",), "stub", batch.cards.rack - discarded)
    take_down(table, batch.name, "stub", cards)


def deck_is_counted(table: Table, cards: int) -> None:
    """All cards of the deck in play were gathered and counted."""
    batch = batch_in_play(table)
    if batch is not None:
        gather(table, batch.name, "table")
        take_down(table, batch.name, "table", cards)


def discard(table: Table) -> None:
    """One card goes to the discard rack unused: out of the shoe, or dealt one by one already."""
    by_card = table.state.phase is Phase.PLAY
    move(table, ("hands", "shoe") if by_card else ("layout", "shoe", "stub"), "rack", 1)


def lose_sight_of_deal(table: Table) -> None:
    """The shoe was not heard: how its cards divide is unknown until they are counted."""
    move(table, DEALT_UNSEEN, "unknown")


def lose_sight_of_shuffler(table: Table) -> None:
    """The shuffler was not heard: whether the cards are still in it is unknown."""
    for batch in table.state.batches:
        gather(table, batch.name, "unknown", ("shuffler",))


def lose_sight_of_batch(table: Table, name: str) -> None:
    """Two places claim the same cards, or cards came from where none should lie."""
    gather(table, name, "unknown", AT_THE_TABLE)
