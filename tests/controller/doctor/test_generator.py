"""The generator with the real thing wrong: no device, and one that gives one octet for ever."""

from pathlib import Path

import pytest

from config.sections import Rng
from controller.doctor import generator
from tests.controller.doctor.patients import a_patient, of, with_settings


async def test_the_kernels_generator_passes(tmp_path: Path) -> None:
    patient = with_settings(a_patient(tmp_path), rng=Rng(source="kernel"))
    (found,) = await generator.examine(patient)
    assert found.severity == "ok"
    assert found.text.startswith("kernel: start-up tests passed in ")


@pytest.mark.parametrize(
    ("source", "test", "unreachable"),
    [("/none", "source", True), ("/dev/zero", "repetition", False)],
)
async def test_a_source_that_is_none_is_wrong(
    tmp_path: Path, source: str, test: str, unreachable: bool
) -> None:
    patient = with_settings(a_patient(tmp_path), rng=Rng(source=source))
    found = of(await generator.examine(patient), "source")
    assert (found.severity, found.unreachable) == ("wrong", unreachable)
    assert f"failed: {test}" in found.text


async def test_the_automatic_choice_says_what_it_took(tmp_path: Path) -> None:
    found = await generator.examine(a_patient(tmp_path))
    assert found[0].severity == "ok"
    assert len(found) == 2 - found[0].text.startswith("hwrng:")


async def test_a_game_that_draws_no_number_needs_none(tmp_path: Path) -> None:
    (found,) = await generator.examine(a_patient(tmp_path, "dj-wild"))
    assert found.severity == "info"
