"""A changed file is taken up whole and between rounds, or not at all."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from config.loader import ConfigError, UnreadableConfig, load
from config.profiles import profile_document, usual_setup
from config.settings import Settings
from controller.core.profile import profile_of
from controller.core.state import Cycle, Phase, Round, TableState
from controller.core.stops import Hold
from controller.core.table import new_state
from controller.games import book_of
from controller.reload import Reload, changed, judged, may_change

EXAMPLES = Path(__file__).parents[2] / "config" / "examples"
EXAMPLE = EXAMPLES / "fortune-asia-poker.toml"
SECONDS_MAX = 20.0
GAME = "fortune-asia-poker"
BOOK = book_of(usual_setup(GAME), profile_of(profile_document(GAME)[0]))


def state_in(phase: Phase, **members: object) -> TableState:
    return dataclasses.replace(new_state(BOOK), phase=phase, **members)  # type: ignore[arg-type]


def edited(folder: Path, *pairs: tuple[str, str]) -> Path:
    text = EXAMPLE.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    file = folder / "t.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("old", "new", "sections"),
    [
        ("chen = {", "chan = {", ("roster",)),
        ("from_dealer_left", "from_dealer_right", ("table",)),
        ('source = "auto"', 'source = "kernel"', ("rng",)),
        ('id = "t-7"', 'id = "t-8"', ("table.id", "table")),
        ("seal.key", "other.key", ("journal.key", "journal")),
    ],
)
def test_what_differs_is_named(
    old: str, new: str, sections: tuple[str, ...], tmp_path: Path
) -> None:
    assert changed(load(EXAMPLE), load(edited(tmp_path, (old, new)))) == sections


def test_nothing_differs_in_the_same_file() -> None:
    assert changed(load(EXAMPLE), load(EXAMPLE)) == ()


@pytest.mark.parametrize("phase", Phase)
def test_people_change_only_where_no_card_is_on_its_way(phase: Phase) -> None:
    quiet = phase in (Phase.CLOSED, Phase.BETS, Phase.IDLE)
    assert may_change(state_in(phase), ("roster",)) is quiet
    assert may_change(state_in(phase), ("roster", "shoe")) is (phase is Phase.CLOSED)


@pytest.mark.parametrize(
    "member",
    [
        {"round": Round(open=True)},
        {"holds": (Hold("h1", "power", "why", ("resume",), 0),)},
        {"cycle": Cycle(running=True)},
    ],
)
def test_nothing_changes_in_a_round_under_a_hold_or_during_a_cycle(
    member: dict[str, object],
) -> None:
    assert not may_change(state_in(Phase.BETS, **member), ("roster",))


async def test_another_process_judges_as_the_loader_does(tmp_path: Path) -> None:
    assert await judged(EXAMPLE) == load(EXAMPLE)
    with pytest.raises(ConfigError, match=r"t.toml:\d+:\d+: \[table\] seats must be at most 16"):
        await judged(edited(tmp_path, ("seats = 6", "seats = 60")))
    with pytest.raises(UnreadableConfig, match="No such file"):
        await judged(tmp_path / "none.toml")


class Table:
    """A daemon's share: the phase it is in, and its wish for another file."""

    def __init__(self, file: Path) -> None:
        self.phase = Phase.DEAL
        self.reload = Reload(file, load(EXAMPLE), self.judge)
        self.judged = 0
        self.task = asyncio.create_task(self.reload.run(lambda: state_in(self.phase)))

    async def judge(self, file: Path) -> Settings:
        self.judged += 1
        return load(file)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            while not holds():
                await asyncio.sleep(0.01)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    one = Table(edited(tmp_path, ("chen = {", "chan = {")))
    yield one
    one.task.cancel()


async def test_a_good_file_waits_for_the_end_of_the_round(table: Table) -> None:
    table.reload.ask()
    await table.until(lambda: table.reload.status() == {"waiting": ["roster"], "refused": None})
    assert not table.reload.settled.is_set()
    table.phase = Phase.BETS
    await table.until(table.reload.settled.is_set)
    assert table.reload.next is not None
    assert "chan" in table.reload.next.roster


async def test_a_file_that_is_asked_for_again_while_it_waits_is_read_anew(
    table: Table, tmp_path: Path
) -> None:
    table.reload.ask()
    await table.until(lambda: table.reload.status()["waiting"] == ["roster"])
    edited(tmp_path, ('source = "auto"', 'source = "kernel"'))
    table.reload.ask()
    await table.until(lambda: table.reload.status()["waiting"] == ["rng"])


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("seats = 6", "seats = 60", "seats must be at most 16"),
        ('id = "t-7"', 'id = "t-8"', "table.id cannot change under way"),
    ],
)
async def test_a_file_that_cannot_be_taken_up_changes_nothing_and_the_next_good_one_is(
    table: Table, tmp_path: Path, old: str, new: str, why: str
) -> None:
    table.phase = Phase.BETS
    edited(tmp_path, ("chen = {", "chan = {"), (old, new))
    table.reload.ask()
    await table.until(lambda: table.reload.status()["refused"] is not None)
    assert why in str(table.reload.status()["refused"])
    assert not table.reload.settled.is_set()
    edited(tmp_path, ("chen = {", "chan = {"))
    table.reload.ask()
    await table.until(table.reload.settled.is_set)
    assert table.reload.status() == {"waiting": ["roster"], "refused": None}


async def test_a_file_without_a_change_changes_nothing(table: Table, tmp_path: Path) -> None:
    table.phase = Phase.BETS
    edited(tmp_path)
    table.reload.ask()
    await table.until(lambda: table.judged == 1)
    await asyncio.sleep(0)
    assert not table.reload.settled.is_set()
