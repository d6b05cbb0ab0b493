"""The shipped configuration, ACL and certificates script, as they are: who may do what."""

from __future__ import annotations

import asyncio
import calendar
import dataclasses
import gc
import json
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from controller.broker_line import LineSettings
from controller.broker_port import BrokerAway, Plan, Received
from controller.commands import Command, Moment, Order, Rejection, parse
from controller.core.inputs import LINE, ROLES, Malformed
from controller.core.outputs import Outputs
from controller.messages import Outgoing
from controller.mqtt import Connection, connect
from tests.mqtt.mosquitto import until
from tests.mqtt.rooms import NOW_MS, ROSTER, TOPICS, MemoryJournal, Table, serving, table_of
from tests.mqtt.site import Site, SiteBroker
from tests.mqtt.test_command_desk import command

SOON_S = 30.0
PEOPLE = ("floor-1", "eye-1", "surveillance", "pit", "video")
READERS = ("surveillance", "pit", "video")
ONVIF = "onvif-ej/RuleEngine/alarm"
LEVELS = ("state", "status", "prompt", "health", "alarms/A1", "devices/shoe")
EVERYTHING = ("#", "$SYS/#")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    one = Site(tmp_path_factory.mktemp("site"))
    for table in ("T1", "T2"):
        one.make("table", table)
    for person in PEOPLE:
        one.make("person", person)
    return one


@pytest.fixture
def broker(site: Site) -> Iterator[SiteBroker]:
    if (site.home / "mosquitto").exists():
        shutil.rmtree(site.home / "mosquitto")
    with site.broker().running() as one:
        yield one
    (site.home / "mosquitto.db").unlink(missing_ok=True)


def table_with_certificate(site: Site, broker: SiteBroker) -> Table:
    return table_of(LineSettings(site.address("T1", broker.port)), MemoryJournal())


# ---- what a user can do at the broker --------------------------------------------------------
async def test_a_table_a_person_and_the_room_do_their_work(site: Site, broker: SiteBroker) -> None:
    table = table_with_certificate(site, broker)
    person = Plan(site.address("floor-1", broker.port), "p")
    room = Plan(site.address("surveillance", broker.port), "r")
    told: list[Received] = []
    seen: list[Received] = []
    async with (
        serving(table), connect(person, told.append) as hand, connect(room, seen.append) as eye,
    ):  # fmt: skip
        assert await hand.subscribe([TOPICS.below("replies", "floor-1")]) == []
        assert await eye.subscribe(["tables/+/events/#"]) == []
        await until(lambda: table.line.counters.up, SOON_S)
        assert table.line.counters.filters_refused == 0
        table.commit(150, Outputs(alarms={"A1": {}}, devices={"shoe": {}}))
        await until(lambda: len(seen) == 150, SOON_S)
        assert (await hand.publish(command("c1"))).delivered
        await until(lambda: len(told) == 1, SOON_S)
        assert table.line._parts.levels.refused == 0


# Every kind of topic there is, of two tables and of each person; what is not said to be lawful
# below is not.
TOPICS_OF_A_TABLE = (
    *LEVELS, "events/round/dealt", ONVIF,
    *(f"{name}/{person}" for name in ("replies", "replay") for person in PEOPLE),
    *(f"commands/{who}/open" for who in (*PEOPLE, "floor-10", "T1", "T2")),
)  # fmt: skip
EVERY_TOPIC = (
    *(f"tables/{table}/{name}" for table in ("T1", "T2") for name in TOPICS_OF_A_TABLE),
    *(f"tables/{person}/{name}" for person in PEOPLE for name in ("state", "events/a/b")),
    *(f"recorders/{who}/status" for who in ("T1", *PEOPLE)),
    "tables/T1", "tables/T1/other/more", "elsewhere", "elsewhere/T1/state",
)  # fmt: skip


def may_write(user: str, topic: str) -> bool:
    """What config/broker/README.md promises, in other words than the list's."""
    first, *rest = topic.split("/")
    if first == "recorders":
        return rest[0] == user != "video"
    if first != "tables" or len(rest) < 2:
        return False
    table, kind, *below = rest
    if kind == "commands":
        return below[0] == user != "video"
    # A broker knows names alone: whoever is no reader could be a table (docs/threats.md).
    return table == user and user not in READERS and kind != "other"


@pytest.mark.parametrize("user", ["T1", "T2", *PEOPLE])
async def test_a_table_writes_only_its_own_topics_and_a_principal_below_its_own_name(
    site: Site, broker: SiteBroker, user: str
) -> None:
    taken = {}
    async with connect(Plan(site.address(user, broker.port), user), lambda _: None) as one:
        for topic in EVERY_TOPIC:
            answer = await one.publish(Outgoing(topic, b"x"))
            assert answer.delivered is not answer.refused
            taken[topic] = answer.delivered
    assert taken == {topic: may_write(user, topic) for topic in EVERY_TOPIC}
    assert (True in taken.values()) is (user != "video")


