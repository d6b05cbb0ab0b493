"""The demo itself: each game in peace, and faults that end as their paragraph demands."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from controller.demo.demands import GAMES, SHOES
from controller.demo.faults import FAULTS
from controller.journal.source import open_source

# Of each way in which a fault ends one: void, restart; replaced, held and decided, missed.
OFTEN = (
    ("dj-wild", ("shoe-jam", "power-cut")),
    ("fortune-asia-poker", ("rng-stuck",)),
    ("blackjack", ("cover-card-never",)),
    ("minibaccarat", ("overdraw",)),
)
# Two rounds use up what lies above the cover card; Minibaccarat plays one more from that shoe.
SHORT_SHOE = ("--shoe-cards", "17")
ROUNDS = {"minibaccarat": 5}


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
async def test_a_game_is_played_in_peace(game: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    rounds = ROUNDS.get(game, 3)
    flags = ("--rounds", str(rounds), "--seed", "5", *SHORT_SHOE, "--keep", str(kept))
    code, summary, said = await played("--game", game, *flags)
    assert code == 0, f"{summary} {said}"
    assert summary["as_demanded"] is True
    assert (summary["rounds"], summary["refusals"], summary["alarms"]) == (rounds, 0, 0)
    if game in SHOES:
        _sees_the_end_of_a_shoe(game, kept / "journal.sqlite")
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


def _sees_the_end_of_a_shoe(game: str, journal: Path) -> None:
    with open_source(journal) as source:
        events = [json.loads(body) for turn in source.turns() for body in turn.events]
    kinds = [one["type"] for one in events]
    order = ("burn.completed", "shoe.cover_card_out", "round.last_of_shoe", "shoe.loaded")
    place = -1
    for kind in order:
        place = kinds.index(kind, place + 1)
    loaded = [one["data"]["batch"] for one in events if one["type"] == "shoe.loaded"]
    assert loaded[:2] == (["A", "B"] if game == "blackjack" else ["A", "A"])


@pytest.mark.parametrize(("game", "faults"), OFTEN)
async def test_faults_end_as_demanded(game: str, faults: tuple[str, ...]) -> None:
    await _end_as_demanded(game, *faults)


@pytest.mark.heavy
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("game", GAMES)
async def test_every_fault_of_the_menu_ends_as_demanded(game: str, fault: str) -> None:
    if game in FAULTS[fault].games:
        await _end_as_demanded(game, fault)
        return
    code, _, said = await played("--game", game, "--fault", fault)
    assert (code, f"cannot happen in {game}" in said) == (2, True)


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
