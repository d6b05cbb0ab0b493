"""The hardware side is built as the file names it, and resumes where the journal heard it last."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from config.loader import load
from controller.broker_address import BrokerAddress
from controller.demo.stage import Stage
from controller.journal.store import Store
from controller.marks import cursor_of, number_of_mark
from controller.parts import Parts, parts_of
from hal.gpio import BoardError
from hal.lamp_device import LampDevice
from hal.ports import Heard
from hal.session import Number

NOWHERE = BrokerAddress("127.0.0.1", 9)


async def _built(home: Path, game: str, draws: bool, mark: str | None = None) -> Parts:
    stage = Stage(home, game, NOWHERE, 1.0, 1, ())
    store = await Store.open(home / "journal", "demo")
    heard: list[Heard] = []
    try:
        if mark is not None:
            await store.set_cursor(cursor_of("shoe"), number_of_mark(mark))
        return parts_of(load(stage.config), store, heard.append, draws)
    finally:
        await store.close()


@pytest.mark.parametrize("draws", [True, False])
async def test_a_generator_is_there_where_the_game_draws(draws: bool, tmp_path: Path) -> None:
    game = "fortune-asia-poker" if draws else "dj-wild"
    parts = await _built(tmp_path, game, draws)
    try:
        assert (parts.source is not None) is draws
        assert parts.devices.keys() == {"shuffler", "shoe"}
        wanted = {"shuffler", "shoe", "panel", "hand"} | ({"generator"} if draws else set())
        assert parts.works.keys() == wanted
        assert {"link": "down"}.items() <= parts.statuses["shoe"]().items()
    finally:
        parts.close()
        parts.close()


async def test_every_line_can_be_hushed(tmp_path: Path) -> None:
    parts = await _built(tmp_path, "dj-wild", False)
    try:
        parts.hush()
        for device in parts.devices.values():
            assert device._link._hushed  # type: ignore[attr-defined]
    finally:
        parts.close()


async def test_a_device_resumes_behind_the_last_event_on_record(tmp_path: Path) -> None:
    parts = await _built(tmp_path, "dj-wild", False, "1A2B:0007")
    try:
        shoe, shuffler = parts.devices["shoe"], parts.devices["shuffler"]
        assert shoe._session._durable[-1] == Number(0x1A2B, 7)  # type: ignore[attr-defined]
        assert not shuffler._session._durable  # type: ignore[attr-defined]
    finally:
        parts.close()


LAMPS = '[shuffler.lamps]\ngreen = 22\nred = 23\nfactory = "mock"\n'
ALONE = 'driver = "lamp"\ncounts = false\ncycle_s_min = 10\ncycle_s_max = 90\n'


def seen(config: Path, shuffler: str | None) -> Path:
    """Give a demo's shuffler sensors in its file; `shuffler` replaces its driver and port."""
    text = config.read_text(encoding="utf-8")
    before, _, after = text.partition("[shuffler]\n")
    own, _, rest = after.partition("[shoe]")
    # Lines of the bench that the sensors take.
    rest = rest.replace("no_more_bets = 22\n", "").replace("round_done = 23\n", "")
    config.write_text(f"{before}[shuffler]\n{shuffler or own}{LAMPS}[shoe]{rest}")
    return config


def _config(home: Path) -> Path:
    return Stage(home, "dj-wild", NOWHERE, 1.0, 1, ()).config


@pytest.mark.parametrize("alone", [True, False])
async def test_sensors_are_the_shuffler_or_watch_it_beside_its_port(
    alone: bool, tmp_path: Path
) -> None:
    settings = load(seen(_config(tmp_path), ALONE if alone else None))
    store = await Store.open(tmp_path / "journal", "demo")
    try:
        parts = parts_of(settings, store, lambda heard: None, False)
    finally:
        await store.close()
    try:
        assert isinstance(parts.devices["shuffler"], LampDevice) is alone
        assert ("lamps" in parts.works) is not alone
        status = parts.statuses["shuffler" if alone else "lamps"]()
        assert status["lamp"] == "off"
        assert status.get("disagreements") == (None if alone else 0)
    finally:
        parts.close()
        parts.close()


async def test_a_line_that_cannot_be_had_lets_all_others_go(tmp_path: Path) -> None:
    settings = load(seen(_config(tmp_path), ALONE))
    assert settings.shuffler is not None
    assert settings.shuffler.lamps is not None
    twice = dataclasses.replace(settings.shuffler.lamps, red=settings.shuffler.lamps.green)
    broken = dataclasses.replace(
        settings, shuffler=dataclasses.replace(settings.shuffler, lamps=twice)
    )
    store = await Store.open(tmp_path / "journal", "demo")
    try:
        with pytest.raises(BoardError, match="line 22 is wanted"):
            parts_of(broken, store, lambda heard: None, False)
        parts_of(settings, store, lambda heard: None, False).close()
    finally:
        await store.close()
