"""The service: files that are missing, no watchdog, no way to the broker."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from controller.doctor import unit
from controller.doctor.patient import Patient
from tests.controller.doctor.patients import a_patient, of, severities
from tests.meta.sources import ROOT

ELSEWHERE = BrokerAddress(
    "broker.example", 8883, tls=True, certificate=Path("/c.pem"), key=Path("/k.pem")
)


def installed(root: Path) -> Path:
    """The units and rules where the package puts them."""
    for pattern, folder in (
        ("*.service", "usr/lib/systemd/system"), ("*.timer", "usr/lib/systemd/system"),
        ("*.rules", "etc/udev/rules.d"),
    ):  # fmt: skip
        (root / folder).mkdir(parents=True, exist_ok=True)
        for file in (ROOT / "systemd").glob(pattern):
            shutil.copy(file, root / folder)
    return root


async def found_at(patient: Patient) -> dict[str, str]:
    found = severities(await unit.examine(patient))
    # Whether this machine has the account is not the test's business.
    found.pop("account", None)
    return found


async def test_a_checkout_is_served_by_hand(tmp_path: Path) -> None:
    assert await found_at(a_patient(tmp_path, root=tmp_path)) == {"files": "info"}


async def test_an_installed_program_without_its_unit_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit, "is_checkout", lambda: False)
    found = await unit.examine(a_patient(tmp_path, root=tmp_path))
    missing = [one.text for one in found if one.subject == "files"]
    assert len(missing) == 3
    assert all(one.severity == "wrong" for one in found)


async def test_the_shipped_files_are_in_order(tmp_path: Path) -> None:
    patient = a_patient(tmp_path, root=installed(tmp_path / "root"))
    assert await found_at(patient) == {"files": "ok", "watchdog": "ok"}


async def test_a_unit_without_a_watchdog_is_wrong(tmp_path: Path) -> None:
    root = installed(tmp_path / "root")
    patient = a_patient(tmp_path, root=root)
    drop_in = root / "etc/systemd/system" / f"table-controller@{patient.file.stem}.service.d"
    drop_in.mkdir(parents=True)
    (drop_in / "own.conf").write_text("[Service]\nWatchdogSec=30\n")
    assert "30 s" in of(await unit.examine(patient), "watchdog").text
    file = root / "usr/lib/systemd/system/table-controller@.service"
    file.write_text(file.read_text().replace("WatchdogSec=15\n", ""))
    (drop_in / "own.conf").unlink()
    assert (await found_at(patient))["watchdog"] == "wrong"


async def test_a_broker_that_the_unit_may_not_call_is_found(tmp_path: Path) -> None:
    root = installed(tmp_path / "root")
    patient = a_patient(tmp_path, broker=ELSEWHERE, root=root)
    found = of(await unit.examine(patient), "network")
    assert found.severity == "wrong"
    assert "broker.example" in found.text
    drop_in = root / "etc/systemd/system/table-controller@.service.d"
    drop_in.mkdir(parents=True)
    (drop_in / "network.conf").write_text("[Service]\nIPAddressAllow=10.20.0.0/16\n")
    assert "network" not in await found_at(patient)


async def test_a_boards_own_watchdog_is_recommended(tmp_path: Path) -> None:
    root = installed(tmp_path / "root")
    (root / "dev").mkdir()
    (root / "dev/watchdog0").write_text("")
    patient = a_patient(tmp_path, root=root)
    assert (await found_at(patient))["watchdog"] == "warning"
    (root / "etc/systemd/system.conf.d").mkdir(parents=True)
    (root / "etc/systemd/system.conf.d/w.conf").write_text("[Manager]\nRuntimeWatchdogSec=15\n")
    assert (await found_at(patient))["watchdog"] == "ok"
