"""The shipped mosquitto configuration and ACL, as they are, against a real mosquitto."""

from __future__ import annotations

import asyncio
import datetime
import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Plan, Received
from controller.core.outputs import Outputs
from controller.journal.tables import STORE
from controller.messages import Outgoing
from controller.mqtt import connect
from tests.mqtt.mosquitto import Mosquitto, program, until
from tests.mqtt.recording import recording
from tests.mqtt.rooms import TOPICS, MemoryJournal, listener, serving, table_at
from tests.mqtt.test_command_desk import command

SHIPPED = Path("config/broker")
USERS = ("T1", "T2", "floor-1", "eye-1", "surveillance", "pit")


def shipped_lines(home: Path, *, certificates: bool) -> list[str]:
    """The shipped file with this machine's paths; by passwords, the change of its comment."""
    acl = home / "tables.acl"
    acl.write_text((SHIPPED / "acl").read_text())
    acl.chmod(0o600)
    # Debian's own mosquitto.conf, which includes ours, has these two; the second may stand once.
    kept = ["persistence true", f"persistence_location {home}/"]
    for line in (SHIPPED / "mosquitto.conf").read_text().splitlines():
        word, _, value = line.partition(" ")
        if word in ("cafile", "certfile", "keyfile"):
            line = f"{word} {home / Path(value).name}"
        if word == "acl_file":
            line = f"acl_file {acl}"
        tls = word in (
            "cafile", "certfile", "keyfile", "tls_version", "require_certificate",
            "use_identity_as_username",
        )  # fmt: skip
        if word != "listener" and (certificates or not tls):
            kept.append(line)
    if not certificates:
        kept.append(f"password_file {home / 'passwd'}")
    return kept


@pytest.fixture
def by_password(tmp_path: Path) -> Iterator[Mosquitto]:
    passwords = tmp_path / "passwd"
    passwords.touch()
    for user in USERS:
        subprocess.run(
            [program("mosquitto_passwd"), "-b", str(passwords), user, "secret"], check=True
        )
    broker = Mosquitto(tmp_path, *shipped_lines(tmp_path, certificates=False))
    broker.start()
    yield broker
    broker.stop()


async def test_table_person_and_surveillance_do_their_work(by_password: Mosquitto) -> None:
    table = table_at(by_password, MemoryJournal(), username="T1")
    person = listener(by_password, TOPICS.below("replies", "floor-1"), username="floor-1")
    room = listener(by_password, "tables/+/events/#", username="surveillance", name="room")
    async with serving(table), person as (hand, told), room as (_, seen):
        await until(lambda: table.line.counters.up)
        assert table.line.counters.filters_refused == 0
        table.commit(150, Outputs(alarms={"A1": {}}, devices={"shoe": {}}))
        await until(lambda: len(seen) == 150)
        assert (await hand.publish(command("c1"))).delivered
        await until(lambda: len(told) == 1)
        assert table.line._parts.levels.refused == 0
        await table.line.stop()


async def test_the_rooms_recorder_does_its_work(by_password: Mosquitto, tmp_path: Path) -> None:
    table = table_at(by_password, MemoryJournal(), username="T1", recorder="surveillance")
    address = by_password.address("5", "surveillance", "secret")
    topics = ("recorders/+/status", "recorders/+/alarms/+")
    pit = listener(by_password, *topics, username="pit", name="pit")
    store = tmp_path / "room.sqlite"
    async with recording(address, store, principal="surveillance"), pit as (_, shown):
        async with serving(table):
            await until(lambda: table.line.counters.up)
            table.commit(50)
            await until(lambda: table.journal.cursors.get(STORE) == 50, 20)
        await until(lambda: any("/alarms/" in one.topic for one in shown), 20)


