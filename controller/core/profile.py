"""The shape of a game profile: groups of lawful leaves. Pure.

A group may leave out what its game does not know; `leaves` reads them strictly.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, TypeVar

from controller.core.law import Lawful
from controller.core.leaves import ProfileError, group_of
from controller.core.readings import Readings

__all__ = ["GameProfile", "ProfileError", "profile_of"]

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identification:
    """`procedure` names the table of rows in `controller.games` that this game follows."""

    chapter: str
    game: str
    title: str
    procedure: str
    edition: str


@dataclass(frozen=True, slots=True)
class Cards:
    """`decks_min_shuffler`, `batches_shuffler`: beside a shuffler that is no approved device."""

    deck_cards: Lawful[int]
    decks_min: Lawful[int]
    decks_min_shuffler: Lawful[int] | None = None
    batches_shuffler: Lawful[int] | None = None
    deck_change_hours: Lawful[int] | None = None
    deck_change_hours_hand: Lawful[int] | None = None
    alternation: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class Shuffle:
    when: Lawful[str]
    ordered: Lawful[str]
    opening: Lawful[str]
    preshuffled_waives: Lawful[bool]
    feather_check: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    required_after: Lawful[Words]
    by: Lawful[str]
    cards_min_top: Lawful[int]
    cards_min_bottom: Lawful[int]
    recut_window: Lawful[str]
    first: Lawful[str] | None = None
    recut_by: Lawful[str] | None = None
    restack: Lawful[bool] | None = None
    cover_min_part: Lawful[int] | None = None
    cover_min_cards: Lawful[int] | None = None


@dataclass(frozen=True, slots=True)
class StartPosition:
    methods: Lawful[Words]
    shakes_min: Lawful[int]
    dice: Lawful[int]
    count_direction: Lawful[str]
    numbers: Lawful[tuple[int, ...]]
    reset_shakes: Lawful[int]
    bets_closed_first: Lawful[bool]
    mark: Lawful[bool]
    redraw: Lawful[bool]


@dataclass(frozen=True, slots=True)
class Deal:
    methods: Lawful[Words]
    recipients: Lawful[str]
    stack_cards: Lawful[int]
    first: Lawful[str]
    remainder: Lawful[str]
    bets_closed_first: Lawful[bool]
    hand_requires_shuffler: Lawful[bool]
    required_wagers: Lawful[Words]
    dealer: Lawful[str] | None = None
    extra_card: Lawful[str] | None = None


@dataclass(frozen=True, slots=True)
class StubCheck:
    policy: Lawful[str]
    rounds_max: Lawful[int] | None = None
    exact: Lawful[int] | None = None
    good: Lawful[str] | None = None
    bad: Lawful[str] | None = None
    exempt_if_counting: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class DealChanges:
    """Leaves of `Deal` that another way of dealing has a section of its own for."""

    recipients: Lawful[str] | None = None
    stack_cards: Lawful[int] | None = None
    first: Lawful[str] | None = None
    dealer: Lawful[str] | None = None
    remainder: Lawful[str] | None = None
    bets_closed_first: Lawful[bool] | None = None
    required_wagers: Lawful[Words] | None = None
    extra_card: Lawful[str] | None = None


@dataclass(frozen=True, slots=True)
class StubChanges:
    """Leaves of `StubCheck`, likewise."""

    policy: Lawful[str] | None = None
    rounds_max: Lawful[int] | None = None
    good: Lawful[str] | None = None
    bad: Lawful[str] | None = None
    exempt_if_counting: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class MethodLaw:
    """What holds instead of the game's usual leaves while cards are dealt by one method."""

    deal: DealChanges = DealChanges()
    stub: StubChanges = StubChanges()
    irregularities: dict[str, Lawful[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Burn:
    """`on_load`: a number of cards, or 0 where the first card's value says how many."""

    on_load: Lawful[int]
    values: Lawful[Words] | None = None
    on_new_dealer: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class EndOfShoe:
    reached: Lawful[str]
    rounds_after: Lawful[str] | None = None


@dataclass(frozen=True, slots=True)
class ThirdCard:
    """`banker[n]`: the player's third cards on which a banker count of n draws, `-` for none."""

    natural: Lawful[int]
    player_draws_to: Lawful[int]
    banker_draws_to: Lawful[int]
    banker: Lawful[Words]


@dataclass(frozen=True, slots=True)
class Idle:
    spread: Lawful[bool]
    after: Lawful[Words]
    stored_batch: Lawful[bool] | None = None


@dataclass(frozen=True, slots=True)
class Exemption:
    """`disables`: the paragraphs that an approved continuous device switches off."""

    disables: Lawful[Words]
    must_count: Lawful[bool]


@dataclass(frozen=True, slots=True)
class Wagers:
    """`settled_when_revealed`: the wagers that stay in force when cards are seen too early."""

    names: Lawful[Words]
    settled_when_revealed: Lawful[Words]


@dataclass(frozen=True, slots=True)
class OutOfService:
    cover_or_sign: Lawful[bool]


@dataclass(frozen=True, slots=True)
class GameProfile:
    """One game as data. `irregularities` maps a code to its outcome in the ordinary words
    `discard`, `use_next`, `reshuffle`, `void`, `void_remove_deck`, `void_settle_bonuses`; an
    unverified one, or none, holds and asks. `method` maps a way of dealing that has a section
    of its own to the leaves that differ under it."""

    id: Identification
    cards: Cards
    shuffle: Shuffle
    cut: Cut
    deal: Deal
    stub: StubCheck
    idle: Idle
    wagers: Wagers
    out_of_service: OutOfService
    irregularities: dict[str, Lawful[str]] = field(default_factory=dict)
    start_position: StartPosition | None = None
    exemption: Exemption | None = None
    burn: Burn | None = None
    end_of_shoe: EndOfShoe | None = None
    third_card: ThirdCard | None = None
    method: dict[str, MethodLaw] = field(default_factory=dict)
    readings: Readings = field(default_factory=Readings)

    def dealt_by(self, method: str) -> GameProfile:
        """The profile as it reads while cards are dealt by `method`."""
        law = self.method.get(method)
        if law is None:
            return self
        return dataclasses.replace(
            self,
            deal=_changed(self.deal, law.deal),
            stub=_changed(self.stub, law.stub),
            irregularities={**self.irregularities, **law.irregularities},
        )


Group = TypeVar("Group", Deal, StubCheck)


def _changed(group: Group, changes: DealChanges | StubChanges) -> Group:
    names = [member.name for member in dataclasses.fields(changes)]
    leaves = {name: getattr(changes, name) for name in names}
    return dataclasses.replace(
        group, **{name: leaf for name, leaf in leaves.items() if leaf is not None}
    )


def profile_of(document: dict[str, Any]) -> GameProfile:
    """Read a profile document (a parsed TOML file). Raises ProfileError with the leaf's path."""
    profile = group_of(GameProfile, document)
    wrong = profile.readings.unknown_word()
    if wrong is not None:
        raise ProfileError(f"readings.{wrong[0]}.value", f"is {wrong[1]}")
    return profile
