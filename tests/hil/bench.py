"""Plays cases on a rig, some at once, and counts: the body of the tests and of the command."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from controller.broker_address import BrokerAddress
from tests.hil.playing import Player
from tests.hil.rig import Rig
from tests.hil.sentences import Script
from tests.mqtt.mosquitto import Mosquitto

LOOPBACK = "127.0.0.1"


@dataclass
class Figures:
    """What was played, and how much of it; `reasons` are those of cases that a rig cannot say."""

    began_s: float = field(default_factory=time.monotonic)
    cases: int = 0
    sentences: int = 0
    alike: int = 0
    frames: int = 0
    presses: int = 0
    cuts: int = 0
    events: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        took_s = time.monotonic() - self.began_s
        asked = self.cases + self.reasons.total()
        lines = [
            f"{self.cases} cases of {asked} on the rig in {took_s:.0f} s",
            f"{self.sentences} sentences, of which {self.alike} gave what the rules alone gave",
            f"{self.frames} frames with heartbeats, {self.presses} presses, {self.cuts} power cuts",
            f"{self.events} events over MQTT, each once and none missing",
        ]
        lines += [f"  {difference}" for difference in self.differences]
        lines += [f"{count} not said: {why}" for why, count in self.reasons.most_common()]
        return "\n".join(lines)


async def play_case(script: Script, make: Callable[[], Rig], figures: Figures) -> Player:
    """One case on a rig of its own. Raises AssertionError in words."""
    rig = make()
    player = Player(rig, script)
    async with rig.wired():
        await player.play()
    events = rig.pit.events
    assert sorted(events) == list(range(1, len(events) + 1)), "an event did not come"
    figures.cases += 1
    figures.sentences += len(script.sentences)
    figures.alike += player.alike
    figures.frames += rig.frames
    figures.presses += rig.presses
    figures.cuts += rig.cuts
    figures.events += len(events)
    figures.differences += player.differences
    return player


@contextmanager
def broker_for(home: Path, seen_at: str = LOOPBACK) -> Iterator[BrokerAddress]:
    """A mosquitto for the body's duration, reached here on loopback and by a table at `seen_at`."""
    broker = Mosquitto(home, "allow_anonymous true")
    if seen_at != LOOPBACK:
        broker.lines += (f"listener {broker.port} {seen_at}",)
    with broker.running():
        yield broker.address()
