"""The demo's broker: mosquitto and the embedded one, their ends, and the faults it offers."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from controller.broker import DemoBroker, NoBroker, demo_broker
from controller.broker_port import BrokerAway, Plan, Received
from controller.messages import Outgoing
from controller.mqtt import connect
from tests.mqtt.mosquitto import until


@pytest.fixture
def without_mosquitto(monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which

    def which(name: str, path: str | None = None) -> str | None:
        return None if name == "mosquitto" else real(name, path=path)

    monkeypatch.setattr("controller.broker.shutil.which", which)


async def echo(broker: DemoBroker) -> list[Received]:
    heard: list[Received] = []
    async with connect(Plan(broker.address, "x"), heard.append) as one:
        assert await one.subscribe(["a/+"]) == []
        assert (await one.publish(Outgoing("a/b", b"1"))).delivered
        await until(lambda: bool(heard))
    return heard


async def test_mosquitto_carries_and_is_gone_with_the_demo() -> None:
    async with demo_broker() as broker:
        assert broker.kind == "mosquitto"
        assert len(await echo(broker)) == 1
        plan = Plan(broker.address, "x")
    with pytest.raises(BrokerAway):
        async with connect(plan, lambda _: None):
            pass


async def test_it_comes_back_on_the_same_port() -> None:
    async with demo_broker() as broker:
        port = broker.address.port
        await broker.stop()
        await broker.start()
        assert broker.address.port == port
        assert len(await echo(broker)) == 1


async def test_it_refuses_events_and_takes_them_again() -> None:
    event = Outgoing("tables/T/events/x", b"")
    async with demo_broker() as broker, connect(Plan(broker.address, "x"), lambda _: None) as one:
        assert (await one.publish(event)).delivered
        assert broker.refuse_events(True)
        await asyncio.sleep(0.3)
        assert (await one.publish(event)).refused
        assert (await one.publish(Outgoing("tables/T/status", b""))).delivered
        assert broker.refuse_events(False)
        await asyncio.sleep(0.3)
        assert (await one.publish(event)).delivered


@pytest.mark.usefixtures("without_mosquitto")
async def test_the_embedded_one_serves_where_mosquitto_is_missing() -> None:
    async with demo_broker() as broker:
        assert (broker.kind, broker.address.version) == ("amqtt", "3.1.1")
        assert len(await echo(broker)) == 1
        assert not broker.refuse_events(True)


@pytest.mark.usefixtures("without_mosquitto")
async def test_without_any_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.broker.importlib.util.find_spec", lambda _: None)
    with pytest.raises(NoBroker, match="apt-get install mosquitto"):
        DemoBroker(tmp_path)
