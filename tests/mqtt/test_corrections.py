"""A few corrections are told one by one, a flood of them together, once a minute."""

from __future__ import annotations

import pytest

from controller import corrections
from controller.corrections import BURST_CORRECTIONS_MAX, SEVERAL, Cause, Corrections
from tests.mqtt.mosquitto import until

Told = list[tuple[str, Cause, int]]


def collected() -> tuple[Corrections, Told]:
    told: Told = []
    return Corrections(lambda topic, cause, times: told.append((topic, cause, times))), told


async def test_one_is_told_at_once() -> None:
    one, told = collected()
    one.count("status", "forged")
    one.count("alarms/A9", "left_over")
    assert told == [("status", "forged", 1), ("alarms/A9", "left_over", 1)]
    assert one.status() == {"forged": 1, "stale": 0, "left_over": 1}


async def test_a_flood_is_one_line_a_minute_for_each_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "TELL_S", 0.05)
    one, told = collected()
    for number in range(BURST_CORRECTIONS_MAX + 1_000):
        one.count(f"alarms/Z{number}", "forged")
    one.count("status", "stale")
    one.count("status", "stale")
    assert len(told) == BURST_CORRECTIONS_MAX
    await until(lambda: len(told) > BURST_CORRECTIONS_MAX)
    assert told[BURST_CORRECTIONS_MAX:] == [(SEVERAL, "forged", 1_000), ("status", "stale", 2)]
    # The burst is used up: what follows waits for the next minute, too.
    one.count("status", "forged")
    assert len(told) == BURST_CORRECTIONS_MAX + 2
    await until(lambda: told[-1] == ("status", "forged", 1))


async def test_a_strangers_topic_is_cut_and_cannot_steer_a_terminal() -> None:
    one, told = collected()
    one.count("alarms/\x1b[2J" + "x" * 99, "forged")
    assert told == [(("alarms/?[2J" + "x" * 99)[:64], "forged", 1)]
