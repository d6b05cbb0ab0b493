"""What the broker lets a table do, tried out: its own topics yes, another table's no.

Nothing that is sent can be taken for a word of the table: answers to nobody, a record that was
published before, and topics of a table that does not exist.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sqlite3
from pathlib import Path

from controller.broker_address import is_loopback
from controller.broker_port import Delivery
from controller.clock import SystemClock
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.journal.tables import BROKER
from controller.messages import Outgoing, Topics, event_message
from controller.mqtt import Connection

CHECK = "broker"
# A broker that has not answered by then is as good as away for a table.
ANSWER_S_MAX = 10.0
NS_PER_MS = 1_000_000
ACL = "install config/broker/acl at the broker, with this table's user (config/broker/README.md)"


async def examine_rights(patient: Patient, connection: Connection) -> list[Finding]:
    """Try each right once; the other table comes last, since some brokers hang up on that."""
    prefix = patient.mqtt.prefix
    topics = Topics(prefix, patient.settings.table.id)
    nobody = f"doctor-{secrets.token_hex(4)}"
    found = [await _own(connection, topics.below("replies", nobody))]
    found.append(await _events(patient, connection, topics))
    refused = await connection.subscribe([topics.commands])
    if refused:
        text = f"may not hear its commands ({refused[0]})"
        found.append(Finding(CHECK, "commands", "wrong", text, ACL))
    else:
        found.append(Finding(CHECK, "commands", "ok", "may hear its commands"))
    other = Topics(prefix, nobody)
    found.append(await _another(patient, connection, other.below("replies", nobody)))
    return found


async def _sent(connection: Connection, message: Outgoing) -> Delivery:
    try:
        async with asyncio.timeout(ANSWER_S_MAX):
            return await connection.publish(message)
    except TimeoutError:
        return Delivery(-1, f"no answer within {ANSWER_S_MAX:g} s")


async def _own(connection: Connection, topic: str) -> Finding:
    clock = SystemClock()
    began_ns = clock.mono_ns()
    delivery = await _sent(connection, Outgoing(topic, b""))
    took_ms = (clock.mono_ns() - began_ns) // NS_PER_MS
    if delivery.delivered:
        return Finding(CHECK, "own topics", "ok", f"QoS 1, acknowledged within {took_ms} ms")
    text = f"may not write its own topics ({topic}): {delivery.reason}"
    return Finding(CHECK, "own topics", "wrong", text, ACL)


async def _events(patient: Patient, connection: Connection, topics: Topics) -> Finding:
    """The right that the record depends on, tried with a record that was published before."""
    if patient.daemon is not None:
        if patient.healthy("outbox", "refusing") is True:
            text = "the broker refuses the running table's events"
            return Finding(CHECK, "events", "wrong", text, ACL)
        depth = patient.healthy("outbox", "depth")
        return Finding(CHECK, "events", "ok", f"the table runs; {depth} events wait to be sent")
    last = await asyncio.to_thread(_last_event, patient.journal.path)
    if last is None:
        text = "not tried: there is no record yet that could be sent again"
        return Finding(CHECK, "events", "info", text)
    kind, body = last
    delivery = await _sent(connection, event_message(topics, kind, body, historical=True))
    if delivery.delivered:
        return Finding(CHECK, "events", "ok", "its last event was taken again")
    text = f"may not write its events ({topics.event(kind)}): {delivery.reason}"
    return Finding(CHECK, "events", "wrong", text, ACL)


def _last_event(journal: Path) -> tuple[str, bytes] | None:
    """Type and bytes of the last event that the broker has had; None where there is none."""
    # Immutable: no lock and no log beside the file, which would be ours and not the table's.
    place = f"{journal.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as connection:
            row = connection.execute(
                "SELECT type, body FROM events WHERE sequence <="
                " (SELECT max(sequence) FROM cursors WHERE name = ?)"
                " ORDER BY sequence DESC LIMIT 1",
                (BROKER,),
            ).fetchone()
    except sqlite3.Error:
        # What is wrong with a record is told by `journal verify`.
        return None
    return None if row is None else (str(row[0]), str(row[1]).encode())


async def _another(patient: Patient, connection: Connection, topic: str) -> Finding:
    if patient.mqtt.protocol != "5":
        text = "whether it could write another table's topics: MQTT 3.1.1 has no answer for that"
        mend = 'try once with [mqtt] protocol = "5"'
        return Finding(CHECK, "others", "info", text, mend)
    delivery = await _sent(connection, Outgoing(topic, b""))
    if not delivery.delivered:
        return Finding(CHECK, "others", "ok", f"may not write another's: {delivery.reason}")
    text = f"may write another table's topics ({topic})"
    if is_loopback(patient.mqtt.host):
        return Finding(CHECK, "others", "warning", f"{text}: well on a bench alone", ACL)
    return Finding(CHECK, "others", "wrong", text, ACL)