@pytest.mark.parametrize(
    ("user", "topic"),
    [
        ("floor-1", "tables/T1/commands/eye-1/annotate"),
        ("floor-1", "tables/T1/commands/floor-10/open"),
        ("floor-1", "tables/T1/events/round/dealt"),
        ("floor-1", "tables/T1/status"),
        ("floor-1", "tables/T1/replies/floor-1"),
        ("T2", "tables/T1/status"),
        ("T2", "tables/T1/events/round/dealt"),
        ("T1", "tables/T1/commands/floor-1/open"),
        ("surveillance", "tables/T1/state"),
        ("pit", "elsewhere"),
        ("pit", "recorders/surveillance/status"),
    ],
)
async def test_nobody_writes_where_he_should_not(
    by_password: Mosquitto, user: str, topic: str
) -> None:
    async with listener(by_password, username=user) as (one, _):
        assert (await one.publish(Outgoing(topic, b"x"))).refused


async def test_nobody_reads_another_ones_answers(by_password: Mosquitto) -> None:
    topic = TOPICS.below("replies", "floor-1")
    other = listener(by_password, topic, "tables/+/replies/#", username="eye-1", name="other")
    own = listener(by_password, topic, username="floor-1")
    async with other as (_, overheard), own as (_, heard):
        async with listener(by_password, username="T1", name="t") as (table, _):
            assert (await table.publish(Outgoing(topic, b"x"))).delivered
        await until(lambda: len(heard) == 1)
        await asyncio.sleep(0.05)
    assert overheard == []


async def test_a_stranger_does_not_come_in(by_password: Mosquitto) -> None:
    plan = Plan(by_password.address(), "stranger")
    with pytest.raises(BrokerAway):
        async with connect(plan, lambda _: None):
            pass


# ---- certificates ------------------------------------------------------------------------------
class Authority:
    """A certificate authority of one test."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        self._write("ca", self._name, self._key, authority=True)

    def issue(self, name: str, *, common_name: str | None = None) -> None:
        """Write NAME.crt and NAME.key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name or name)])
        self._write(name, subject, key, authority=False)

    def _write(
        self, name: str, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, authority: bool
    ) -> None:
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            # From Python 3.13 on a chain without these three is not believed.
            .add_extension(_usage(authority), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        (self.home / f"{name}.crt").write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
        )
        (self.home / f"{name}.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )


def _usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority, key_cert_sign=authority, crl_sign=authority,
        content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip


# paho leaves the socket of a failed handshake to the garbage collector, which is heard here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_certificates_name_the_user_and_a_false_broker_is_not_believed(
    tmp_path: Path,
) -> None:
    home = tmp_path / "broker"
    home.mkdir()
    authority = Authority(home)
    authority.issue("broker", common_name="localhost")
    authority.issue("T1")
    broker = Mosquitto(home, *shipped_lines(home, certificates=True))
    broker.start()
    address = BrokerAddress(
        "localhost", broker.port, tls=True, cafile=home / "ca.crt",
        certificate=home / "T1.crt", key=home / "T1.key",
    )  # fmt: skip
    heard: list[Received] = []
    try:
        async with connect(Plan(address, "t"), heard.append) as one:
            assert (await one.publish(Outgoing("tables/T1/state", b"x"))).delivered
            assert (await one.publish(Outgoing("tables/T2/state", b"x"))).refused
        (tmp_path / "other").mkdir()
        Authority(tmp_path / "other")
        for wrong in (
            BrokerAddress("localhost", broker.port, tls=True, cafile=home / "ca.crt"),
            BrokerAddress(
                "localhost", broker.port, tls=True, cafile=tmp_path / "other" / "ca.crt",
                certificate=home / "T1.crt", key=home / "T1.key",
            ),
            BrokerAddress(
                "127.0.0.1", broker.port, tls=True, cafile=home / "ca.crt",
                certificate=home / "T1.crt", key=home / "T1.key",
            ),
        ):  # fmt: skip
            with pytest.raises(BrokerAway):
                async with connect(Plan(wrong, "t"), heard.append):
                    pass
    finally:
        broker.stop()
        gc.collect()
