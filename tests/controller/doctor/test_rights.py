"""Each right taken away at a real broker, one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.broker_port import Plan
from controller.demo.stage import TABLE
from controller.doctor.patient import Patient
from controller.doctor.rights import examine_rights
from controller.mqtt import connect
from tests.controller.doctor.patients import a_patient, severities
from tests.controller.doctor.test_broker import with_record
from tests.mqtt.mosquitto import running

RIGHTS = {
    "own topics": f"topic write tables/{TABLE}/replies/#",
    "events": f"topic write tables/{TABLE}/events/#",
}


async def found_with(home: Path, *lines: str) -> dict[str, str]:
    acl = home / "acl"
    acl.write_text("\n".join((*lines, f"topic read tables/{TABLE}/commands/#", "")))
    # mosquitto refuses one day what the world may read.
    acl.chmod(0o600)
    async with running(home, "allow_anonymous true", f"acl_file {acl}") as broker:
        patient: Patient = with_record(a_patient(home, broker=broker.address()))
        async with connect(Plan(broker.address(), "t"), lambda received: None) as connection:
            return severities(await examine_rights(patient, connection))


async def test_a_table_with_its_own_rights_and_no_more_is_in_order(tmp_path: Path) -> None:
    found = await found_with(tmp_path, *RIGHTS.values())
    assert found == dict.fromkeys(("own topics", "events", "commands", "others"), "ok")


@pytest.mark.parametrize("missing", list(RIGHTS))
async def test_a_right_that_is_missing_is_found(tmp_path: Path, missing: str) -> None:
    found = await found_with(
        tmp_path, *(line for name, line in RIGHTS.items() if name != missing)
    )  # fmt: skip
    assert [name for name, severity in found.items() if severity != "ok"] == [missing]


async def test_a_right_that_is_too_much_is_found(tmp_path: Path) -> None:
    found = await found_with(tmp_path, "topic write tables/#")
    assert found["others"] == "warning"
