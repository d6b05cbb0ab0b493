"""New certificates under a running table: taken up where the broker takes them, else left alone."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from controller import credential_keeper
from controller.broker_address import Version
from controller.broker_line import LineSettings
from controller.broker_port import BrokerAway, Plan, Received
from controller.core.inputs import CredentialsDue
from controller.credential_keeper import LOOKS_UNTIL_BAD, CredentialKeeper
from controller.credentials import DAY_MS, Credentials, read
from controller.mqtt import connect
from tests.mqtt import rooms
from tests.mqtt.mosquitto import until
from tests.mqtt.rooms import MemoryJournal, Table, serving
from tests.mqtt.site import Site, SiteBroker

# A TLS handshake of a busy machine; nothing here is measured.
SOON_S = 30.0


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credential_keeper, "LOOK_S", 0.05)
    monkeypatch.setattr(credential_keeper, "TRY_AGAIN_S", 0.2)


@pytest.fixture
def broker(site: Site) -> Iterator[SiteBroker]:
    one = site.broker()
    site.make("table", "T1", days=60)
    with one.running():
        yield one


class Days:
    """A wall clock that a test moves."""

    def __init__(self, site: Site) -> None:
        # When the certificates began, to the second: 60 days before the end of the table's.
        own = read(site.address("T1", 1), site.now_ms).own
        assert own is not None
        self._now_ms = own.ends_ms - 60 * DAY_MS
        self.later = 0

    def now_ms(self) -> int:
        return self._now_ms + self.later * DAY_MS


def table_of(site: Site, broker: SiteBroker, days: Days, version: Version = "5") -> Table:
    settings = LineSettings(site.address("T1", broker.port, version))
    table = rooms.table_of(settings, MemoryJournal())
    table.line._parts.keeper._now_ms = days.now_ms
    return table


def told(table: Table) -> list[str | None]:
    return [fact.reason for fact in table.door.facts(CredentialsDue)]


@contextlib.asynccontextmanager
async def a_table(
    site: Site, broker: SiteBroker, version: Version = "5"
) -> AsyncIterator[tuple[Table, Days]]:
    days = Days(site)
    table = table_of(site, broker, days, version)
    async with serving(table):
        await until(lambda: table.line.counters.up, SOON_S)
        yield table, days


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_a_renewed_certificate_is_taken_up_without_a_restart_and_without_a_loss(
    site: Site, broker: SiteBroker, version: Version
) -> None:
    async with a_table(site, broker, version) as (table, _):
        table.commit(20)
        before = table.line._parts.keeper.status()["ends"]
        site.make("table", "T1", days=90)
        await until(lambda: table.line.counters.sessions == 2, SOON_S)
        table.commit(20)
        await until(lambda: table.line._parts.outboxes[0].cursor == 40, SOON_S)
        keeper = table.line._parts.keeper
        assert keeper.renewed == 1
        assert keeper.status()["ends"] != before
        assert keeper.status()["refused"] is None
        # The room never heard that the table was away.
        assert table.line.counters.up
        assert set(told(table)) == {None}


async def test_a_certificate_that_does_not_fit_its_key_changes_nothing_and_is_told(
    site: Site, broker: SiteBroker
) -> None:
    async with a_table(site, broker) as (table, _):
        keeper = table.line._parts.keeper
        good = site.file("T1.key").read_bytes()
        site.make("person", "other")
        shutil.copy(site.file("other.key"), site.file("T1.key"))
        await until(lambda: keeper.status()["refused"] is not None, SOON_S)
        assert table.line.counters.sessions == 1
        assert f"key values mismatch: {site.file('T1.key')}" in (told(table)[-1] or "")
        # Even a lost connection comes back with what is kept in memory.
        broker.stop()
        await until(lambda: not table.line.counters.up, SOON_S)
        broker.start()
        await until(lambda: table.line.counters.sessions == 2, SOON_S)
        site.file("T1.key").write_bytes(good)
        await until(lambda: told(table)[-1] is None, SOON_S)
        assert keeper.status()["refused"] is None


async def test_a_certificate_that_the_broker_does_not_take_leaves_the_standing_one(
    site: Site, broker: SiteBroker
) -> None:
    async with a_table(site, broker) as (table, _):
        keeper = table.line._parts.keeper
        other = Site(_folder(site))
        other.make("table", "T1")
        kept = {name: site.file(name).read_bytes() for name in ("T1.crt", "T1.key")}
        for name in kept:
            shutil.copy(other.file(name), site.file(name))
        await until(lambda: "does not take" in (told(table)[-1] or ""), SOON_S)
        assert table.line.counters.sessions == 1
        broker.stop()
        await until(lambda: not table.line.counters.up, SOON_S)
        broker.start()
        # By turns with the new ones, those that were good before.
        await until(lambda: table.line.counters.sessions == 2, SOON_S)
        for name, octets in kept.items():
            site.file(name).write_bytes(octets)
        await until(lambda: told(table)[-1] is None, SOON_S)
        assert keeper.status()["refused"] is None


def _folder(site: Site) -> Path:
    folder = site.home / "elsewhere"
    folder.mkdir()
    return folder


async def test_an_end_is_warned_of_in_health_and_a_week_before_it_by_an_alarm(
    site: Site, broker: SiteBroker
) -> None:
    async with a_table(site, broker) as (table, days):
        keeper = table.line._parts.keeper

        def warning(name: str) -> object:
            ends = keeper.status()["ends"]
            assert isinstance(ends, dict)
            one = ends[name]
            assert isinstance(one, dict)
            return one["warning"]

        assert [warning(name) for name in ("certificate", "authority", "broker")] == [None] * 3
        await until(lambda: told(table) == [None], SOON_S)
        for later, certificate, alarms in (
            (31, 30, 1), (52, 30, 1), (53, 7, 2), (58, 7, 2), (59, 1, 3), (61, 0, 4),
        ):  # fmt: skip
            days.later = later
            keeper.tell()
            assert (later, warning("certificate"), len(told(table))) == (later, certificate, alarms)
        assert told(table)[-1] == f"the certificate has ended: renew {site.file('T1.crt')}"
        # The broker's own, of 90 days, is seen through the connection.
        days.later = 88
        assert warning("broker") == 7


async def test_the_room_reads_in_health_when_a_certificate_ends(
    site: Site, broker: SiteBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.broker_line.HEALTH_S", 0.5)
    site.make("person", "surveillance")
    heard: list[Received] = []
    room = Plan(site.address("surveillance", broker.port), "room")

    def warned(warning: int | None) -> bool:
        if not heard:
            return False
        ends = json.loads(heard[-1].payload)["credentials"]["ends"]
        return "certificate" in ends and ends["certificate"]["warning"] == warning

    async with a_table(site, broker) as (table, days), connect(room, heard.append) as one:
        # Levels are told from the first commit on.
        table.commit(1)
        assert await one.subscribe(["tables/T1/health"]) == []
        for later, warning in ((29, None), (30, 30), (53, 7), (59, 1)):
            days.later = later
            await until(lambda: warned(warning), SOON_S)  # noqa: B023 - awaited here


async def test_files_that_are_written_one_after_the_other_are_no_alarm(site: Site) -> None:
    site.make("table", "T1")
    said: list[str | None] = []
    keeper = CredentialKeeper(site.address("T1", 1), lambda: site.now_ms, said.append)
    keeper.proved(await keeper.next(), None)
    tried: list[Credentials] = []

    async def try_out(credentials: Credentials) -> None:
        tried.append(credentials)

    site.make("person", "other")
    shutil.copy(site.file("other.key"), site.file("T1.key"))
    for _ in range(LOOKS_UNTIL_BAD - 1):
        assert not await keeper.look(try_out)
        keeper.tell()
    assert said == [None]
    shutil.copy(site.file("other.crt"), site.file("T1.crt"))
    assert await keeper.look(try_out)
    assert said == [None]
    assert len(tried) == 1


async def test_a_table_without_files_has_nothing_to_say(site: Site) -> None:
    said: list[str | None] = []
    plain = dataclasses.replace(
        site.address("T1", 1), tls=False, cafile=None, certificate=None, key=None
    )
    keeper = CredentialKeeper(plain, lambda: site.now_ms, said.append)
    keeper.proved(await keeper.next(), None)
    assert said == []
    assert json.dumps(keeper.status()) == '{"ends": {}, "refused": null, "renewed": 0}'


async def test_a_start_with_an_ended_certificate_says_so_instead_of_knocking(site: Site) -> None:
    site.make("table", "T1", days=1)
    said: list[str | None] = []
    late_ms = site.now_ms + 2 * DAY_MS
    keeper = CredentialKeeper(site.address("T1", 1), lambda: late_ms, said.append)
    with pytest.raises(BrokerAway, match="renew it"):
        await keeper.next()
    keeper.tell()
    assert len(said) == 1
    assert "are not used" in (said[0] or "")
