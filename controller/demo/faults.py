"""The faults of a demo: how each strikes, and what the record must show for it.

A demand is an event with its paragraph; the demands of a fault must appear in this order, others
may stand between. Interfaces, section 5 has the names, `spec` rules section 8 the consequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from controller.core.law import CODE

# Of the dealer's work: before a batch goes into the shuffler, before the bets are closed, before
# the first card of a round, after each stack or card, after the last card.
Moment = Literal["start", "shuffle", "bets", "deal", "stack", "last_card"]
Json = None | bool | int | str
# Signs that something went wrong at the table: a fault that must go unnoticed shows none of them.
TROUBLE: Final = (
    "irregularity.raised", "floor.decision_required", "link.lost", "link.facts_missing",
    "input.refused", "device.fault", "alarm.raised",
)  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class Fault:
    """`moment` at which it strikes, `devices` that have it (`hal.sim.faults`), what is demanded in
    each game (`""` for any other), what must not be there (`forbidden`), and the `games` in which
    it can happen."""

    moment: Moment
    devices: tuple[str, ...]
    demands: Mapping[str, tuple[Demand, ...]]
    forbidden: tuple[str, ...] = ()
    games: tuple[str, ...] = GAMES
    lasts_a_round: bool = False

    def demanded(self, game: str) -> tuple[Demand, ...]:
        """In this game."""
        return self.demands.get(game, self.demands.get("", ()))


def event(kind: str, rule: str | None = None, **members: Json) -> Demand:
    """A demand in one line."""
    return Demand(kind, rule, members)


def _asked(code: str, choice: str) -> tuple[Demand, ...]:
    """Unread text: the table holds, a floorperson decides."""
    return (
        event("irregularity.raised", code=code, outcome="hold"),
        event("floor.decision_required", code=code),
        event("floor.authorization", choice=choice),
    )


def _void(code: str, rule: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
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
            *_asked(code, "void"),
            event("wager.disposition"),
            event("round.voided", code=code),
            event("shuffle.required"),
            event("token.made"),
        ),
    }


def _reshuffled(reason: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
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
            *_asked("shuffler_failed", "reshuffle"),
            *again,
        ),
    }


def _no_token(reason: str, *first: Demand) -> dict[str, tuple[Demand, ...]]:
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


def _deck_replaced(more: int) -> dict[str, tuple[Demand, ...]]:
    return {
        game: (
            event("shuffle.failed", reason="wrong_count"),
            event("deck.count_mismatch", got=cards + more, expected=cards),
            *_asked("count_mismatch", "remove_deck"),
            event("deck.removed"),
            event("deck.changed"),
            event("token.made"),
            event("round.completed"),
        )
        for game, cards in CARDS.items()
    }


def _shoe_failed(code: str) -> dict[str, tuple[Demand, ...]]:
    return _void("shoe_failed", "687a.13(f)", event("device.fault", device="shoe", code=code))


def _end_of_shoe() -> dict[str, tuple[Demand, ...]]:
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


def _no_end_of_shoe() -> dict[str, tuple[Demand, ...]]:
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
_PLAYED: Final = {
    game: (
        event("token.made"),
        event("round.dealt" if game in STACKS else "round.no_more_bets"),
        event("round.completed"),
    )
    for game in GAMES
}
_SILENT: Final = {
    "": (
        event("link.lost", device="shoe"),
        event("floor.decision_required", code="shoe_lost"),
        event("link.restored", device="shoe"),
        event("floor.authorization"),
        event("shuffle.required"),
    )
}
_UNREAD_FACE_UP: Final = (*_asked("face_up", "void"), event("round.voided", code="face_up"))
_FACE_UP: Final = (
    event("irregularity.raised", "687a.13(a)", code="face_up", outcome="discard"),
    event("round.completed"),
)
_GENERATOR: Final = {
    "": (
        event("rng.failed"),
        event("alarm.raised"),
        event("method.changed", step="start"),
        event("startpos.determined", method="shaker"),
    )
}
_SURPLUS: Final = (*_asked("out_of_order", "void"), event("round.voided"), event("token.made"))
_OVERDRAWN: Final = {
    STUB_POKER: _SURPLUS,
    FORTUNE_ASIA: _SURPLUS,
    BLACKJACK: (*_asked("drawn_in_error", "use_next"), event("round.completed")),
    MINIBACCARAT: (
        *_asked("unauthorised_third_card", "void"),
        event("round.voided", code="unauthorised_third_card"),
        event("token.made"),
    ),
}
_STRANGER: Final = {
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
_SHUFFLER: Final = ("shuffler",)
_SHOE: Final = ("shoe",)
_BOTH: Final = ("shuffler", "shoe")


def _of_wire(*noticed: Demand, forbidden: Iterable[str] = ()) -> Fault:
    """Noticed or not, play goes on until the cards of then are shuffled again."""
    ended = event("shuffle.required")
    demands = {game: (*(noticed or played), ended) for game, played in _PLAYED.items()}
    return Fault("shuffle", _BOTH, demands, tuple(forbidden), lasts_a_round=True)


FAULTS: Final[Mapping[str, Fault]] = {
    "shuffler-jam": Fault("shuffle", _SHUFFLER, _reshuffled(
        "jam", event("device.fault", device="shuffler", code="jam"))),
    "shuffler-stop": Fault("shuffle", _SHUFFLER, _reshuffled(
        "stop", event("device.fault", device="shuffler", code="stop"))),
    "incomplete-cycle": Fault("shuffle", _SHUFFLER, _reshuffled("incomplete")),
    "short-deck": Fault("shuffle", _SHUFFLER, _deck_replaced(-1)),
    "long-deck": Fault("shuffle", _SHUFFLER, _deck_replaced(1)),
    "foreign-back": Fault("shuffle", _SHUFFLER, {"": (
        event("device.fault", device="shuffler", code="foreign_back"), event("alarm.raised"),
        event("shuffle.failed"), event("token.made"), event("round.completed"))}),
    "sort-mode": Fault("shuffle", _SHUFFLER, _no_token(
        "sort_mode", event("shuffle.failed", reason="sort_mode"))),
    "never-started": Fault("shuffle", _SHUFFLER, _no_token("no_cycle")),
    "red-lamp-says-ok": Fault("shuffle", _SHUFFLER, _no_token(
        "unknown_state", event("device.fault", code="red_lamp"))),
    "residue": Fault("shuffle", _SHUFFLER, {"": (
        event("device.fault", device="shuffler", code="residue"), event("device.out_of_service"),
        event("device.cover_confirmed"), event("device.returned"), event("token.made"),
        event("round.completed"))}),
    "shoe-jam": Fault("deal", _SHOE, _shoe_failed("jam")),
    "shoe-stop": Fault("deal", _SHOE, _shoe_failed("stop")),
    "not-all-dealt": Fault("deal", _SHOE, _shoe_failed("not_all_dealt"), games=STACKS),
    "short-stack": Fault("deal", _SHOE, _void("wrong_count", "687a.13(c)"), games=STACKS),
    "long-stack": Fault("deal", _SHOE, _void("wrong_count", "687a.13(c)"), games=STACKS),
    "overdraw": Fault("last_card", _SHOE, _OVERDRAWN),
    "draw-while-locked": Fault("bets", _SHOE, {"": (
        *_asked("early_card", "reshuffle"), event("shuffle.required"), event("token.made"),
        event("round.completed"))}),
    "cover-card-early": Fault("shuffle", _SHOE, _end_of_shoe(), games=SHOES),
    "cover-card-never": Fault("shuffle", _SHOE, _no_end_of_shoe(), games=SHOES),
    "face-up-one": Fault("deal", _SHOE, {
        STUB_POKER: _FACE_UP, "": _UNREAD_FACE_UP}),
    "face-up-two": Fault("deal", _SHOE, {
        STUB_POKER: (_FACE_UP[0], *_void("face_up", "687a.13(a)")[STUB_POKER]),
        "": _UNREAD_FACE_UP}),
    "bad-crc": _of_wire(event("link.noise")),
    "noise": _of_wire(event("link.noise")),
    "split-frames": _of_wire(forbidden=TROUBLE),
    "triple-frames": _of_wire(forbidden=TROUBLE),
    "lost-frames": Fault(
        "shuffle", _BOTH, {"": (event("shuffle.required"),)}, lasts_a_round=True),
    "sequence-wrap": Fault("start", _BOTH, _PLAYED, TROUBLE),
    "slow-clock": Fault("start", _BOTH, _PLAYED, TROUBLE),
    "silence-then-burst": Fault("deal", _SHOE, _SILENT),
    "unplug": Fault("deal", _SHOE, _SILENT),
    "counterfeit": Fault("deal", _BOTH, _STRANGER),
    "reboot-mid-round": Fault("deal", _SHOE, _shoe_failed("restarted")),
    "rng-stuck": Fault("start", (), _GENERATOR, games=(FORTUNE_ASIA,)),
    "rng-biased": Fault("start", (), _GENERATOR, games=(FORTUNE_ASIA,)),
    "segment-dead": Fault("start", (), {"": (
        event("rng.failed", test="segment"), *_GENERATOR[""][1:])}, games=(FORTUNE_ASIA,)),
    "button-bounce": Fault("start", (), _PLAYED, TROUBLE),
    "button-stuck": Fault("start", (), {"": (
        event("panel.fault", code="stuck"), event("alarm.raised", code="panel.stuck"),
        event("alarm.acknowledged"), event("round.completed"))}),
    "broker-refuses": Fault("stack", (), {"": (
        event("alarm.raised", code="broker.refused"), event("alarm.acknowledged"),
        event("shuffle.required"))}),
    "broker-away": Fault("stack", (), {"": (event("round.completed"), event("shuffle.required"))}),
    "disk-slow": Fault("stack", (), {"": (event("round.completed"), event("shuffle.required"))}, (
        "irregularity.raised", "link.lost", "link.facts_missing", "round.voided")),
    "disk-full": Fault("stack", (), {"": (
        event("alarm.raised", code="storage"), event("alarm.acknowledged"),
        event("alarm.cleared"), event("round.completed"))}),
    "power-cut": Fault("stack", (), {"": (
        event("power.restored"), event("floor.decision_required", code="power"),
        event("floor.authorization", choice="resume"), event("shuffle.required"))}),
}  # fmt: skip
# Faults of panel and generator live in the daemon's process, so they are there from its start.
OF_THE_BENCH: Final = ("rng-stuck", "rng-biased", "segment-dead", "button-bounce", "button-stuck")
# Of the disk there too, but only where they are asked for: two answers of the system are false.
OF_THE_DISK: Final = frozenset(("disk-slow", "disk-full"))
# Faults of a broker need one that is the demo's own.
OF_THE_BROKER: Final = ("broker-away", "broker-refuses")


def unmet(demands: Iterable[Demand], events: Iterable[Mapping[str, object]]) -> Demand | None:
    """The first demand that the events do not meet in order; None where all are met."""
    waiting = list(demands)
    for envelope in events:
        if waiting and waiting[0].is_met_by(envelope):
            waiting.pop(0)
    return waiting[0] if waiting else None
