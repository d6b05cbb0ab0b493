"""Ports: there, free, spoken on, and by the device that the table's file names."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from controller.doctor.finding import Finding
from controller.doctor.patient import Patient, Process
from controller.doctor.presence import locker_of
from hal import facts
from hal.device import SerialDevice, new_boot
from hal.port import PortSettings, warning_of
from hal.ports import Heard
from hal.protocols.lines import driver_of
from hal.protocols.message import Driver
from hal.session import Pin

if TYPE_CHECKING:
    from config.sections import Device

CHECK = "ports"
# Six heartbeats; a device that greets is known long before.
LISTEN_S_MAX = 3.0
# Of a device that talks without end the last facts are enough.
FACTS_MAX = 256
TCP = "tcp://"


async def examine(patient: Patient) -> list[Finding]:
    """Each device that the file names."""
    found: list[Finding] = []
    for name, section in (
        ("shuffler", patient.settings.shuffler), ("shoe", patient.settings.shoe),
    ):  # fmt: skip
        if section is not None and section.port is not None:
            found += await _device(patient, name, section, section.port)
        elif section is not None:
            found.append(Finding(CHECK, name, "info", "has no port; its pins are looked at"))
    return found or [Finding(CHECK, "devices", "info", "the file names no device with a port")]


def _is_missing(port: str) -> bool:
    return not port.startswith(TCP) and not Path(port).exists()


async def _device(patient: Patient, name: str, section: Device, port: str) -> list[Finding]:
    found = []
    if (unwise := warning_of(port)) is not None:
        mend = "name it in /etc/udev/rules.d/90-table-devices.rules (docs/install.md)"
        found.append(Finding(CHECK, name, "warning", unwise, mend))
    if _is_missing(port):
        mend = "plug the adapter in, or correct the path; udevadm info tells what is there"
        text = f"{port}: nothing is plugged in there"
        return [*found, Finding(CHECK, name, "wrong", text, mend, unreachable=True)]
    holder = None if port.startswith(TCP) else locker_of(Path(port))
    if patient.daemon is not None and holder in (None, patient.daemon):
        return [*found, _of_running(patient, name, port, patient.daemon)]
    if holder is not None:
        text = f"{port}: in use by {holder}"
        mend = f"end {holder}; ModemManager is kept away by the shipped udev rules"
        return [*found, Finding(CHECK, name, "wrong", text, mend, unreachable=True)]
    return [*found, *await _spoken(patient, name, section, port)]


def _of_running(patient: Patient, name: str, port: str, daemon: Process) -> Finding:
    """The table's own word; the port is left alone."""
    up = patient.healthy("levels", name, "link")
    said = f"{port}: in use by the table itself, {daemon}"
    if up == "up":
        return Finding(CHECK, name, "ok", f"{said}; its link is up")
    if up is None:
        return Finding(CHECK, name, "info", f"{said}; its health topic does not tell more")
    error = patient.healthy("devices", name, "error")
    text = f"{said}; nothing is heard" + (f": {error}" if error else "")
    return Finding(CHECK, name, "wrong", text, "look at cable and supply", unreachable=True)


async def _spoken(patient: Patient, name: str, section: Device, port: str) -> list[Finding]:
    heard: deque[object] = deque(maxlen=FACTS_MAX)
    identity = section.identity
    pin = None if identity is None else Pin(identity.make, identity.model, identity.serial)

    known = asyncio.Event()

    def hear(one: Heard) -> None:
        # The receipt is not called: what was not recorded is not acknowledged, and comes again.
        heard.append(one.fact)
        if isinstance(one.fact, facts.Identity | facts.IdentityChanged):
            known.set()

    talk = patient.settings.lines.get(name)
    driver: str | Driver = section.driver or "tdp1"
    if talk is not None:
        driver = driver_of(talk, new_boot(None))
    baud = section.baud if talk is None else talk.baud
    device = SerialDevice(name, PortSettings(port, baud), hear, driver, pin)
    running = asyncio.create_task(device.run())
    try:
        async with asyncio.timeout(LISTEN_S_MAX):
            await known.wait()
    except TimeoutError:
        pass
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    status = device.status()
    return list(_judged(patient, name, section, list(heard), status))


def _judged(
    patient: Patient, name: str, section: Device, heard: list[object], status: dict[str, object]
) -> Iterator[Finding]:
    port = section.port
    assert port is not None, "only a device with a port is listened to"
    if status["losses"]:
        text = f"{port}: lost while it was listened to: {status['error']}"
        mend = "look at plug, cable and supply; `dmesg` tells what the adapter did"
        yield Finding(CHECK, name, "wrong", text, mend, unreachable=True)
        return
    if status["octets_in"] == 0:
        why = f": {status['error']}" if status["error"] else ""
        mend = f"switch the {name} on; look at the cable, and whether RX and TX are crossed"
        if why and port.startswith(TCP):
            mend = f"start the serial server there, or correct [{name}] port"
        elif why:
            mend = "the account must be in the group dialout, and the path a serial port"
        text = f"{port}: nothing is heard for {LISTEN_S_MAX:g} s{why}"
        yield Finding(CHECK, name, "wrong", text, mend, unreachable=True)
        return
    other = [one for one in heard if isinstance(one, facts.IdentityChanged)]
    if other:
        told = f"{other[-1].make} {other[-1].model} {other[-1].serial}"
        text = f"{port}: another device answers than [{name}.identity] names: {told}"
        yield Finding(CHECK, name, "wrong", text, "connect the right one, or correct the file")
        return
    if not any(isinstance(one, facts.Link) and one.up for one in heard):
        text = f"{port}: {status['octets_in']} octets, and no "
        talk = patient.settings.lines.get(name)
        if talk is None:
            text += f"frame of {section.driver or 'tdp1'}"
            mend = f"compare [{name}] baud ({section.baud}) and driver with the device's settings"
        else:
            text += f"line of {section.driver_file}"
            mend = f"compare its baud ({talk.baud}) and lines with what the device prints"
        yield Finding(CHECK, name, "wrong", text, mend)
        return
    known = [one for one in heard if isinstance(one, facts.Identity)]
    if not known:
        text = f"{port}: it speaks, and does not say who it is"
        if name in patient.settings.lines:
            # Few devices that print lines have a word for that.
            yield Finding(CHECK, name, "ok", text)
            return
        yield Finding(CHECK, name, "warning", text, "a device that hears nothing: look at our TX")
        return
    one = known[-1]
    text = f"{port}: {one.make} {one.model}, serial {one.serial}, firmware {one.firmware}"
    yield Finding(CHECK, name, "ok", text)
    if section.identity is None:
        mend = f'[{name}] identity = {{ make = "{one.make}", model = "{one.model}",'
        mend += f' serial = "{one.serial}" }}'
        yield Finding(CHECK, name, "warning", "any device may answer on this port", mend)
    approved = patient.settings.game.approved_device
    if approved is not None and name == "shuffler" and one.model != approved:
        text = f"the approved device is {approved}, and {one.model} answers"
        yield Finding(CHECK, name, "wrong", text, "without it the exemption is lost")
