"""The program as the doctor sees it: what was found is told, but not three hundred times."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.doctor import software
from controller.identity import Identity
from controller.verification import Verification
from tests.controller.doctor.patients import a_patient, severities


async def test_a_checkout_is_read_and_compared_with_nothing(tmp_path: Path) -> None:
    found = await software.examine(a_patient(tmp_path))
    assert severities(found) == {"version": "info", "profile": "info", "files": "info"}
    assert found[1].text.startswith("fortune-asia-poker sha256:")


@pytest.mark.parametrize(("wrong", "told"), [(0, 0), (8, 8), (9, 9), (300, 9)])
async def test_what_differs_is_told_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: int, told: int
) -> None:
    identity = Identity("", "p", "b", (), compared=True)
    names = tuple(f"hal/{n}.py: changed" for n in range(wrong))
    monkeypatch.setattr(software, "verify_build", lambda: Verification(identity, 9, 9, names))
    found = await software.examine(a_patient(tmp_path))
    files = [one for one in found if one.subject == "files"]
    assert [one.severity for one in files] == (["wrong"] * told or ["ok"])
    assert all(one.mend for one in files if one.severity == "wrong")
