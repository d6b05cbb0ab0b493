"""The daemon is killed at random moments of play: what was shown, told or taken is on record."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from config.loader import load
from controller.broker import demo_broker
from controller.demo import show
from controller.demo.cast import Cast, Wish, cast_of
from controller.demo.show import _running, _settle
from controller.demo.summary import check_journal, check_replay
from controller.journal.source import open_source

GAMES = ("dj-wild", "fortune-asia-poker")
BACK_S_MAX = 20.0


class Witness:
    """What the outside world was promised, and whether the record keeps it."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.acknowledged: dict[str, tuple[int, int]] = {}
        for device in (cast.stage.shuffler, cast.stage.shoe):
            self._watch(device)

    def _watch(self, device: object) -> None:
        kept = device._acknowledge

        def acknowledge(frame: object) -> None:
            boot, seq = int(frame.fields["boot"], 16), int(frame.fields["seq"], 16)
            self.acknowledged[device.name] = (boot, seq)
            kept(frame)

        device._acknowledge = acknowledge

    def check(self) -> None:
        """With the daemon dead: everything that left it must be in its journal."""
        with open_source(self.cast.stage.journal) as source:
            assert source.connection is not None
            recorded = dict(source.connection.execute("SELECT sequence, hash FROM events"))
            heard = dict(
                source.connection.execute("SELECT name, sequence FROM cursors WHERE name LIKE 'h%'")
            )
        for sequence, envelope in self.cast.audience.events.items():
            assert recorded[sequence] == envelope["hash"], f"event {sequence} was shown and is gone"
        for name, (boot, seq) in self.acknowledged.items():
            at = heard[f"heard.{name}"]
            assert (at >> 16 & 0xFFFF, at & 0xFFFF) >= (boot, seq), f"{name}: {seq} was taken"


def _one_number_a_round(journal: Path) -> None:
    rounds: Counter[int] = Counter()
    draws: Counter[int] = Counter()
    with open_source(journal) as source:
        for turn in source.turns():
            for body in turn.events:
                event = json.loads(body)
                if event["type"] == "startpos.determined":
                    rounds[event["data"]["round"]] += 1
                    draws[event["data"]["draw"]] += 1
    assert all(count == 1 for count in (*rounds.values(), *draws.values()))


async def _play_and_kill(game: str, kills: int, seed: int, home: Path) -> None:
    chance = random.Random(seed)
    async with demo_broker() as broker:
        wish = Wish(game, 10_000, (), seed)
        cast = cast_of(wish, home, broker.address, broker, lambda seen: None, lambda line: None)
        witness = Witness(cast)
        async with _running(cast, wish):
            await _settle(cast)
            playing = asyncio.create_task(cast.crew.play(wish.rounds))
            for _ in range(kills):
                await asyncio.sleep(chance.uniform(0.05, 1.5))
                assert not cast.stage.daemon_has_ended(), cast.stage.log.read_text()[-2000:]
                await cast.stage.kill_daemon()
                witness.check()
                await cast.strikes.cut_power()
                if playing.done():
                    playing.result()
            await asyncio.sleep(2.0)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await show._catch_up(cast)
            assert await cast.stage.stop_daemon() == 0
            report, trouble = check_journal(cast.stage.journal)
            assert not trouble
            await asyncio.wait_for(cast.audience.until(report.events), BACK_S_MAX)
        witness.check()
        assert cast.audience.subscriber.ledger.problems == 0
        assert not check_replay(cast.stage.journal, load(cast.stage.config).setup())
        _one_number_a_round(cast.stage.journal)


async def test_a_table_that_is_killed_keeps_what_it_promised(tmp_path: Path) -> None:
    await _play_and_kill("fortune-asia-poker", 3, 7, tmp_path)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", GAMES)
async def test_a_table_that_is_killed_often(game: str, seed: int, tmp_path: Path) -> None:
    await _play_and_kill(game, 25, seed, tmp_path)
