"""What the house declared for this table, as far as the rules read it. Pure, shape only.

The table's file is read by `config`; `replay` without one plays `DEFAULTS` of the settled points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ShufflerSetup:
    """`counts`: counts each cycle; `direct_to_shoe`: puts the stack into the shoe itself.

    `cycle_ms_min`/`cycle_ms_max`: the family's cycle time; outside of it no token is made.
    None where the house did not state it.
    """

    present: bool = True
    counts: bool = True
    stores_one_batch: bool = True
    direct_to_shoe: bool = False
    cycle_ms_min: int | None = None
    cycle_ms_max: int | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """One line of the roster."""

    id: str
    role: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Sizes in cards, times in ms. `keys` maps a key switch's id to its holder."""

    table_id: str = "replay"
    game: str = "dj-wild"
    seats: int = 6
    numbering: Literal["from_dealer_left", "from_dealer_right"] = "from_dealer_left"
    deck_cards: int = 53
    decks: int = 1
    batches: int = 1
    shuffle: str = "device"
    deal: str = "auto_shoe"
    start: str = "rng"
    rounds_after_cover: int | None = None
    idle_after_ms: int | None = None
    approved_device: str | None = None
    shuffler: ShufflerSetup = field(default_factory=ShufflerSetup)
    shoe_present: bool = True
    keys: dict[str, Person] = field(default_factory=dict)
    # Floor after 20 s, pit and surveillance after 60 s: product.md H60.
    escalate_floor_ms: int = 20_000
    escalate_pit_ms: int = 60_000
    # A23: the record goes on without a broker; a person hears of it, and is asked, after so long.
    broker_alarm_ms: int | None = None
    broker_hold_ms: int | None = None
    # A house's own patience; None never asks because of time alone.
    shuffle_timeout_ms: int | None = None
    dispense_timeout_ms: int | None = None

    @property
    def batch_cards(self) -> int:
        """Cards of one whole batch."""
        return self.deck_cards * self.decks


def default_setup(game: str, deck_cards: int, deal: str) -> Setup:
    """A game that has no default table of its own: one batch of one deck, dealt its first way."""
    return DEFAULTS.get(game) or Setup(game=game, deck_cards=deck_cards, deal=deal)


DEFAULTS: dict[str, Setup] = {
    "blackjack": Setup(
        game="blackjack", seats=7, deck_cards=52, decks=6, batches=2, deal="manual_shoe"
    ),
    "minibaccarat": Setup(
        game="minibaccarat", seats=7, deck_cards=52, decks=8, deal="manual_shoe",
        rounds_after_cover=0,
    ),
    "fortune-asia-poker": Setup(game="fortune-asia-poker"),
    "dj-wild": Setup(game="dj-wild"),
}  # fmt: skip
