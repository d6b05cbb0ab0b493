"""What RabbitMQ and NATS do with our topics, as docs/brokers.md says; both speak 3.1.1 here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from controller.broker_line import LineSettings
from controller.broker_port import BrokerAway, Plan, Received
from controller.core.inputs import LevelCorrected
from controller.core.outputs import Outputs
from controller.journal.record import Chain
from controller.journal.tables import STORE
from controller.messages import Outgoing
from controller.mqtt import Connection, connect
from controller.recorder import inquiries
from tests.mqtt.clustered import CLOSED, Nats, Rabbit, nats, rabbit
from tests.mqtt.mosquitto import free_port, until
from tests.mqtt.recording import bodies, held, recording
from tests.mqtt.rooms import TOPICS, MemoryJournal, Table, serving, table_of
from tests.mqtt.test_command_desk import answers, command

pytestmark = pytest.mark.heavy
SOON_S = 300.0

INSTALLED = {
    "nats": pytest.param(
        Nats, id="nats",
        marks=pytest.mark.skipif(
            nats() is None, reason="nats-server is not installed: sudo apt-get install nats-server"
        ),
    ),
    "rabbitmq": pytest.param(
        Rabbit, id="rabbitmq",
        marks=pytest.mark.skipif(
            rabbit() is None,
            reason="RabbitMQ is not installed: sudo apt-get install rabbitmq-server",
        ),
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of an outage become seconds; what decides stays as it is."""
    monkeypatch.setattr("controller.broker_line.HEALTH_S", 1)
    monkeypatch.setattr("controller.backoff.MOST_S", 2.0)
    monkeypatch.setattr("controller.recorder.recorder.LOOK_S", 0.1)
    monkeypatch.setattr(inquiries, "STILL_S", 1.0)
    monkeypatch.setattr(inquiries, "ANSWER_S", 2.0)


@pytest.fixture(scope="module", params=list(INSTALLED.values()))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nats | Rabbit]:
    """One that runs for all tests of this file: RabbitMQ takes half a minute to begin."""
    one: Nats | Rabbit = request.param(tmp_path_factory.mktemp("server"))
    one.start()
    yield one
    one.kill()


def a_table(address: BrokerAddress, name: str, recorder: str | None = None) -> Table:
    journal = MemoryJournal(Chain(f"j-{name}", name))
    return table_of(LineSettings(address), journal, name=name, recorder=recorder)


@contextlib.asynccontextmanager
async def ear(
    server: Nats | Rabbit, *filters: str, name: str = "ear"
) -> AsyncIterator[tuple[Connection, list[Received]]]:
    heard: list[Received] = []
    async with connect(Plan(server.address(), name), heard.append) as one:
        assert await one.subscribe(filters) == []
        yield one, heard


async def test_events_arrive_once_and_in_order_and_a_command_is_answered(
    server: Nats | Rabbit,
) -> None:
    table = a_table(server.address(), "T1")
    topics = ("tables/T1/events/#", "tables/T1/replies/#")
    async with ear(server, *topics) as (person, heard), serving(table):
        await until(lambda: table.line.counters.up, SOON_S)
        table.commit(300, Outputs(alarms={"A1": {}}, devices={"shoe": {}}))
        await until(lambda: len(heard) == 300, SOON_S)
        assert (await person.publish(command("c1"))).delivered
        await until(lambda: len(heard) == 301, SOON_S)
        await table.line.stop()
    assert [one.payload for one in heard[:300]] == bodies(table.journal.events)
    assert [one["result"] for one in answers(heard)] == ["accepted"]


async def test_the_three_ends_of_a_table_are_told_apart(server: Nats | Rabbit) -> None:
    async with ear(server, "tables/T2/status") as (_, heard):
        table = a_table(server.address(), "T2")
        async with serving(table):
            await until(lambda: table.line.counters.up, SOON_S)
        await until(lambda: len(heard) == 2, SOON_S)
        table = a_table(server.address(), "T2")
        async with serving(table):
            await until(lambda: table.line.counters.up, SOON_S)
            await table.line.stop()
        await until(lambda: len(heard) >= 4, SOON_S)
    reasons = [json.loads(one.payload)["reason"] for one in heard]
    assert [reasons[0], reasons[1], reasons[-1]] == ["running", "lost", "stopped"]


