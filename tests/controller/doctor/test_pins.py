"""Pins with the real thing wrong: no board, a digit that does not follow, a lamp nobody sees."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from config.sections import Lamps, Shuffler
from controller.doctor import pins
from controller.doctor.patient import Process
from hal.segments import SEGMENTS
from tests.controller.doctor.patients import a_patient, of, severities, with_settings

LGPIO = ('factory = "mock"', 'factory = "lgpio"')


async def test_every_line_of_a_bench_can_be_had(tmp_path: Path) -> None:
    found = await pins.examine(a_patient(tmp_path))
    assert [one.severity for one in found] == ["ok", "ok", "info", "info"]
    assert of(found, "wiring").text == "nobody was asked what lights"


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine is a board")
async def test_a_machine_without_lines_is_no_board(tmp_path: Path) -> None:
    bench = [(word, f"# {word}") for word in ("[bench]", "hand =", "faults =")]
    patient = a_patient(tmp_path, changes=[LGPIO, *bench])
    found = await pins.examine(patient)
    assert [(one.severity, one.unreachable) for one in found] == [("wrong", True)]
    assert "lgpio" in found[0].text
    assert found[0].mend


async def test_a_digit_whose_segments_do_not_follow_is_wrong(tmp_path: Path) -> None:
    """Sense lines that nobody drives."""
    patient = a_patient(tmp_path)
    panel = patient.settings.panel
    assert panel is not None
    wired = {name: line for name, line in panel.pins.items() if name.startswith("segment_")}
    # Lines 2 and 3 have a pull of their own on every board.
    free = [line for line in range(4, 28) if line not in wired.values()]
    wired |= {f"sense_{name}": line for name, line in zip(SEGMENTS, free, strict=False)}
    patient = with_settings(patient, panel=dataclasses.replace(panel, pins=wired))
    found = await pins.examine(patient)
    assert of(found, "digit").severity == "wrong"
    assert ", ".join(SEGMENTS) in of(found, "digit").text


async def test_a_person_is_asked_for_each_lamp_and_each_segment_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(question: str) -> bool:
        asked.append(question)
        return "green" not in question and "middle" not in question

    found = await pins.examine(a_patient(tmp_path, ask=ask))
    wrong = {one.subject for one in found if one.severity == "wrong"}
    assert wrong == {"green", "segment_g"}
    assert len([one for one in asked if "segment of the digit" in one]) == len(SEGMENTS)
    assert len([one for one in asked if "lamp lights" in one]) == 3
    assert all("[panel.pins]" in one.mend for one in found if one.severity == "wrong")
    assert "open now: " in of(found, "switches").text


async def test_a_person_who_went_away_is_asked_no_more(tmp_path: Path) -> None:
    asked: list[str] = []
    found = await pins.examine(a_patient(tmp_path, ask=asked.append))
    assert len(asked) == 1
    assert of(found, "wiring").text == "nobody answered from red on"


@pytest.mark.parametrize(("failing", "severity"), [(["a"], "wrong"), ([], "info")])
async def test_a_running_tables_lines_are_left_alone(
    tmp_path: Path, failing: list[str], severity: str
) -> None:
    patient = dataclasses.replace(
        a_patient(tmp_path), daemon=Process(1, "tablectl"),
        health={"devices": {"panel": {"failing_segments": failing}}},
    )  # fmt: skip
    (found,) = await pins.examine(patient)
    assert found.severity == severity


async def test_a_table_without_a_panel_has_none_to_look_at(tmp_path: Path) -> None:
    found = await pins.examine(with_settings(a_patient(tmp_path), panel=None))
    assert severities(found) == {"panel": "info"}


@pytest.mark.parametrize(("factory", "severity"), [("mock", "ok"), ("lgpio", "wrong")])
async def test_a_shufflers_light_sensors_are_claimed_too(
    tmp_path: Path, factory: str, severity: str
) -> None:
    if factory == "lgpio" and Path("/dev/gpiochip0").exists():
        pytest.skip("this machine is a board")
    patient = a_patient(tmp_path)
    lamps = Lamps(green=2, red=3, factory="lgpio" if factory == "lgpio" else "mock")
    shuffler = Shuffler(driver="lamp", lamps=lamps)
    patient = with_settings(patient, shuffler=shuffler, panel=None)
    assert of(await pins.examine(patient), "lamps").severity == severity
