"""A table's file once it was read without a mistake, and what the rules read of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from config.profiles import usual_setup
from config.sections import (
    Alarms,
    Bench,
    Game,
    Journal,
    Mqtt,
    Panel,
    Rng,
    Roster,
    Shoe,
    Shuffler,
    Table,
    Time,
)
from controller.core.setup import Person, Setup, ShufflerSetup
from hal.protocols.lines import LineTalk

T = TypeVar("T")

MS_PER_S = 1000
# The rules read these; the daemon needs the others as well.
SECTIONS_OF_RULES = ("table", "game")
SECTIONS_OF_DAEMON = ("table", "game", "mqtt", "journal", "roster")


@dataclass(frozen=True, slots=True)
class Settings:
    """A table's file that was read without a mistake. An absent device or panel is None."""

    table: Table
    game: Game
    shuffler: Shuffler | None
    shoe: Shoe | None
    panel: Panel | None
    rng: Rng
    mqtt: Mqtt | None
    journal: Journal | None
    roster: Roster
    alarms: Alarms
    time: Time
    bench: Bench | None = None
    # How a device of the driver "lines" talks, by shuffler and shoe; read from its driver file.
    lines: Mapping[str, LineTalk] = field(default_factory=dict)

    def roles(self) -> dict[str, str]:
        """Principal -> role."""
        return {name: entry.role for name, entry in self.roster.items()}

    def setup(self) -> Setup:
        """What the rules read of this file; seconds become milliseconds."""
        own = usual_setup(self.game.name)
        game = self.game
        return Setup(
            table_id=self.table.id,
            game=game.name,
            seats=self.table.seats,
            numbering=self.table.numbering,
            deck_cards=_or(game.deck_cards, own.deck_cards),
            decks=_or(game.decks, own.decks),
            batches=_or(game.batches, own.batches),
            shuffle="manual" if self.shuffler is None else "device",
            deal=_or(game.deal, own.deal),
            start=_or(game.start, own.start),
            rounds_after_cover=game.rounds_after_cover,
            idle_after_ms=_ms(game.idle_after_s),
            approved_device=game.approved_device,
            shuffler=_shuffler_setup(self.shuffler),
            shoe_present=self.shoe is not None,
            keys={
                entry.key: Person(name, entry.role)
                for name, entry in self.roster.items()
                if entry.key is not None
            },
            escalate_floor_ms=self.alarms.escalate_floor_s * MS_PER_S,
            escalate_pit_ms=self.alarms.escalate_pit_s * MS_PER_S,
            broker_alarm_ms=_ms(self.alarms.broker_away_s),
            broker_hold_ms=_ms(self.alarms.broker_hold_s),
            shuffle_timeout_ms=_or(_ms(game.shuffle_timeout_s), own.shuffle_timeout_ms),
            dispense_timeout_ms=_or(_ms(game.dispense_timeout_s), own.dispense_timeout_ms),
        )


def _shuffler_setup(shuffler: Shuffler | None) -> ShufflerSetup:
    if shuffler is None:
        return ShufflerSetup(present=False, counts=False, stores_one_batch=False)
    return ShufflerSetup(
        present=True,
        counts=shuffler.counts,
        stores_one_batch=shuffler.stores_one_batch,
        direct_to_shoe=shuffler.direct_to_shoe,
        cycle_ms_min=_ms(shuffler.cycle_s_min),
        cycle_ms_max=_ms(shuffler.cycle_s_max),
    )


def _or(value: T | None, own: T) -> T:
    return own if value is None else value


def _ms(seconds: int | None) -> int | None:
    return None if seconds is None else seconds * MS_PER_S
