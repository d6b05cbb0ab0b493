"""The broker: reached, known by its certificate, taking what the table says, and from no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from controller.broker_address import BadAddress, BrokerAddress, is_loopback
from controller.broker_port import BrokerAway, Plan, Received
from controller.clock import Clock, SystemClock
from controller.core.stamp import stamp_of
from controller.credentials import ALARM_DAYS, Credentials, Term, read
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.doctor.presence import visitor
from controller.doctor.rights import examine_rights
from controller.mqtt import connect

CHECK = "broker"
# What the system and the broker say, in pieces, and what a technician does about it.
MENDS = {
    "certificate verify failed": (
        "[mqtt.tls] ca must be the authority that signed the broker's certificate, and [mqtt] host"
        " a name that stands in it (config/broker/README.md)"
    ),
    "Not authorized": "the broker does not know this user: look at its password file or authority",
    "user name or password": "compare [mqtt] username and password_file with the broker's users",
    "refused": "start the broker, or correct [mqtt] host and port",
    "not known": "the name cannot be looked up: look at the name server, or write an address",
    "timed out": "a firewall or a wrong address; try `nc -vz HOST PORT`",
    "hung up": "it wants TLS, or a certificate, or does not speak this version of MQTT",
}
MEND_ELSE = "look at the broker's own log, which says why it lets nobody in"


async def examine(patient: Patient, clock: Clock | None = None) -> list[Finding]:
    """Come in by the table's own credentials under another client id, and look around."""
    address = patient.broker()
    now_ms = (clock or SystemClock()).wall_ms()
    found = list(_plain(address))
    try:
        credentials = await asyncio.to_thread(read, address, now_ms)
    except BadAddress as bad:
        mend = "renew or correct the file (config/broker/README.md); docs/mqtt.md says when"
        return [*found, Finding(CHECK, "credentials", "wrong", str(bad), mend)]
    found += _terms(credentials, now_ms)
    plan = Plan(address, visitor(patient), patient.mqtt.keepalive_s, credentials=credentials)
    try:
        async with connect(plan, _pass_over) as connection:
            found.append(Finding(CHECK, "reach", "ok", f"{address.shown}: let in"))
            if (ends_ms := connection.broker_ends_ms) is not None:
                found.append(_term(Term("the broker's certificate", ends_ms), now_ms, "broker"))
            found += await examine_rights(patient, connection)
    except BrokerAway as away:
        text = f"{address.shown}: {away}"
        found.append(Finding(CHECK, "reach", "wrong", text, _mend(str(away)), unreachable=True))
    return found


def _pass_over(received: Received) -> None:
    """Nothing that comes is of interest: only who may send it is."""


def _mend(why: str) -> str:
    return next((mend for piece, mend in MENDS.items() if piece in why), MEND_ELSE)


def _plain(address: BrokerAddress) -> Iterator[Finding]:
    if not address.tls and not is_loopback(address.host):
        text = "without TLS: whoever is on the network can read and forge all that the table says"
        yield Finding(CHECK, "tls", "warning", text, "give it [mqtt.tls]")


def _terms(credentials: Credentials, now_ms: int) -> Iterator[Finding]:
    for subject, term in (("certificate", credentials.own), ("authority", credentials.authority)):
        if term is not None:
            yield _term(term, now_ms, subject)


def _term(term: Term, now_ms: int, subject: str) -> Finding:
    days = term.days(now_ms)
    text = f"{term.file}: good until {stamp_of(term.ends_ms)}, {days} days"
    if days < 0:
        mend = "renew it now (config/broker/certificates.sh)"
        return Finding(CHECK, subject, "wrong", text, mend)
    if days < ALARM_DAYS:
        mend = "renew it now; the table takes new files up by itself (docs/mqtt.md)"
        return Finding(CHECK, subject, "warning", text, mend)
    return Finding(CHECK, subject, "ok", text)
