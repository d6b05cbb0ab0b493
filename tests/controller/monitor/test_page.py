"""The page in a real browser, as an operator with forty tables has it (heavy: needs chromium).

The pictures of docs/monitor.md are made here: MONITOR_PICTURES=docs writes them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.controller.monitor.browser import MISSING, PROGRAM, Browser, browsing
from tests.controller.monitor.hall import Hall, hall_at
from tests.controller.monitor.serving import monitor_at
from tests.mqtt.mosquitto import Mosquitto

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(PROGRAM is None, reason=MISSING),
]

SIZES = ((1280, 800), (3840, 2160))
# Of two tries one may meet a machine that does something else.
TRIES = 3
# Nothing of a tile, an alarm or the header lies over its neighbour or sticks out of the window.
OVERLAPS = """(() => {
  const found = [];
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .filter((node) => node.offsetParent !== null)
    .map((node) => [node, node.getBoundingClientRect()]);
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const apart = (selector) => {
    const all = boxes(selector);
    all.forEach(([one, a], at) => all.slice(at + 1).forEach(([other, b]) => {
      if (over(a, b)) found.push(`${one.className} ${one.innerText} / ${other.innerText}`);
    }));
  };
  apart('.tile');
  apart('.alarm');
  apart('main > section:not([hidden])');
  apart('header > *');
  for (const tile of document.querySelectorAll('.tile')) {
    const parts = [...tile.querySelectorAll('h3, .standing, .where, .lamps, .number, .waiting, p')]
      .filter((node) => node.offsetParent !== null && node.innerText.trim())
      .map((node) => [node, node.getBoundingClientRect()]);
    parts.forEach(([one, a], at) => parts.slice(at + 1).forEach(([other, b]) => {
      if (!one.contains(other) && !other.contains(one) && over(a, b)) {
        found.push(`${tile.dataset.table}: ${one.innerText} / ${other.innerText}`);
      }
    }));
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window');
  return found;
})()"""


def tile(table: str) -> str:
    return f"document.querySelector('.tile[data-table=\"{table}\"]')"


def row(table: str, alarm: str) -> str:
    return f"document.querySelector('[data-alarm=\"{table} {alarm}\"]')"


async def _see(page: Browser, url: str, count: int) -> None:
    await page.size(*SIZES[0])
    await page.go(f"{url}/")
    await page.until(f"document.querySelectorAll('.tile').length === {count}")


def _trouble(hall: Hall) -> None:
    hall["t-5"].jam()
    hall["t-12"].jam()
    hall["t-9"].play(**{"from": "dealer", "by": "chen", "type": "call_floor", "reason": "dispute"})
    hall["t-22"].play(**{"from": "shuffler", "type": "link", "up": False})
    hall["t-26"].play(**{"from": "shoe", "type": "loaded", "cards": 53, "batch": "A"})
    hall["t-30"].end("lost")
    hall["t-31"].end("stopped")


async def test_a_floorperson_sees_an_irregularity_within_a_second_and_acknowledges_it(
    broker: Mosquitto, tmp_path: Path
) -> None:
    async with (
        hall_at(broker.address(), 40, 20) as hall,
        monitor_at(broker, "--as", "rivera") as monitor,
        browsing(tmp_path) as page,
    ):
        await _see(page, monitor.url, 40)
        took_s = []
        for name in ("t-5", "t-13", "t-17")[:TRIES]:
            hall[name].play_until("deal")
            hall[name].jam()
            took_s.append(
                await page.until(f"{tile(name)}.innerText.toLowerCase().includes('shoe failed')")
            )
        assert min(took_s) < 1.0, took_s
        await page.until("document.getElementById('assertive').textContent.includes('t-17')")
        # By keyboard alone: the button has the focus, Enter presses it.
        button = f"{row('t-5', 'A1')}.querySelector('.acknowledge')"
        await page.value(f"{button}.focus()")
        await page.press("Enter", 13)
        await page.until(f"{row('t-5', 'A1')}.innerText.includes('acknowledged by rivera')")
        await page.until("document.getElementById('polite').textContent.includes('acknowledged')")
        assert hall["t-5"].day.state.alarms[0].acknowledged_by == "rivera"
        assert page.console == []


async def test_a_viewer_is_refused_and_sees_why(broker: Mosquitto, tmp_path: Path) -> None:
    async with (
        hall_at(broker.address(), 4, 20) as hall,
        monitor_at(broker, "--as", "eye-1") as monitor,
        monitor_at(broker) as looker,
        browsing(tmp_path) as page,
    ):
        hall["t-1"].jam()
        await _see(page, monitor.url, 4)
        await page.until(row("t-1", "A1"))
        await page.value(f"{row('t-1', 'A1')}.querySelector('.acknowledge').click()")
        await page.until(f"{row('t-1', 'A1')}.innerText.includes('refused: ')")
        assert "surveillance" in await page.text("#polite")
        assert hall["t-1"].day.state.alarms[0].acknowledged_by is None
        await _see(page, looker.url, 4)
        await page.until(row("t-1", "A1"))
        assert await page.value(f"{row('t-1', 'A1')}.querySelector('.acknowledge').hidden")
        assert await page.text("#who") == "looks on only"


async def test_nothing_overlaps_at_a_desk_and_on_a_wall(broker: Mosquitto, tmp_path: Path) -> None:
    async with (
        hall_at(broker.address(), 40, 30) as hall,
        monitor_at(broker, "--as", "rivera") as monitor,
        browsing(tmp_path) as page,
    ):
        await _see(page, monitor.url, 40)
        _trouble(hall)
        await page.until(f"{tile('t-31')}.innerText.toLowerCase().includes('stopped')")
        for width, height in SIZES:
            await page.size(width, height)
            assert await page.value(OVERLAPS) == []
            await _picture(page, f"monitor-wall-{width}.webp")
        await page.value(f"{tile('t-5')}.querySelector('.open').click()")
        await page.until("document.querySelector('#detail .timeline li')")
        for width, height in SIZES:
            await page.size(width, height)
            assert await page.value(OVERLAPS) == []
            if width == SIZES[0][0]:
                await _picture(page, f"monitor-table-{width}.webp")
        await page.size(640, 900)
        assert "wider than the window" not in await page.value(OVERLAPS)


async def test_two_hundred_tables_fit_and_are_walked_by_keyboard(
    broker: Mosquitto, tmp_path: Path
) -> None:
    async with (
        hall_at(broker.address(), 200, 6) as hall,
        monitor_at(broker) as monitor,
        browsing(tmp_path) as page,
    ):
        await _see(page, monitor.url, 200)
        hall["t-150"].jam()
        await page.until(f"{tile('t-150')}.dataset.severity === '3'")
        for width, height in SIZES:
            await page.size(width, height)
            assert await page.value(OVERLAPS) == []
        focus = "document.activeElement.textContent"
        await page.value(f"{tile('t-1')}.querySelector('.open').focus()")
        await page.press("ArrowRight", 39)
        assert await page.value(focus) == "t-2"
        await page.press("End", 35)
        assert await page.value(focus) == "t-200"
        await page.press("Home", 36)
        await page.press("Enter", 13)
        await page.until("document.activeElement.id === 'detail'")
        await page.press("Escape", 27)
        assert await page.value(focus) == "t-1"
        await page.press("Tab", 9)
        assert await page.value(focus) == "t-2"


async def test_hostile_texts_are_shown_as_texts(broker: Mosquitto, tmp_path: Path) -> None:
    from controller.messages import Outgoing
    from tests.mqtt.rooms import listener

    hostile = (
        "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
    )
    alarm = {"code": hostile, "text": hostile, "severity": 3, "since": hostile, "rule": hostile}
    state = {"phase": hostile, "game": hostile, "prompt": {"who": hostile, "text": hostile},
             "locks": {hostile: [hostile]}, "alarms": {hostile: alarm},
             "devices": {hostile: {"state": hostile}}}  # fmt: skip
    event = {"type": hostile, "data": {hostile: hostile}, "time": hostile, "rule": hostile}
    async with (
        listener(broker) as (stranger, _),
        monitor_at(broker, "--as", "rivera") as monitor,
        browsing(tmp_path) as page,
    ):
        for topic, value in (("state", state), ("events/x", event), ("status", event)):
            payload = json.dumps(value).encode()
            await stranger.publish(Outgoing(f"tables/t-1/{topic}", payload, retain=True))
        await _see(page, monitor.url, 1)
        await page.value(f"{tile('t-1')}.querySelector('.open').click()")
        await page.until("document.querySelector('#detail .devices dl')")
        assert await page.value("document.images.length + document.scripts.length") == 1
        assert "<img" in await page.value("document.body.innerText")
        assert "taken" not in await page.value("document.title")
        assert page.console == []


async def _picture(page: Browser, name: str) -> None:
    folder = os.environ.get("MONITOR_PICTURES")
    if folder is not None:
        await page.picture(Path(folder) / name)
