"""NATS with the certificates of a site and the rights that docs/brokers.md gives."""

from __future__ import annotations

import dataclasses

import pytest

from controller.broker_line import LineSettings
from controller.broker_port import BrokerAway, Plan, Received
from controller.core.outputs import Outputs
from controller.messages import Outgoing
from controller.mqtt import connect
from tests.mqtt.clustered import SiteNats, nats
from tests.mqtt.mosquitto import until
from tests.mqtt.rooms import MemoryJournal, serving, table_of
from tests.mqtt.site import Site
from tests.mqtt.test_command_desk import command

SOON_S = 60.0


@pytest.mark.heavy
@pytest.mark.skipif(
    nats() is None, reason="nats-server is not installed: apt-get install nats-server"
)
async def test_nats_knows_users_by_the_certificates_of_the_site_and_holds_them_to_their_rights(
    site: Site,
) -> None:
    for kind, user in (
        ("table", "T1"), ("table", "T2"), ("person", "floor-1"), ("person", "surveillance"),
    ):  # fmt: skip
        site.make(kind, user)
    server = SiteNats(site)
    server.start()
    heard: list[Received] = []

    def plan(user: str) -> Plan:
        return Plan(site.address(user, server.port, "3.1.1"), user)

    try:
        async with connect(plan("surveillance"), heard.append) as room:
            assert await room.subscribe(["tables/+/events/#"]) == []
            assert await room.subscribe(["tables/+/replies/#"]) == ["tables/+/replies/#"]
            for user in ("T2", "floor-1", "T1"):
                async with connect(plan(user), lambda _: None) as one:
                    message = Outgoing("tables/T1/events/round/dealt", user.encode())
                    # It says that it took all three.
                    assert (await one.publish(message)).delivered
            await until(lambda: heard != [], SOON_S)
            assert [one.payload for one in heard] == [b"T1"]
            table = table_of(
                LineSettings(site.address("T1", server.port, "3.1.1")), MemoryJournal()
            )
            told: list[Received] = []
            async with serving(table), connect(plan("floor-1"), told.append) as person:
                assert await person.subscribe(["tables/T1/replies/floor-1"]) == []
                await until(lambda: table.line.counters.up, SOON_S)
                assert table.line.counters.filters_refused == 0
                table.commit(20, Outputs(alarms={"A1": {}}, devices={"shoe": {}}))
                await until(lambda: len(heard) == 21, SOON_S)
                assert (await person.publish(command("c1"))).delivered
                await until(lambda: len(told) == 1, SOON_S)
                await table.line.stop()
        stranger = dataclasses.replace(
            site.address("T1", server.port, "3.1.1"), certificate=None, key=None
        )
        with pytest.raises(BrokerAway):
            async with connect(Plan(stranger, "x"), lambda _: None):
                pass
    finally:
        server.kill()
