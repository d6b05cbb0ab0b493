"""Ports with the real thing wrong: no adapter, a busy one, a silent or a foreign device."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from pathlib import Path

import pytest

from config.loader import load
from controller.doctor import ports
from controller.doctor.patient import Patient, Process
from hal.port import PortSettings, open_port
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler
from hal.sim.wire import PtyEnd
from tests.controller.doctor.patients import a_patient, of, severities, with_settings
from tests.hal.wires import Pty, beat, event, hello
from tests.meta.sources import ROOT


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that greets ends the listening; how fast a busy machine is matters to nobody."""
    monkeypatch.setattr(ports, "LISTEN_S_MAX", 60.0)


def alone(patient: Patient) -> Patient:
    """The shoe is enough."""
    return with_settings(patient, shuffler=None)


async def test_nothing_is_plugged_in(tmp_path: Path) -> None:
    found = await ports.examine(a_patient(tmp_path))
    assert severities(found) == {"shuffler": "wrong", "shoe": "wrong"}
    assert all(one.unreachable and one.mend for one in found)
    assert str(tmp_path / "shoe") in of(found, "shoe").text


@pytest.mark.usefixtures("patience")
async def test_both_devices_of_a_bench_say_who_they_are(tmp_path: Path) -> None:
    """The line that it offers for the file is one that the file takes."""
    patient = a_patient(tmp_path)
    devices = [
        asyncio.create_task(one.run())
        for one in (
            Shuffler(PtyEnd(tmp_path / "shuffler"), 1.0, 1), Shoe(PtyEnd(tmp_path / "shoe"), 1.0, 2)
        )
    ]  # fmt: skip
    while not (tmp_path / "shoe").exists() or not (tmp_path / "shuffler").exists():
        await asyncio.sleep(0.01)
    found = await ports.examine(patient)
    assert [one.severity for one in found] == ["ok", "warning", "ok", "warning"]
    text = patient.file.read_text()
    for name, one in (("shuffler", found[1]), ("shoe", found[3])):
        line = one.mend.removeprefix(f"[{name}] ")
        text = text.replace(f"[{name}]\n", f"[{name}]\n{line}\n")
    patient.file.write_text(text)
    pinned = dataclasses.replace(patient, settings=load(patient.file))
    assert [one.severity for one in await ports.examine(pinned)] == ["ok", "ok"]
    for device in devices:
        device.cancel()
    await asyncio.gather(*devices, return_exceptions=True)