async def test_a_wrong_role_passes_the_broker_and_is_refused_by_the_table(
    site: Site, broker: SiteBroker
) -> None:
    """The broker knows names; what a name may is in the table's roster alone."""
    table = table_with_certificate(site, broker)
    told: list[Received] = []
    plan = Plan(site.address("eye-1", broker.port), "p")
    async with serving(table), connect(plan, told.append) as eye:
        assert await eye.subscribe([TOPICS.below("replies", "eye-1")]) == []
        await until(lambda: table.line.counters.up, SOON_S)
        order = command("c1")
        topic = TOPICS.below("commands", "eye-1", "order_shuffle")
        assert (await eye.publish(Outgoing(topic, order.payload))).delivered
        await until(lambda: len(told) == 1, SOON_S)
        await table.line.stop()
    reason = "type: 'order_shuffle' is not something surveillance may state"
    assert table.door.facts(Malformed) == [Malformed("order_shuffle", reason)]


async def retained_for(broker: SiteBroker, user: str, end: str, writer: Connection) -> set[str]:
    """The topics of everything retained that `mosquitto_sub` gets; a live one at `end` ends it."""
    options = [word for one in EVERYTHING for word in ("-t", one)]
    process = await asyncio.create_subprocess_exec(
        *broker.client("sub", user, "-q", "1", "-F", "%t", "--retained-only", *options),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    shown = asyncio.create_task(process.communicate())
    async with asyncio.timeout(SOON_S):
        while not shown.done():
            await writer.publish(Outgoing(end, b"the end"))
            await asyncio.wait((shown,), timeout=0.1)
    return set(shown.result()[0].decode().splitlines())


@pytest.mark.parametrize(
    ("user", "may_read"),
    [
        ("surveillance",
         {f"tables/T1/{name}" for name in (*LEVELS, ONVIF)} | {"tables/T1/events/a/b"}),
        ("pit", {f"tables/T1/{name}" for name in LEVELS} | {"tables/T1/events/a/b"}),
        ("floor-1", {"tables/T1/replies/floor-1", "tables/T1/replay/floor-1"}),
        ("eye-1", set()),
        ("video", {f"tables/T1/{ONVIF}"}),
        # A table sees nothing of another one; of its own what others could have left there.
        ("T2", set()),
        ("T1", {*(f"tables/T1/{name}" for name in LEVELS), "tables/T1/commands/floor-1/open"}),
    ],
)  # fmt: skip
async def test_mosquitto_sub_sees_what_a_reader_may_and_nothing_else(
    site: Site, broker: SiteBroker, user: str, may_read: set[str]
) -> None:
    # Retained, so that what is there is told however the two meet.
    names = (*LEVELS, ONVIF, "events/a/b", "replies/floor-1", "replay/floor-1")
    async with connect(Plan(site.address("T1", broker.port), "t1"), lambda _: None) as table:
        for name in names:
            assert (await table.publish(Outgoing(f"tables/T1/{name}", b"x", True))).delivered
    async with connect(Plan(site.address("floor-1", broker.port), "p"), lambda _: None) as person:
        order = Outgoing("tables/T1/commands/floor-1/open", b"x", True)
        assert (await person.publish(order)).delivered
    last = {"T1": "alarms/end", "T2": "alarms/end", "video": "onvif-ej/end"}
    writer = "T2" if user == "T2" else "T1"
    end = f"tables/{writer}/{last.get(user, f'replies/{user}')}"
    async with connect(Plan(site.address(writer, broker.port), "end"), lambda _: None) as one:
        assert await retained_for(broker, user, end, one) == may_read


# ---- what the controller refuses, whatever a broker lets through -------------------------------
@pytest.mark.parametrize("role", [*ROLES, None])
def test_a_command_of_a_wrong_role_is_refused_by_the_controller_too(role: str | None) -> None:
    roster = {} if role is None else {"who": role}
    stamp = json.loads(command("c").payload)["issued_at"]
    payload = json.dumps({"id": "c", "issued_at": stamp, "reason": "wet"}).encode()
    order = Order(TOPICS.below("commands", "who", "order_shuffle"), payload, False)
    parsed = parse(TOPICS, roster, order, Moment(NOW_MS, True))
    assert isinstance(parsed, Command if role in LINE[1:] else Rejection)


@pytest.mark.parametrize(
    "topic",
    [
        "tables/T1/commands/eye-1/confirm_void",
        "tables/T1/commands/nobody/open",
        "tables/T1/commands/T1/open",
        "tables/T1/commands//open",
        "tables/T1/commands/floor-1/open/more",
        "tables/T1/commands/open",
        # Another table's command, which a broker should never have handed over.
        "tables/T2/commands/floor-1/open",
    ],
)
def test_a_command_from_where_it_cannot_lawfully_come_is_refused(topic: str) -> None:
    members = json.loads(command("c").payload)
    del members["reason"]
    order = Order(topic, json.dumps(members).encode(), False)
    assert isinstance(parse(TOPICS, ROSTER, order, Moment(NOW_MS, True)), Rejection)


# ---- who gets in -------------------------------------------------------------------------------
async def refused(address: BrokerAddress) -> None:
    """Neither a connection nor, where TLS 1.3 says so only later, an answer."""
    with pytest.raises(BrokerAway):
        async with connect(Plan(address, "x"), lambda _: None):
            pass


async def is_let_in(address: BrokerAddress) -> bool:
    try:
        async with connect(Plan(address, "x"), lambda _: None):
            return True
    except BrokerAway:
        return False


# paho leaves the socket of a failed handshake to the garbage collector, which is heard here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_strangers_and_false_brokers_are_not_believed(
    site: Site, broker: SiteBroker, tmp_path: Path
) -> None:
    port = broker.port
    good = site.address("T1", port)
    other = Site(tmp_path)
    other.make("table", "T1")
    another = dataclasses.replace(
        good, certificate=other.file("T1.crt"), key=other.file("T1.key")
    )  # fmt: skip
    try:
        # Without a certificate, with one of another authority, with the broker's own.
        await refused(dataclasses.replace(good, certificate=None, key=None))
        await refused(another)
        await refused(site.address("broker", port))
        await refused(BrokerAddress("localhost", port))
        # A broker of another authority, and one whose certificate names another host.
        await refused(dataclasses.replace(good, cafile=other.file("ca.crt")))
        await refused(dataclasses.replace(good, host="127.0.0.1"))
        async with connect(Plan(good, "t"), lambda _: None):
            pass
    finally:
        gc.collect()


