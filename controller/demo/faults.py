"""The faults of a demo: when each strikes, in which games, and what the record must show for it.

The demands of a fault must appear in their order, others may stand between. Interfaces, section 5
has the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from controller.demo.demands import (
    FACE_UP,
    FORTUNE_ASIA,
    GAMES,
    GENERATOR,
    OVERDRAWN,
    PLAYED,
    SHOES,
    SILENT,
    STACKS,
    STRANGER,
    STUB_POKER,
    UNREAD_FACE_UP,
    Demand,
    asked,
    deck_replaced,
    end_of_shoe,
    event,
    no_end_of_shoe,
    no_token,
    reshuffled,
    shoe_failed,
    void,
)

# Of the dealer's work: before a batch goes into the shuffler, before the bets are closed, before
# the first card of a round, after each stack or card, after the last card.
Moment = Literal["start", "shuffle", "bets", "deal", "stack", "last_card"]
# Signs that something went wrong at the table: a fault that must go unnoticed shows none of them.
TROUBLE: Final = (
    "irregularity.raised", "floor.decision_required", "link.lost", "link.facts_missing",
    "input.refused", "device.fault", "alarm.raised",
)  # fmt: skip


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


_SHUFFLER: Final = ("shuffler",)
_SHOE: Final = ("shoe",)
_BOTH: Final = ("shuffler", "shoe")


def _of_wire(*noticed: Demand, forbidden: Iterable[str] = ()) -> Fault:
    """Noticed or not, play goes on until the cards of then are shuffled again."""
    ended = event("shuffle.required")
    demands = {game: (*(noticed or played), ended) for game, played in PLAYED.items()}
    return Fault("shuffle", _BOTH, demands, tuple(forbidden), lasts_a_round=True)


FAULTS: Final[Mapping[str, Fault]] = {
    "shuffler-jam": Fault("shuffle", _SHUFFLER, reshuffled(
        "jam", event("device.fault", device="shuffler", code="jam"))),
    "shuffler-stop": Fault("shuffle", _SHUFFLER, reshuffled(
        "stop", event("device.fault", device="shuffler", code="stop"))),
    "incomplete-cycle": Fault("shuffle", _SHUFFLER, reshuffled("incomplete")),
    "short-deck": Fault("shuffle", _SHUFFLER, deck_replaced(-1)),
    "long-deck": Fault("shuffle", _SHUFFLER, deck_replaced(1)),
    "foreign-back": Fault("shuffle", _SHUFFLER, {"": (
        event("device.fault", device="shuffler", code="foreign_back"), event("alarm.raised"),
        event("shuffle.failed"), event("token.made"), event("round.completed"))}),
    "sort-mode": Fault("shuffle", _SHUFFLER, no_token(
        "sort_mode", event("shuffle.failed", reason="sort_mode"))),
    "never-started": Fault("shuffle", _SHUFFLER, no_token("no_cycle")),
    "red-lamp-says-ok": Fault("shuffle", _SHUFFLER, no_token(
        "unknown_state", event("device.fault", code="red_lamp"))),
    "residue": Fault("shuffle", _SHUFFLER, {"": (
        event("device.fault", device="shuffler", code="residue"), event("device.out_of_service"),
        event("device.cover_confirmed"), event("device.returned"), event("token.made"),
        event("round.completed"))}),
    "shoe-jam": Fault("deal", _SHOE, shoe_failed("jam")),
    "shoe-stop": Fault("deal", _SHOE, shoe_failed("stop")),
    "not-all-dealt": Fault("deal", _SHOE, shoe_failed("not_all_dealt"), games=STACKS),
    "short-stack": Fault("deal", _SHOE, void("wrong_count", "687a.13(c)"), games=STACKS),
    "long-stack": Fault("deal", _SHOE, void("wrong_count", "687a.13(c)"), games=STACKS),
    "overdraw": Fault("last_card", _SHOE, OVERDRAWN),
    "draw-while-locked": Fault("bets", _SHOE, {"": (
        *asked("early_card", "reshuffle"), event("shuffle.required"), event("token.made"),
        event("round.completed"))}),
    "cover-card-early": Fault("shuffle", _SHOE, end_of_shoe(), games=SHOES),
    "cover-card-never": Fault("shuffle", _SHOE, no_end_of_shoe(), games=SHOES),
    "face-up-one": Fault("deal", _SHOE, {
        STUB_POKER: FACE_UP, "": UNREAD_FACE_UP}),
    "face-up-two": Fault("deal", _SHOE, {
        STUB_POKER: (FACE_UP[0], *void("face_up", "687a.13(a)")[STUB_POKER]),
        "": UNREAD_FACE_UP}),
    "bad-crc": _of_wire(event("link.noise")),
    "noise": _of_wire(event("link.noise")),
    "split-frames": _of_wire(forbidden=TROUBLE),
    "triple-frames": _of_wire(forbidden=TROUBLE),
    "lost-frames": Fault(
        "shuffle", _BOTH, {"": (event("shuffle.required"),)}, lasts_a_round=True),
    "sequence-wrap": Fault("start", _BOTH, PLAYED, TROUBLE),
    "slow-clock": Fault("start", _BOTH, PLAYED, TROUBLE),
    "silence-then-burst": Fault("deal", _SHOE, SILENT),
    "unplug": Fault("deal", _SHOE, SILENT),
    "counterfeit": Fault("deal", _BOTH, STRANGER),
    "reboot-mid-round": Fault("deal", _SHOE, shoe_failed("restarted")),
    "rng-stuck": Fault("start", (), GENERATOR, games=(FORTUNE_ASIA,)),
    "rng-biased": Fault("start", (), GENERATOR, games=(FORTUNE_ASIA,)),
    "segment-dead": Fault("start", (), {"": (
        event("rng.failed", test="segment"), *GENERATOR[""][1:])}, games=(FORTUNE_ASIA,)),
    "button-bounce": Fault("start", (), PLAYED, TROUBLE),
    "button-stuck": Fault("start", (), {"": (
        event("panel.fault", code="stuck"), event("alarm.raised", code="panel.stuck"),
        event("alarm.acknowledged"), event("round.completed"))}),
    "broker-refuses": Fault("stack", (), {"": (
        event("alarm.raised", code="broker.refused"), event("alarm.acknowledged"),
        event("shuffle.required"))}),
    "broker-away": Fault("stack", (), {"": (event("round.completed"), event("shuffle.required"))}),
    "disk-slow": Fault("stack", (), {"": (
        event("journal.trouble", code="slow"), event("alarm.raised", code="storage_slow"),
        event("alarm.acknowledged"), event("round.completed"))}, (
        "irregularity.raised", "link.lost", "link.facts_missing", "round.voided")),
    "disk-full": Fault("stack", (), {"": (
        event("alarm.raised", code="storage"),
        event("floor.decision_required", code="storage"), event("alarm.acknowledged"),
        event("alarm.cleared"), event("floor.authorization", choice="resume"),
        event("round.completed"))}),
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