async def test_a_forged_level_is_put_right_and_the_table_does_not_take_itself_for_a_stranger(
    server: Nats | Rabbit,
) -> None:
    table = a_table(server.address(), "T9")
    table.commit(1, Outputs(table={"round": 0}))
    async with ear(server, "tables/T9/state", "tables/T9/status") as (one, heard), serving(table):
        await until(lambda: table.line.counters.up, SOON_S)
        for number in range(60):
            alarms = {} if number % 3 else {f"A{number}": {"severity": 3}}
            table.commit(1, Outputs(table={"round": number}, alarms=alarms))
            await asyncio.sleep(0.03)
        await until(lambda: any(b'"round":59' in told.payload for told in heard), SOON_S)
        assert table.door.facts(LevelCorrected) == []
        for name in ("state", "status"):
            await one.publish(Outgoing(f"tables/T9/{name}", b"{}", retain=True))
        await until(lambda: [told.payload for told in heard].count(b"{}") == 2, SOON_S)
        await until(lambda: b"{}" not in {told.topic: told.payload for told in heard}.values())
    assert table.door.facts(LevelCorrected) == [
        LevelCorrected(name, "forged", 1) for name in ("state", "status")
    ]


async def test_what_is_retained_is_told_to_who_comes_late(server: Nats | Rabbit) -> None:
    """RabbitMQ keeps one level a topic and gives it for the exact name alone."""
    async with connect(Plan(server.address(), "writer"), lambda _: None) as one:
        for name, payload in (("state", b"1"), ("alarms/A1", b"1"), ("alarms/A2", b"1"),
                              ("alarms/A2", b"")):  # fmt: skip
            assert (await one.publish(Outgoing(f"tables/T3/{name}", payload, True))).delivered

    async def told(*filters: str) -> set[str]:
        async with ear(server, *filters, "tables/T3/end", name="late") as (late, heard):
            assert (await late.publish(Outgoing("tables/T3/end", b"x"))).delivered
            # Whatever is retained may come after the first live message.
            await until(lambda: any(one.topic.endswith("/end") for one in heard), SOON_S)
            await asyncio.sleep(1)
            return {one.topic for one in heard if one.payload} - {"tables/T3/end"}

    exact = {"tables/T3/state", "tables/T3/alarms/A1"}
    assert await told(*exact, "tables/T3/alarms/A2") == exact
    by_pattern = await told("tables/T3/#")
    assert by_pattern == (exact if isinstance(server, Nats) else set())


async def test_what_a_refused_publication_looks_like(server: Nats | Rabbit) -> None:
    """NATS says that it took it and throws it away; RabbitMQ hangs up."""
    async with ear(server, f"{CLOSED}/#") as (_, heard):
        with contextlib.suppress(BrokerAway):
            async with connect(Plan(server.address(), "writer"), lambda _: None) as one:
                answer = await one.publish(Outgoing(f"{CLOSED}/a", b"x"))
                after = await one.publish(Outgoing("open/a", b"x"))
        assert (answer.delivered, after.delivered) == (isinstance(server, Nats),) * 2
        assert not answer.refused
        await asyncio.sleep(1)
    assert heard == []


async def test_a_command_for_an_absent_table_is_kept_for_it(server: Nats | Rabbit) -> None:
    async with ear(server, "tables/T4/replies/#") as (person, heard):
        first = a_table(server.address(), "T4")
        async with serving(first):
            await until(lambda: first.line.counters.up, SOON_S)
        order = command("c1")
        topic = order.topic.replace(TOPICS.root, "tables/T4")
        assert (await person.publish(Outgoing(topic, order.payload))).delivered
        async with serving(a_table(server.address(), "T4")):
            await until(lambda: len(heard) == 1, SOON_S)
    assert [one["id"] for one in answers(heard)] == ["c1"]