async def test_tls_below_1_2_is_refused_by_both(site: Site, broker: SiteBroker) -> None:
    context = site.address("T1", broker.port).tls_context()
    assert context is not None
    assert context.minimum_version.name == "TLSv1_2"
    for version, works in (("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
        done = subprocess.run(
            [
                "openssl", "s_client", "-connect", f"localhost:{broker.port}", version,
                "-CAfile", str(site.file("ca.crt")), "-verify_return_error",
                "-cert", str(site.file("T1.crt")), "-key", str(site.file("T1.key")),
            ],
            input="", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ("Cipher is (NONE)" not in done.stdout) is works, (version, done.stderr)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_revoked_certificate_no_longer_comes_in_after_a_reload(
    site: Site, broker: SiteBroker
) -> None:
    site.make("person", "leaver")
    leaver = site.address("leaver", broker.port)
    async with connect(Plan(leaver, "l"), lambda _: None):
        pass
    site.make("revoke", "leaver")
    broker.install()
    broker.reload()
    async with asyncio.timeout(SOON_S):
        while await is_let_in(leaver):
            await asyncio.sleep(0.1)
    async with connect(Plan(site.address("pit", broker.port), "p"), lambda _: None):
        pass
    site.make("person", "leaver")
    async with connect(Plan(leaver, "l"), lambda _: None):
        pass
    gc.collect()


# ---- the script --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("table", "floor-1"), "person already"),
        (("person", "T1"), "table already"),
        (("person", "a/b"), "letters, digits"),
        (("person", "+"), "letters, digits"),
        (("table", "x" * 33), "at most 32"),
        (("table", "broker"), "another name"),
        (("broker", "a b"), "no name and no address"),
        (("revoke", "nobody"), "no certificate in force"),
        (("authority", "Again"), "has an authority"),
        (("frobnicate",), "usage"),
        (("table",), "usage"),
    ],
)
def test_what_the_script_cannot_mean_it_refuses_in_words(
    site: Site, words: tuple[str, ...], why: str
) -> None:
    done = site.tried(*words)
    assert done.returncode in (1, 2)
    assert why in done.stderr


def test_keys_are_the_owners_alone_and_renewals_take_the_place_of_the_old(site: Site) -> None:
    before = site.file("pit.crt").read_bytes()
    site.make("person", "pit")
    assert site.file("pit.crt").read_bytes() != before
    assert not list(site.file("").rglob("*.new"))
    for key in ("pit.key", "private/ca.key", "T1.key"):
        assert stat.S_IMODE(site.file(key).stat().st_mode) == 0o600
    for public in ("pit.crt", "ca.crt", "revoked.crl"):
        assert stat.S_IMODE(site.file(public).stat().st_mode) == 0o644
    shown = site.make("list").stdout
    assert "/OU=table/CN=T1" in shown
    stamps = [line.split()[0] for line in shown.splitlines() if line.endswith("/CN=pit")]
    left_s = calendar.timegm(time.strptime(stamps[-1], "%y%m%d%H%M%SZ")) - time.time()
    assert abs(left_s - 90 * 86_400) < 60


def test_the_authoritys_key_can_have_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "password"
    secret.write_text("canary-4711\n")
    monkeypatch.setenv("AUTHORITY_PASSWORD_FILE", str(secret))
    site = Site(tmp_path)
    site.make("table", "T1")
    assert "ENCRYPTED" in site.file("private/ca.key").read_text()
    monkeypatch.delenv("AUTHORITY_PASSWORD_FILE")
    assert site.tried("table", "T2").returncode == 1
