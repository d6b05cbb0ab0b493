"""The board's figures from its kernel's files, present, absent and strange."""

from __future__ import annotations

import json
from pathlib import Path

from controller.clock import ClockState
from controller.health import Places, Progress, free_bytes, report

PROGRESS = Progress(12, 3, 5, True)


def test_this_machine_has_figures(tmp_path: Path) -> None:
    given = report(Places(tmp_path / "journal.db"), ClockState(True, -2), PROGRESS)
    assert given["clock"] == {"synchronised": True, "offset_ms": -2}
    assert given["journal"] == {"sequence": 12, "lag": 3}
    assert given["outbox"] == {"depth": 5, "refusing": True}
    memory = given["memory"]
    assert isinstance(memory, dict)
    assert isinstance(memory["resident_bytes"], int)
    assert memory["resident_bytes"] > 1_000_000
    assert free_bytes(tmp_path) is not None
    json.dumps(given)


def test_temperatures_are_thousandths_of_a_degree_and_nonsense_is_left_out(tmp_path: Path) -> None:
    for number, (kind, value) in enumerate([("cpu", "48312\n"), ("cpu", "-3"), ("bad", "hot")]):
        zone = tmp_path / f"thermal_zone{number}"
        zone.mkdir()
        (zone / "type").write_text(f"{kind}\n")
        (zone / "temp").write_text(value)
    given = report(Places(tmp_path, tmp_path, tmp_path), ClockState(False, None), PROGRESS)
    assert given["temperatures"] == {"cpu": 48312, "cpu-thermal_zone1": -3}
    assert given["memory"] == {"resident_bytes": None, "available_bytes": None}


def test_a_disk_that_is_gone_is_null(tmp_path: Path) -> None:
    gone = tmp_path / "a" / "b" / "journal.db"
    assert report(Places(gone), ClockState(False, None), PROGRESS)["storage"] is None
    assert free_bytes(gone) is None
