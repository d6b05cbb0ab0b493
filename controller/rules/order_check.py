"""The order check: cards that come out as they left the factory were not shuffled."""

from __future__ import annotations

import dataclasses

from controller.core.state import Shoe
from controller.core.view import Table
from controller.rules.registry import rule
from hal.facts import CardDrawn

# Ten exposed cards have nine steps. With eight decks a step hits with 8/415; four or more hits
# come by chance in 1.6 of 100,000 shoes (product.md H64).
CARDS_CHECKED = 10
HITS_ALARM = 4
ORDER = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


@rule("ORDER-CHECK", cites=("633a.5(a)", "627a.5(a)"))
def exposed(pack: Shoe, card: CardDrawn) -> Shoe:
    """Count same-suit neighbours up or down among the first cards that were exposed."""
    if card.face != "up" or card.rank is None or card.suit is None or card.rank not in ORDER:
        return pack
    if pack.exposed >= CARDS_CHECKED:
        return pack
    hit = pack.last_rank in ORDER and pack.last_suit == card.suit
    if hit:
        step = abs(ORDER.index(card.rank) - ORDER.index(str(pack.last_rank)))
        hit = step == 1
    return dataclasses.replace(
        pack, exposed=pack.exposed + 1, order_hits=pack.order_hits + int(hit),
        last_rank=card.rank, last_suit=card.suit,
    )  # fmt: skip


def looks_unshuffled(table: Table) -> bool:
    """Enough neighbours in pack order to call the floorperson before the next card."""
    return table.state.pack.order_hits >= HITS_ALARM