async def test_a_recording_through_the_kill_of_the_broker_is_complete(
    server: Nats | Rabbit, tmp_path: Path
) -> None:
    store = tmp_path / "room.sqlite"
    table = a_table(server.address(), "T5", recorder="eye-1")
    journal = table.journal
    async with (
        recording(server.address(), store, ready_s_max=SOON_S) as room,
        serving(table),
    ):
        await until(lambda: table.line.counters.up, SOON_S)
        table.commit(200)
        await until(lambda: room.reached("j-T5") > 50, SOON_S)
        server.kill()
        table.commit(200)
        await asyncio.to_thread(server.start)
        table.commit(200)
        await until(lambda: journal.cursors.get(STORE) == 600, SOON_S)
        assert not {"fork", "broken_chain", "lost"} & set(room.kinds)
    assert held(store) == bodies(journal.events)


# ---- three nodes -------------------------------------------------------------------------------
NODES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
CLUSTER = "brokers.houses.example"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Nats]]:
    """Three nodes under one name, which has three addresses."""
    routes, port = [free_port() for _ in NODES], free_port()
    nodes = []
    for number, host in enumerate(NODES):
        home = tmp_path / f"n{number}"
        home.mkdir()
        mine = (routes[number], *(one for one in routes if one != routes[number]))
        nodes.append(Nats(home, f"n{number}", mine, host, port))
    known = socket.getaddrinfo

    def getaddrinfo(host, *more, **options):  # type: ignore[no-untyped-def]
        if host != CLUSTER:
            return known(host, *more, **options)
        return [entry for node in NODES for entry in known(node, *more, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for node in nodes:
        node.start()
    yield nodes
    for node in nodes:
        node.kill()


async def until_served(address: BrokerAddress) -> None:
    """Knock until the nodes have met: before, they hang up on whoever comes."""
    async with asyncio.timeout(SOON_S):
        while True:
            try:
                async with connect(Plan(address, "probe"), lambda _: None) as one:
                    if (await one.publish(Outgoing("probe", b"x"))).delivered:
                        return
            except BrokerAway:
                await asyncio.sleep(0.5)


@pytest.mark.skipif(nats() is None, reason="nats-server is not installed")
async def test_a_cluster_that_loses_any_node_loses_no_event(
    cluster: list[Nats], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = cluster[0].address(CLUSTER)
    store = tmp_path / "room.sqlite"
    table = a_table(address, "T1", recorder="eye-1")
    journal, cursors, made = table.journal, table.journal.cursors, 0
    took_s: list[float] = []
    await until_served(address)
    # A cluster that has just met takes its time with each new session.
    async with serving(table), recording(address, store, ready_s_max=SOON_S) as room:
        await until(lambda: table.line.counters.up, SOON_S)
        for node in cluster:
            table.commit(100)
            some = made + 20
            await until(lambda: room.reached("j-T1") >= some, SOON_S)  # noqa: B023 - awaited here
            node.kill()
            began_s = time.monotonic()
            table.commit(100)
            made += 200
            await until(lambda: cursors.get(STORE) == made, SOON_S)  # noqa: B023 - awaited here
            took_s.append(time.monotonic() - began_s)
            await asyncio.to_thread(node.start)
            table.commit(50)
            made += 50
            await until(lambda: cursors.get(STORE) == made, SOON_S)  # noqa: B023 - awaited here
        assert not {"fork", "broken_chain", "lost"} & set(room.kinds)
        assert table.line.counters.sessions > 1
    assert held(store) == bodies(journal.events)
    with capsys.disabled():
        words = ", ".join(f"{one:.1f}" for one in took_s)
        print(f"\n{made} events, each of 3 nodes killed: complete again after {words} s")
