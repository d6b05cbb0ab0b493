"""The month is a record like any other: whole, signed, and decided again to the same bytes."""

from __future__ import annotations

from pathlib import Path

from tests.bench.month import measure


def test_a_short_month_is_judged_by_every_command(tmp_path: Path) -> None:
    costs = measure(tmp_path, 4000)
    assert "in order" in costs["verify"].said
    assert "signed by key" in costs["one-file verifier"].said
    assert "the same at the witness" in costs["verify the export"].said
    assert "byte by byte" in costs["replay"].said
