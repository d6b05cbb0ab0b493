"""The health report: figures where there are some, null where there are none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from controller import health
from controller.clock import SystemClock
from controller.health import Sources, measure
from controller.reach import Reach


async def _soon() -> None:
    await asyncio.sleep(0)


def sources(journal: Path) -> Sources:
    return Sources(
        SystemClock(), journal, lambda: asyncio.ensure_future(_soon()), lambda: {"mqtt": {"up": 1}}
    )


async def test_this_machine_has_figures(tmp_path: Path) -> None:
    given = await measure(sources(tmp_path / "journal.db"), Reach(17, 12, 9, "eye-1", True), "j")
    assert given["outbox"] == {"depth": 5, "cursor": 12, "refusing": True}
    assert given["delivery"] == {
        "journal": "j", "journaled": 17, "broker": 12, "store": 9, "store_expected": "eye-1",
        "delivered": 9,
    }  # fmt: skip
    assert given["mqtt"] == {"up": 1}
    memory = given["memory"]
    assert isinstance(memory, dict)
    assert isinstance(memory["resident_bytes"], int)
    assert memory["resident_bytes"] > 1_000_000
    json.dumps(given)


async def test_temperatures_are_thousandths_of_a_degree_and_nonsense_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, value in enumerate(["48312\n", "-3", "hot"]):
        zone = tmp_path / f"thermal_zone{number}"
        zone.mkdir()
        (zone / "temp").write_text(value)
    monkeypatch.setattr(health, "THERMAL", tmp_path)
    given = await measure(sources(tmp_path / "journal.db"), Reach(0, 0, 0, None, False), "j")
    assert given["temperatures_mc"] == [48312, -3]


async def test_a_disk_that_is_gone_is_told_as_not_writable(tmp_path: Path) -> None:
    given = await measure(
        sources(tmp_path / "gone" / "journal.db"), Reach(0, 0, 0, None, False), "j"
    )
    assert given["storage"] == {"free_bytes": 0, "writable": False}
