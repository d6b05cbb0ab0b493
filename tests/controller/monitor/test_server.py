"""The page's routes over a real broker: what changes is told, who may acknowledges, others not."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from controller.monitor.gate import COOKIE, Gate
from controller.monitor.server import BODY_OCTETS_MAX, HEADERS, PAGE
from tests.controller.monitor.hall import hall_at
from tests.controller.monitor.serving import served_at, streaming
from tests.mqtt.mosquitto import Mosquitto

TOKEN = "0123456789abcdef" * 2


async def test_forty_tables_are_told_and_an_irregularity_as_it_happens(broker: Mosquitto) -> None:
    async with (
        hall_at(broker.address(), 40, 6) as hall,
        served_at(broker) as served,
        streaming(served.port) as page,
    ):
        await page.until(lambda: len(page.tables) == 40 and page.broker)
        assert page.hello["principal"] is None
        hall["t-5"].play_until("deal")
        hall["t-5"].jam()
        await page.until(lambda: page.tables["t-5"]["word"] == "alarm")
        (alarm, *_) = page.tables["t-5"]["alarms"]
        assert (alarm["code"], alarm["severity"], alarm["by"]) == (
            "irregularity.shoe_failed", 3, "",
        )  # fmt: skip
        assert page.tables["t-5"]["devices"][1] == ["shoe", "jammed"]
        hall["t-6"].end("lost")
        await page.until(lambda: page.tables["t-6"]["word"] == "lost")
        assert page.tables["t-6"]["stale"]
        detail = await served.ask("/tables/t-5")
        assert detail.json["events"][-1]["rule"]
        assert (await served.ask("/tables/t-41")).code == 404


async def test_a_floorperson_acknowledges_and_a_viewer_is_refused_by_the_table(
    broker: Mosquitto,
) -> None:
    async with hall_at(broker.address(), 4, 20) as hall:
        hall["t-1"].jam()
        async with served_at(broker, "eye-1") as viewer, streaming(viewer.port) as page:
            await page.until(lambda: page.tables.get("t-1", {}).get("alarms"))
            assert page.hello["principal"] == "eye-1"
            refused = (await viewer.acknowledge("t-1", "A1")).json
            assert refused["result"] == "refused"
            assert "surveillance" in refused["reason"]
        async with served_at(broker, "rivera") as floor, streaming(floor.port) as page:
            await page.until(lambda: page.tables.get("t-1", {}).get("alarms"))
            assert (await floor.acknowledge("t-1", "A1")).json["result"] == "accepted"
            await page.until(lambda: page.tables["t-1"]["alarms"][-1]["by"] == "rivera")
            assert (await floor.acknowledge("t-1", "A99")).code == 409


async def test_without_a_principal_nothing_can_be_acknowledged(broker: Mosquitto) -> None:
    async with hall_at(broker.address(), 1, 20) as hall, served_at(broker) as served:
        hall["t-1"].jam()
        answer = await served.acknowledge("t-1", "A1")
        assert answer.code == 403
        assert "--as" in answer.json["reason"]


async def test_a_command_that_is_not_the_page_s_own_is_refused(broker: Mosquitto) -> None:
    async with hall_at(broker.address(), 1, 20) as hall, served_at(broker, "rivera") as served:
        hall["t-1"].jam()
        foreign = await served.acknowledge("t-1", "A1", origin="http://evil.example")
        assert foreign.code == 403
        plain = await served.ask("/acknowledge", "POST", b"table=t-1&alarm=A1")
        assert plain.code == 403
        for body in (b"", b"{", b"[]", b'{"table":1,"alarm":"A1"}', b"x" * (BODY_OCTETS_MAX + 1)):
            answer = await served.ask("/acknowledge", "POST", body, x_table_monitor="1")
            assert answer.code == 400
        assert (await served.ask("/acknowledge")).code == 405
        assert not hall["t-1"].day.state.alarms[0].acknowledged_by


async def test_a_name_that_is_not_ours_is_not_served(broker: Mosquitto) -> None:
    async with served_at(broker) as served:
        for path in ("/", "/stream", "/monitor.js"):
            assert (await served.ask(path, Host="evil.example")).code == 421


async def test_a_table_that_does_not_answer_is_said_to(broker: Mosquitto) -> None:
    async with served_at(broker, "rivera", wait_s=0.2) as served:
        state = b'{"alarms":{"A1":{"severity":3}}}'
        served.wall.take_level("t-9", "state", state, True, 1)
        answer = (await served.acknowledge("t-9", "A1")).json
        assert (answer["result"], answer["reason"]) == (
            "unanswered", "table t-9 does not answer within 0.2 s",
        )  # fmt: skip


async def test_a_broker_that_goes_is_told_and_nothing_is_sent(broker: Mosquitto) -> None:
    async with (
        hall_at(broker.address(), 1, 2),
        served_at(broker, "rivera") as served,
        streaming(served.port) as page,
    ):
        await page.until(lambda: page.broker and page.tables)
        broker.stop()
        await page.until(lambda: not page.broker)
        state = b'{"alarms":{"A1":{"severity":3}}}'
        served.wall.take_level("t-1", "state", state, True, 1)
        answer = (await served.acknowledge("t-1", "A1")).json
        assert (answer["result"], answer["reason"]) == ("unsent", "the broker is away")
        await page.until(lambda: page.beats)
        broker.start()
        await page.until(lambda: page.broker)


async def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(broker: Mosquitto) -> None:
    async with served_at(broker) as served:
        for path in ("/", "/enter"):
            answer = await served.ask(path)
            text = answer.body.decode()
            assert answer.headers["content-type"].startswith("text/html")
            assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=\"/)", text)
            assert not re.search(r"(src|href|action)=\"(?![/#])", text)
        for name, kind in PAGE.items():
            answer = await served.ask(f"/{name}")
            assert (answer.code, answer.headers["content-type"].split(";")[0]) == (200, kind)
            source = re.sub(r"http://www\.w3\.org/2000/svg", "", answer.body.decode())
            assert not re.search(r"https?://|innerHTML|outerHTML|insertAdjacentHTML|eval\(", source)
            for header, value in HEADERS.items():
                assert answer.headers[header] == value
        assert "default-src 'none'" in HEADERS["content-security-policy"]
        assert (await served.ask("/../monitor.js")).code == 404
        assert (await served.ask("/nothing")).code == 404


async def test_a_browser_enters_with_the_token_and_not_without(broker: Mosquitto) -> None:
    async with served_at(broker, "rivera", Gate(TOKEN, None)) as served:
        for path in ("/stream", "/tables/t-1", "/monitor.js", "/nothing"):
            assert (await served.ask(path)).code == 401
        assert (await served.acknowledge("t-1", "A1")).code == 401
        first = await served.ask("/")
        assert (first.code, first.headers["location"]) == (303, "/enter")
        wrong = await served.ask("/enter", "POST", b"token=wrong")
        assert "set-cookie" not in wrong.headers
        right = await served.ask("/enter", "POST", f"token={TOKEN}".encode())
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        session = cookie.split(";")[0]
        assert session.startswith(f"{COOKIE}=")
        assert (await served.ask("/", Cookie=session)).code == 200
        async with streaming(served.port, session) as page:
            await page.until(lambda: page.hello)


async def test_too_many_browsers_are_told_so(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.monitor.server.BROWSERS_MAX", 1)
    async with served_at(broker) as served, streaming(served.port) as page:
        await page.until(lambda: page.hello)
        answer = await served.ask("/stream")
        assert (answer.code, answer.json["result"]) == (503, "refused")


async def test_a_browser_that_leaves_is_forgotten(broker: Mosquitto) -> None:
    async with served_at(broker) as served:
        async with streaming(served.port) as page:
            await page.until(lambda: page.hello)
            assert served.wall.browsers == 1
        async with asyncio.timeout(30):
            while served.wall.browsers:
                await asyncio.sleep(0.05)


async def test_hostile_texts_stay_texts(broker: Mosquitto) -> None:
    async with served_at(broker) as served:
        hostile = '"></script><img src=x onerror=alert(1)>\u202e\x1b[2J'
        state = json.dumps({"phase": hostile, "prompt": {"text": hostile}}).encode()
        served.wall.take_level("t-1", "state", state, True, 1)
        answer = await served.ask("/tables/t-1")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.json["prompt"] == '"></script><img src=x onerror=alert(1)>??[2J'
