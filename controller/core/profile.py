"""The shape of a game profile: groups of lawful leaves, read strictly from a document. Pure.

Every leaf is a table `{value, cite, verified, source}`; a group may leave out what its game
does not know. An unknown group, leaf or key is an error, so no number can hide.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from dataclasses import dataclass, field
from typing import Any

from controller.core.law import Lawful

Words = tuple[str, ...]


class ProfileError(ValueError):
    """A profile that cannot be used; `place` is the dotted path of the leaf."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


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
    """`decks_min_shuffler`: the least where a shuffler is used that is no approved device."""

    deck_cards: Lawful[int]
    decks_min: Lawful[int]
    decks_min_shuffler: Lawful[int] | None = None
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
    extra_card: Lawful[str] | None = None
    extra_card_hand: Lawful[str] | None = None


@dataclass(frozen=True, slots=True)
class StubCheck:
    policy: Lawful[str]
    rounds_max: Lawful[int] | None = None
    exact: Lawful[int] | None = None
    good: Lawful[str] | None = None
    bad: Lawful[str] | None = None
    exempt_if_counting: Lawful[bool] | None = None


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
    unverified one, or none, holds and asks."""

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


def profile_of(document: dict[str, Any]) -> GameProfile:
    """Read a profile document (a parsed TOML file). Raises ProfileError with the leaf's path."""
    return typing.cast("GameProfile", _group(GameProfile, document, ""))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _group(kind: type, document: Any, place: str) -> Any:
    if not isinstance(document, dict):
        raise ProfileError(place or "profile", "expected a table")
    hints = _hints(kind)
    unknown = document.keys() - hints.keys()
    if unknown:
        raise ProfileError(_under(place, min(unknown)), "unknown key")
    values: dict[str, Any] = {}
    for member in dataclasses.fields(kind):
        inside = _under(place, member.name)
        if member.name in document:
            values[member.name] = _member(hints[member.name], document[member.name], inside)
        elif (
            member.default is dataclasses.MISSING and member.default_factory is dataclasses.MISSING
        ):
            raise ProfileError(inside, "is missing")
    return kind(**values)


def _member(hint: Any, value: Any, place: str) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    origin = typing.get_origin(hint)
    if origin is Lawful:
        return _leaf(typing.get_args(hint)[0], value, place)
    if origin is dict:
        if not isinstance(value, dict):
            raise ProfileError(place, "expected a table")
        inner = typing.get_args(hint)[1]
        return {key: _member(inner, part, _under(place, key)) for key, part in value.items()}
    if dataclasses.is_dataclass(hint):
        return _group(typing.cast("type", hint), value, place)
    if not isinstance(value, hint):
        raise ProfileError(place, f"expected {hint.__name__}")
    return value


LEAF = {"value", "cite", "verified", "source"}


def _leaf(hint: Any, value: Any, place: str) -> Lawful[Any]:
    if not isinstance(value, dict) or value.keys() != LEAF:
        raise ProfileError(place, "expected {value, cite, verified, source}, each once")
    if not isinstance(value["cite"], str) or not value["cite"]:
        raise ProfileError(f"{place}.cite", "a number without a paragraph is not law")
    if not isinstance(value["verified"], bool) or not isinstance(value["source"], str):
        raise ProfileError(place, "verified is true or false, source is text")
    return Lawful(
        _value(hint, value["value"], f"{place}.value"),
        value["cite"],
        value["verified"],
        value["source"],
    )


def _value(hint: Any, value: Any, place: str) -> Any:
    if typing.get_origin(hint) is tuple:
        inner = typing.get_args(hint)[0]
        if not isinstance(value, list):
            raise ProfileError(place, "expected a list")
        return tuple(_value(inner, part, f"{place}[{i}]") for i, part in enumerate(value))
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ProfileError(place, f"expected {hint.__name__}")
    return value


def _under(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
