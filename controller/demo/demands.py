"""What the record of a demo must show: events with their paragraphs, in order, by the game.

Where a paragraph was read it decides; where not, the table holds and a floorperson does. `spec`
rules section 8 has the consequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controller.core.law import CODE

Json = None | bool | int | str
STUB_POKER: Final = "dj-wild"
FORTUNE_ASIA: Final = "fortune-asia-poker"
BLACKJACK: Final = "blackjack"
MINIBACCARAT: Final = "minibaccarat"
# Cards come in stacks, or one by one from a shoe with a cover card.
STACKS: Final = (STUB_POKER, FORTUNE_ASIA)
SHOES: Final = (BLACKJACK, MINIBACCARAT)
GAMES: Final = (*STACKS, *SHOES)
CARDS: Final = {STUB_POKER: 53, FORTUNE_ASIA: 53, BLACKJACK: 312, MINIBACCARAT: 416}


@dataclass(frozen=True, slots=True)
class Demand:
    """An event that must be there: its type, its paragraph where one decides, some members."""

    kind: str
    rule: str | None = None
    members: Mapping[str, Json] = field(default_factory=dict)

    def is_met_by(self, envelope: Mapping[str, object]) -> bool:
        """Whether this event is the one."""
        data = envelope.get("data")
        if envelope.get("type") != self.kind or not isinstance(data, dict):
            return False
        if self.rule is not None and envelope.get("rule") != CODE + self.rule:
            return False
        return all(data.get(name) == value for name, value in self.members.items())

    def __str__(self) -> str:
        return f"{self.kind} {self.rule}" if self.rule else self.kind


def event(kind: str, rule: str | None = None, **members: Json) -> Demand:
    """A demand in one line."""
    return Demand(kind, rule, members)


def asked(code: str, choice: str) -> tuple[Demand, ...]:
    """Unread text: the table holds, a floorperson decides."""
    return (
        event("irregularity.raised", code=code, outcome="hold"),
        event("floor.decision_required", code=code),
        event("floor.authorization", choice=choice),
    )


def void(code: str, rule: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
    """A verified paragraph voids; where its text is unread the floorperson does."""
    return {
        STUB_POKER: (
            *first,
            event("irregularity.raised", rule, code=code, outcome="void"),
            event("wager.disposition", rule),
            event("round.voided", rule, code=code),
            event("shuffle.required", rule),
            event("token.made"),
        ),
        "": (
            *first,
            *asked(code, "void"),
            event("wager.disposition"),
            event("round.voided", code=code),
            event("shuffle.required"),
            event("token.made"),
        ),
    }


def reshuffled(reason: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
    rule = "687a.13(e)"
    again = (event("shuffle.completed"), event("token.made"), event("round.completed"))
    return {
        STUB_POKER: (
            *first,
            event("shuffle.failed", rule, reason=reason),
            event("irregularity.raised", rule, code="shuffler_failed", outcome="reshuffle"),
            event("shuffle.required", rule),
            *again,
        ),
        "": (
            *first,
            event("shuffle.failed", reason=reason),
            *asked("shuffler_failed", "reshuffle"),
            *again,
        ),
    }


def no_token(reason: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
    return {
        "": (
            *first,
            event("token.refused", reason=reason),
            event("alarm.raised"),
            event("shuffle.required"),
            event("alarm.acknowledged"),
            event("token.made"),
            event("round.completed"),
        )
    }


def deck_replaced(more: int) -> dict[str, tuple[Demand, ...]]:
    return {
        game: (
            event("shuffle.failed", reason="wrong_count"),
            event("deck.count_mismatch", got=cards + more, expected=cards),
            *asked("count_mismatch", "remove_deck"),
            event("deck.removed"),
            event("deck.changed"),
            event("token.made"),
            event("round.completed"),
        )
        for game, cards in CARDS.items()
    }


def shoe_failed(code: str) -> dict[str, tuple[Demand, ...]]:
    return void("shoe_failed", "687a.13(f)", event("device.fault", device="shoe", code=code))


def end_of_shoe() -> dict[str, tuple[Demand, ...]]:
    """Whenever the cover card comes: the last round is said, and the shoe is shuffled after it."""
    return {
        game: (
            event("shoe.loaded"),
            event("shoe.cover_card_out", rule),
            event("round.last_of_shoe", rule),
            event("round.completed"),
            event("shuffle.required", rule, reason="cover_card"),
            event("token.made"),
        )
        for game, rule in ((BLACKJACK, "633a.5(f)"), (MINIBACCARAT, "627a.5(a)"))
    }


def no_end_of_shoe() -> dict[str, tuple[Demand, ...]]:
    """The dealer misses the cover card and calls; a floorperson may end a shoe after any round."""
    return {
        game: (
            event("shoe.loaded"),
            event("floor.called"),
            event("alarm.acknowledged"),
            event("round.completed"),
            event("shuffle.required", rule, reason="floor"),
            event("token.made"),
        )
        for game, rule in ((BLACKJACK, "633a.5(f)"), (MINIBACCARAT, "627a.5(a)"))
    }


# A shoe game's round has no moment at which all cards are out before it is settled.
PLAYED: Final = {
    game: (
        event("token.made"),
        event("round.dealt" if game in STACKS else "round.no_more_bets"),
        event("round.completed"),
    )
    for game in GAMES
}
SILENT: Final = {
    "": (
        event("link.lost", device="shoe"),
        event("floor.decision_required", code="shoe_lost"),
        event("link.restored", device="shoe"),
        event("floor.authorization"),
        event("shuffle.required"),
    )
}
UNREAD_FACE_UP: Final = (*asked("face_up", "void"), event("round.voided", code="face_up"))
FACE_UP: Final = (
    event("irregularity.raised", "687a.13(a)", code="face_up", outcome="discard"),
    event("round.completed"),
)
GENERATOR: Final = {
    "": (
        event("rng.failed"),
        event("alarm.raised"),
        event("method.changed", step="start"),
        event("startpos.determined", method="shaker"),
    )
}
_SURPLUS: Final = (*asked("out_of_order", "void"), event("round.voided"), event("token.made"))
OVERDRAWN: Final = {
    STUB_POKER: _SURPLUS,
    FORTUNE_ASIA: _SURPLUS,
    BLACKJACK: (*asked("drawn_in_error", "use_next"), event("round.completed")),
    MINIBACCARAT: (
        *asked("unauthorised_third_card", "void"),
        event("round.voided", code="unauthorised_third_card"),
        event("token.made"),
    ),
}
STRANGER: Final = {
    "": (
        event("device.changed", code="identity"),
        event("alarm.raised"),
        event("floor.decision_required", code="identity_changed"),
        event("link.restored"),
        event("floor.authorization", choice="return_to_service"),
        event("device.returned"),
        event("shuffle.required"),
    )
}


def unmet(demands: Iterable[Demand], events: Iterable[Mapping[str, object]]) -> Demand | None:
    """The first demand that the events do not meet in order; None where all are met."""
    waiting = list(demands)
    for envelope in events:
        if waiting and waiting[0].is_met_by(envelope):
            waiting.pop(0)
    return waiting[0] if waiting else None