async def test_a_port_that_another_program_holds_names_it(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    held = await open_port(PortSettings(str(tmp_path / "shoe")))
    found = of(await ports.examine(alone(a_patient(tmp_path))), "shoe")
    held.close()
    pty.unplug()
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert f"in use by process {os.getpid()} (" in found.text


async def test_a_silent_device_is_not_there(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    found = of(await ports.examine(alone(a_patient(tmp_path))), "shoe")
    pty.unplug()
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert "nothing is heard" in found.text


async def test_what_is_no_serial_port_says_so(tmp_path: Path) -> None:
    (tmp_path / "shoe").write_text("a file\n")
    found = of(await ports.examine(alone(a_patient(tmp_path))), "shoe")
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert found.text.count(str(tmp_path / "shoe")) == 2, "the reason names it as well"


async def said(patient: Patient, pty: Pty, octets: list[bytes]) -> list[ports.Finding]:
    """What is found while a device says `octets` again and again."""

    async def speak() -> None:
        while True:
            for one in octets:
                pty.say(one)
            await asyncio.sleep(0.2)

    speaking = asyncio.create_task(speak())
    found = await ports.examine(patient)
    speaking.cancel()
    await asyncio.gather(speaking, return_exceptions=True)
    return found


async def test_octets_that_make_no_frame_point_to_the_speed(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    found = of(await said(alone(a_patient(tmp_path)), pty, [b"U" * 64]), "shoe")
    pty.unplug()
    assert (found.severity, found.unreachable) == ("wrong", False)
    assert "no frame of tdp1" in found.text
    assert "baud (115200)" in found.mend


async def test_a_port_that_goes_away_meanwhile_is_told_from_a_wrong_speed(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    listening = asyncio.create_task(ports.examine(alone(a_patient(tmp_path))))
    async with asyncio.timeout(60):
        while not pty.hear():
            await asyncio.sleep(0.05)
    pty.say(b"U" * 64)
    pty.unplug()
    found = of(await listening, "shoe")
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert "lost while it was listened to" in found.text
    assert "plug" in found.mend


async def test_a_serial_server_that_is_away_is_no_matter_of_rights(tmp_path: Path) -> None:
    patient = alone(a_patient(tmp_path))
    assert patient.settings.shoe is not None
    shoe = dataclasses.replace(patient.settings.shoe, port="tcp://127.0.0.1:9")
    found = of(await ports.examine(with_settings(patient, shoe=shoe)), "shoe")
    assert (found.severity, found.unreachable) == ("wrong", True)
    assert found.mend == "start the serial server there, or correct [shoe] port"


@pytest.mark.usefixtures("patience")
async def test_another_device_than_the_files_is_wrong(tmp_path: Path) -> None:
    one = '[shoe]\nidentity = { make = "M", model = "X", serial = "S1" }\n'
    patient = alone(a_patient(tmp_path, changes=[("[shoe]\n", one)]))
    pty = Pty(tmp_path / "shoe")
    found = await said(patient, pty, [hello(1, serial="S2")])
    assert of(found, "shoe").severity == "wrong"
    assert "M X S2" in of(found, "shoe").text
    right = await said(patient, pty, [hello(1, boot=0x1A2C, serial="S1")])
    pty.unplug()
    assert severities(right) == {"shoe": "ok"}


async def test_a_device_that_never_says_who_it_is_may_hear_nothing(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    found = of(await said(alone(a_patient(tmp_path)), pty, [beat(1)]), "shoe")
    pty.unplug()
    assert found.severity == "warning"


@pytest.mark.usefixtures("patience")
async def test_another_shuffler_than_the_approved_one_is_wrong(tmp_path: Path) -> None:
    changes = [("[shuffler]\n", 'approved_device = "Y"\n[shuffler]\n')]
    patient = with_settings(a_patient(tmp_path, changes=changes), shoe=None)
    pty = Pty(tmp_path / "shuffler")
    found = await said(patient, pty, [hello(1, device="shuffler")])
    pty.unplug()
    assert [one.severity for one in found] == ["ok", "warning", "wrong"]
    assert "the approved device is Y, and X answers" in found[-1].text


async def test_an_event_that_the_doctor_heard_is_left_for_the_table(tmp_path: Path) -> None:
    """Acknowledged it would never be recorded."""
    pty = Pty(tmp_path / "shoe")
    await said(alone(a_patient(tmp_path)), pty, [beat(1), event(1)])
    heard = pty.hear()
    pty.unplug()
    assert b"|STATUS|" in heard
    assert b"|ACK|" not in heard
    assert b"LOCK" not in heard


@pytest.mark.parametrize(
    ("health", "severity"),
    [({"link": "up"}, "ok"), ({"link": "down", "error": "no carrier"}, "wrong"), (None, "info")],
)
async def test_a_running_tables_port_is_left_alone(
    tmp_path: Path, health: dict[str, object] | None, severity: str
) -> None:
    pty = Pty(tmp_path / "shoe")
    daemon = Process(os.getpid(), "tablectl")
    told = None if health is None else {"levels": {"shoe": health}, "devices": {"shoe": health}}
    patient = dataclasses.replace(alone(a_patient(tmp_path)), daemon=daemon, health=told)
    found = of(await ports.examine(patient), "shoe")
    assert pty.hear() == b""
    pty.unplug()
    assert found.severity == severity
    assert f"in use by the table itself, process {os.getpid()} (tablectl)" in found.text


async def test_a_table_without_ports_has_nothing_to_look_at(tmp_path: Path) -> None:
    patient = with_settings(a_patient(tmp_path), shuffler=None, shoe=None)
    assert severities(await ports.examine(patient)) == {"devices": "info"}


def of_lines(tmp_path: Path) -> Patient:
    """A shuffler that prints lines, described by the example's file."""
    driver = f'driver = "lines"\ndriver_file = "{ROOT}/config/drivers/example-shuffler.toml"'
    port = f'port = "{tmp_path}/shuffler"\ndriver = "tdp1"'
    changes = [(port, f'port = "{tmp_path}/shuffler"\n{driver}')]
    return with_settings(a_patient(tmp_path, changes=changes), shoe=None)


@pytest.mark.usefixtures("patience")
async def test_a_device_that_prints_lines_is_heard_by_its_driver_file(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shuffler")
    found = await said(of_lines(tmp_path), pty, [b"LAMP G\r\n", b"QUINCE Q9 #77 V1.2\r\n"])
    asked = pty.hear()
    pty.unplug()
    assert found[0].severity == "ok"
    assert "Quince Q9, serial 77, firmware 1.2" in found[0].text
    assert asked.startswith(b"V\r\n")


async def test_lines_without_a_name_are_in_order_all_the_same(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shuffler")
    found = await said(of_lines(tmp_path), pty, [b"LAMP G\r\n"])
    pty.unplug()
    assert [one.severity for one in found] == ["ok"]


async def test_octets_that_make_no_line_point_to_the_driver_file(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shuffler")
    found = of(await said(of_lines(tmp_path), pty, [b"U" * 64]), "shuffler")
    pty.unplug()
    assert (found.severity, found.unreachable) == ("wrong", False)
    assert "no line of" in found.text
    assert "example-shuffler.toml" in found.text
    assert "baud (9600)" in found.mend
