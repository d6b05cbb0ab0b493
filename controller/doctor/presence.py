"""Whether the table is being served now: a running one is asked, and never disturbed."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from controller.broker_address import BadAddress
from controller.broker_port import BrokerAway, Plan, Received
from controller.doctor.patient import Patient, Process
from controller.messages import Topics
from controller.mqtt import connect

LOCKS = Path("/proc/locks")
# A retained level comes with the answer to the subscription; a slow broker needs a moment more.
LEVEL_S_MAX = 3.0
# Those with a port: their levels alone are asked for, since anybody may leave others there.
DEVICES = ("shuffler", "shoe")
# How /proc/locks writes a file that is gone.
GONE = "<none>:0"


def locker_of(file: Path) -> Process | None:
    """The process that holds a lock on `file`; None where there is none, or no such file."""
    try:
        node = file.stat()
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    wanted = (os.major(node.st_dev), os.minor(node.st_dev), node.st_ino)
    for line in lines:
        # `1: POSIX  ADVISORY  WRITE 1234 fe:01:5678 0 EOF`; one who waits has `->` in between.
        words = line.split()
        if len(words) < 6 or words[1] == "->" or words[5] == GONE:
            continue
        major, minor, inode = words[5].split(":")
        if (int(major, 16), int(minor, 16), int(inode)) == wanted:
            return Process(int(words[4]), _name_of(words[4]))
    return None


def _name_of(number: str) -> str:
    try:
        return Path("/proc", number, "comm").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return "name unknown"


def daemon_of(patient: Patient) -> Process | None:
    """Who serves the table: whoever holds its journal."""
    return locker_of(patient.journal.path)


def unseen(patient: Patient) -> str | None:
    """Why it cannot be told who serves the table; None where it can."""
    path = patient.journal.path
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path}: {error.strerror}"
    return None


async def health_of(patient: Patient) -> Mapping[str, object] | None:
    """What the table last said of itself, and under `levels` of each device as it is now; None
    where the broker is away or nothing is there."""
    topics = Topics(patient.mqtt.prefix, patient.settings.table.id)
    own, levels = topics.below("health"), {topics.below("devices", one): one for one in DEVICES}
    heard: dict[str, bytes] = {}
    told = asyncio.Event()

    def hear(received: Received) -> None:
        if received.topic in (own, *levels):
            heard[received.topic] = received.payload
        if received.topic == own:
            told.set()

    try:
        async with connect(Plan(patient.broker(), visitor(patient)), hear) as connection:
            # In this order, so that the devices are there once the health is.
            await connection.subscribe(list(levels))
            await connection.subscribe([own])
            async with asyncio.timeout(LEVEL_S_MAX):
                await told.wait()
    except (BrokerAway, BadAddress, TimeoutError):
        return None
    health = _object_of(heard[own])
    if health is None:
        return None
    said = {name: _object_of(heard[topic]) for topic, name in levels.items() if topic in heard}
    return {**health, "levels": said}


def _object_of(payload: bytes) -> dict[str, object] | None:
    try:
        said = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def visitor(patient: Patient) -> str:
    """A client id that nobody else has: the table's own would end the table's connection."""
    return f"doctor-{patient.settings.table.id}-{secrets.token_hex(4)}"
