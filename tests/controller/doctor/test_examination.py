"""All checks in their order, of a bench that is well and of one that is served."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from controller.cli.doctor import NAMES
from controller.demo.stage import Stage
from controller.doctor import ports, presence
from controller.doctor.examination import CHECKS, examined
from controller.doctor.finding import Finding, exit_code_of
from controller.doctor.patient import Patient
from controller.journal.source import open_source
from tests.controller.doctor.patients import a_patient, of, severities, with_settings
from tests.mqtt.mosquitto import running
from tests.system.table_process import table_process

SPEAKING_S_MAX = 60


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there ends the waiting; how fast a busy machine is matters to nobody."""
    monkeypatch.setattr(ports, "LISTEN_S_MAX", 60.0)
    monkeypatch.setattr(presence, "LEVEL_S_MAX", 60.0)


def test_the_command_knows_every_check() -> None:
    assert tuple(CHECKS) == NAMES


async def test_a_bench_with_broker_and_devices_has_nothing_wrong(tmp_path: Path) -> None:
    async with running(tmp_path, "allow_anonymous true") as broker:
        patient = a_patient(tmp_path, broker=broker.address())
        stage = Stage(tmp_path, "fortune-asia-poker", broker.address(), 100.0, 1, ())
        devices = [asyncio.create_task(one.run()) for one in (stage.shuffler, stage.shoe)]
        # The program's own check takes its time and has its own test.
        found = [one async for one in examined(patient, NAMES[1:])]
        for device in devices:
            device.cancel()
        await asyncio.gather(*devices, return_exceptions=True)
    assert exit_code_of(found) == 0, [one for one in found if one.severity == "wrong"]
    assert list(dict.fromkeys(one.check for one in found)) == list(NAMES[1:])


async def test_whoever_may_not_look_is_told_so_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    """A folder that leads round in a circle lets nobody in, root neither."""
    patient = a_patient(tmp_path)
    (tmp_path / "round").symlink_to("round")
    assert patient.settings.journal is not None
    place = tmp_path / "round" / "journal"
    journal = dataclasses.replace(patient.settings.journal, path=place)
    patient = with_settings(patient, journal=journal)
    found = [one async for one in examined(patient, ("clock",))]
    assert found[0].severity == "warning"
    assert "whether the table is being served now cannot be told" in found[0].text
    assert {one.check for one in found} == {"table", "clock"}


@pytest.mark.parametrize(
    ("trouble", "mend"), [(PermissionError(13, "no", "/x"), "sudo"), (OSError("gone"), "dmesg")]
)
async def test_a_check_that_cannot_look_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: OSError, mend: str
) -> None:
    async def shut(patient: Patient) -> list[Finding]:
        raise trouble

    monkeypatch.setitem(CHECKS, "secrets", shut)
    found = [one async for one in examined(a_patient(tmp_path), ("secrets", "clock"))]
    assert (found[0].check, found[0].severity) == ("secrets", "wrong")
    assert "not looked at: " in found[0].text
    assert mend in found[0].mend
    assert {one.check for one in found} == {"secrets", "clock"}


async def test_a_running_table_is_asked_and_not_disturbed(tmp_path: Path) -> None:
    """No link is lost, no port opened, nothing refused: its record knows of no visit."""
    async with running(tmp_path, "allow_anonymous true") as broker:
        stage = Stage(tmp_path, "fortune-asia-poker", broker.address(), 100.0, 1, ())
        devices = [asyncio.create_task(one.run()) for one in (stage.shuffler, stage.shoe)]
        patient = a_patient(tmp_path, broker=broker.address())
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            assert table.process is not None
            async with asyncio.timeout(SPEAKING_S_MAX):
                while True:
                    found = [one async for one in examined(patient, ("disk", "broker", "ports"))]
                    if of(found, "shoe").severity == "ok":
                        break
            found += [one async for one in examined(patient, ("pins",))]
            await table.end()
        for device in devices:
            device.cancel()
        await asyncio.gather(*devices, return_exceptions=True)
    assert f"served by process {table.process.pid} (" in found[0].text
    assert "in use by the table itself" in of(found, "shoe").text
    assert severities(found)["panel"] == "info"
    assert "its journal came round" in of(found, "sync").text
    assert exit_code_of(found) == 0, [one for one in found if one.severity == "wrong"]
    with open_source(stage.journal) as source:
        told = b"".join(turn.body for turn in source.turns())
    assert b'"up":false' not in told
    assert b"level_corrected" not in told
