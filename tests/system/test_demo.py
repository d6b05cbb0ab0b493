"""The demo itself: both games in peace, and faults that end as their paragraph demands."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from controller.demo.faults import FAULTS

GAMES = ("dj-wild", "fortune-asia-poker")
# Of each way in which a fault ends one: reshuffle, void, restart; held and decided, replaced.
OFTEN = (
    ("dj-wild", ("shuffler-jam", "shoe-jam", "power-cut")),
    ("fortune-asia-poker", ("rng-stuck", "short-stack")),
)


async def played(*arguments: str) -> tuple[int, dict[str, object], str]:
    """Exit code, summary and what was said beside."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "demo", "--json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await asyncio.wait_for(process.communicate(), 110)
    return process.returncode or 0, json.loads(out or b"{}"), said.decode()


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_is_played_in_peace(game: str) -> None:
    code, summary, said = await played("--game", game, "--rounds", "1", "--seed", "5")
    assert code == 0, f"{summary} {said}"
    assert summary["as_demanded"] is True
    assert (summary["rounds"], summary["refusals"], summary["alarms"]) == (1, 0, 0)
    assert summary["checks"] == dict.fromkeys(
        (
            "play",
            "daemon",
            "journal",
            "seals",
            "replay",
            "every event once",
            "chain at the subscriber",
        ),
        "",
    )
    took = summary["frame_to_subscriber_ms"]
    assert isinstance(took, dict)
    assert 0 < took["median"] <= took["p99"]


@pytest.mark.parametrize(("game", "faults"), OFTEN)
async def test_faults_end_as_demanded(game: str, faults: tuple[str, ...]) -> None:
    await _end_as_demanded(game, *faults)


@pytest.mark.heavy
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("game", GAMES)
async def test_every_fault_of_the_menu_ends_as_demanded(game: str, fault: str) -> None:
    if game in FAULTS[fault].games:
        await _end_as_demanded(game, fault)


@pytest.mark.heavy
async def test_many_faults_come_one_a_round() -> None:
    await _end_as_demanded(
        "dj-wild", "shuffler-jam", "shoe-jam", "bad-crc", "face-up-one", "power-cut", "broker-away"
    )


async def _end_as_demanded(game: str, *faults: str) -> None:
    flags = [word for name in faults for word in ("--fault", name)]
    rounds = str(len(faults) + 1)
    code, summary, said = await played("--game", game, "--rounds", rounds, "--seed", "5", *flags)
    assert code == 0, f"{summary} {said}"
    findings = summary["faults"]
    assert isinstance(findings, list)
    assert [(one["name"], one["missing"]) for one in findings] == [(name, "") for name in faults]
