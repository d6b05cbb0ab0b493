"""Who serves a table is told by the lock on its journal, and asked over the broker."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from controller.broker_port import Plan
from controller.doctor import presence
from controller.doctor.presence import daemon_of, health_of, locker_of, visitor
from controller.journal.store import Store
from controller.messages import Outgoing
from controller.mqtt import connect
from tests.controller.doctor.patients import a_patient
from tests.mqtt.mosquitto import running


async def test_a_table_is_served_by_whoever_holds_its_journal(tmp_path: Path) -> None:
    patient = a_patient(tmp_path)
    assert daemon_of(patient) is None
    journal = patient.settings.journal
    assert journal is not None
    store = await Store.open(journal.path, "demo")
    daemon = daemon_of(patient)
    await store.close()
    assert daemon is not None
    assert daemon.number == os.getpid()
    assert daemon_of(patient) is None


def test_any_kind_of_lock_names_its_holder(tmp_path: Path) -> None:
    file = tmp_path / "port"
    file.touch()
    assert locker_of(file) is None
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        holder = locker_of(file)
    assert holder is not None
    assert str(holder).startswith(f"process {os.getpid()} (")
    assert locker_of(tmp_path / "none") is None


async def test_health_is_what_the_table_said_last(tmp_path: Path) -> None:
    async with running(tmp_path, "allow_anonymous true") as broker:
        patient = a_patient(tmp_path, broker=broker.address())
        assert await health_of(patient) is None
        for payload, told in ((b"nonsense", None), (b"[1]", None), (b'{"a":{"b":1}}', 1)):
            async with connect(Plan(broker.address(), "t"), lambda received: None) as one:
                await one.publish(Outgoing("tables/demo/health", payload, retain=True))
            health = await health_of(patient)
            assert (None if health is None else health["a"]["b"]) == told  # type: ignore[index]
    assert await health_of(patient) is None


async def test_levels_that_strangers_left_hide_neither_health_nor_device(tmp_path: Path) -> None:
    topics = [f"tables/demo/devices/{number}" for number in range(40)]
    told = {"tables/demo/devices/shoe": b'{"link":"up"}', "tables/demo/health": b'{"a":1}'}
    async with running(tmp_path, "allow_anonymous true") as broker:
        patient = a_patient(tmp_path, broker=broker.address())
        async with connect(Plan(broker.address(), "t"), lambda received: None) as one:
            for topic, payload in {**dict.fromkeys(topics, b"{}"), **told}.items():
                await one.publish(Outgoing(topic, payload, retain=True))
        assert await health_of(patient) == {"a": 1, "levels": {"shoe": {"link": "up"}}}


def test_a_lock_on_a_file_that_is_gone_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks, file = tmp_path / "locks", tmp_path / "file"
    file.touch()
    node = file.stat()
    place = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    lines = ("FLOCK  ADVISORY  WRITE 7 <none>:0 0 EOF", f"POSIX  ADVISORY  WRITE 1 {place} 0 EOF")
    locks.write_text("".join(f"{number}: {line}\n" for number, line in enumerate(lines, 1)))
    monkeypatch.setattr(presence, "LOCKS", locks)
    holder = locker_of(file)
    assert holder is not None
    assert holder.number == 1


def test_no_two_visits_have_one_name(tmp_path: Path) -> None:
    patient = a_patient(tmp_path)
    assert visitor(patient) != visitor(patient)
