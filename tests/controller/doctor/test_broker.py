"""The broker with the real thing wrong: away, a stranger's, ended certificates, wrong rights."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import sqlite3
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from controller.clock import SystemClock
from controller.credentials import DAY_MS
from controller.demo.stage import TABLE
from controller.doctor import broker as doctor
from controller.doctor.patient import Patient, Process
from controller.journal.tables import BROKER, create
from tests.controller.doctor.patients import a_patient, of, severities
from tests.mqtt.mosquitto import Mosquitto, free_port
from tests.mqtt.site import Site


def with_record(patient: Patient) -> Patient:
    """One event that the broker has had."""
    journal = patient.settings.journal
    assert journal is not None
    with contextlib.closing(sqlite3.connect(journal.path)) as connection, connection:
        create(connection, TABLE, "fortune-asia-poker")
        connection.execute("INSERT INTO events VALUES (1, 1, 'table.closed', 1, 'h', '{\"a\":1}')")
        connection.execute("INSERT INTO events VALUES (2, 1, 'table.opened', 1, 'h', '{}')")
        connection.execute("INSERT INTO cursors VALUES (?, 1)", (BROKER,))
    return patient


def site_of(tmp_path: Path) -> tuple[Site, Mosquitto]:
    (tmp_path / "site").mkdir()
    site = Site(tmp_path / "site")
    site.make("table", TABLE)
    return site, site.broker()


async def test_nobody_listens(tmp_path: Path) -> None:
    patient = a_patient(tmp_path, broker=BrokerAddress("127.0.0.1", free_port()))
    found = of(await doctor.examine(patient), "reach")
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert found.mend == "start the broker, or correct [mqtt] host and port"


async def test_a_bench_broker_lets_everybody_do_everything(tmp_path: Path) -> None:
    with Mosquitto(tmp_path).running() as broker:
        found = await doctor.examine(with_record(a_patient(tmp_path, broker=broker.address())))
    assert severities(found) == {
        "reach": "ok", "own topics": "ok", "events": "ok", "commands": "ok", "others": "warning",
    }  # fmt: skip
    assert "acknowledged within" in of(found, "own topics").text


async def test_a_site_as_it_is_shipped_is_in_order(tmp_path: Path) -> None:
    site, broker = site_of(tmp_path)
    with broker.running():
        address = site.address(TABLE, broker.port)
        found = await doctor.examine(with_record(a_patient(tmp_path, broker=address)))
    assert severities(found) == {
        "certificate": "ok", "authority": "ok", "broker": "ok", "reach": "ok",
        "own topics": "ok", "events": "ok", "commands": "ok", "others": "ok",
    }  # fmt: skip
    assert "Not authorized" in of(found, "others").text


async def test_another_tables_certificate_may_not_speak_for_this_one(tmp_path: Path) -> None:
    site, broker = site_of(tmp_path)
    site.make("table", "t-2")
    with broker.running():
        address = site.address("t-2", broker.port)
        found = await doctor.examine(with_record(a_patient(tmp_path, broker=address)))
    assert of(found, "own topics").severity == "wrong"
    assert of(found, "events").severity == "wrong"
    assert "config/broker/acl" in of(found, "events").mend


# paho leaves the socket of a failed handshake to the garbage collector, which is heard here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_stranger_among_brokers_is_not_believed(tmp_path: Path) -> None:
    site, broker = site_of(tmp_path)
    (tmp_path / "other").mkdir()
    other = Site(tmp_path / "other")
    with broker.running():
        address = dataclasses.replace(
            site.address(TABLE, broker.port), cafile=other.file("ca.crt")
        )  # fmt: skip
        found = of(await doctor.examine(a_patient(tmp_path, broker=address)), "reach")
    gc.collect()
    assert found.severity == "wrong"
    assert "certificate verify failed" in found.text
    assert "[mqtt.tls] ca" in found.mend


@pytest.mark.parametrize(("left_days", "severity"), [(7, "ok"), (6, "warning"), (0, "warning")])
async def test_a_certificate_is_warned_of_before_its_end(
    tmp_path: Path, left_days: int, severity: str
) -> None:
    site, broker = site_of(tmp_path)
    site.make("table", TABLE, days=left_days + 1)
    with broker.running():
        address = site.address(TABLE, broker.port)
        found = of(await doctor.examine(a_patient(tmp_path, broker=address)), "certificate")
    assert found.severity == severity
    assert f"{left_days} days" in found.text


class Late(SystemClock):
    """A clock that is a year ahead."""

    def wall_ms(self) -> int:
        return super().wall_ms() + 365 * DAY_MS


async def test_a_certificate_that_has_ended_is_not_even_shown(tmp_path: Path) -> None:
    site, broker = site_of(tmp_path)
    address = site.address(TABLE, broker.port)
    found = await doctor.examine(a_patient(tmp_path, broker=address), Late())
    assert severities(found) == {"credentials": "wrong"}
    assert f"{TABLE}.crt: ended at " in found[0].text


async def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    site, broker = site_of(tmp_path)
    site.file(f"{TABLE}.key").unlink()
    address = site.address(TABLE, broker.port)
    found = await doctor.examine(a_patient(tmp_path, broker=address))
    assert severities(found) == {"credentials": "wrong"}
    assert f"{TABLE}.key" in found[0].text


async def test_the_older_protocol_cannot_tell_of_others(tmp_path: Path) -> None:
    with Mosquitto(tmp_path).running() as broker:
        found = await doctor.examine(a_patient(tmp_path, broker=broker.address("3.1.1")))
    assert of(found, "others").severity == "info"
    assert of(found, "events").severity == "info", "there is no record yet"


async def test_a_broker_elsewhere_without_tls_is_warned_of(tmp_path: Path) -> None:
    """A name that nobody has: RFC 6761."""
    patient = a_patient(tmp_path, broker=BrokerAddress("broker.invalid", free_port()))
    found = severities(await doctor.examine(patient))
    assert found == {"tls": "warning", "reach": "wrong"}


@pytest.mark.parametrize(("refusing", "severity"), [(True, "wrong"), (False, "ok")])
async def test_a_running_table_says_itself_whether_its_events_are_taken(
    tmp_path: Path, refusing: bool, severity: str
) -> None:
    told = {"outbox": {"refusing": refusing, "depth": 0}}
    with Mosquitto(tmp_path).running() as broker:
        patient = dataclasses.replace(
            with_record(a_patient(tmp_path, broker=broker.address())),
            daemon=Process(1, "tablectl"), health=told,
        )  # fmt: skip
        found = await doctor.examine(patient)
    assert of(found, "events").severity == severity
