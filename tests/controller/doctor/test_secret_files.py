"""Secrets: readable by others, missing, and handed out by systemd at the start alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from controller.doctor import secret_files
from controller.doctor.patient import Patient
from tests.controller.doctor.patients import a_patient, of, severities, with_settings


def with_password(patient: Patient, file: Path) -> Patient:
    mqtt = patient.settings.mqtt
    assert mqtt is not None
    return with_settings(patient, mqtt=dataclasses.replace(mqtt, password_file=file))


@pytest.mark.parametrize(
    ("mode", "severity"),
    [
        (0o600, "ok"),
        (0o400, "ok"),
        (0o640, "ok"),
        (0o644, "wrong"),
        (0o660, "wrong"),
        (0o602, "wrong"),
    ],
)
async def test_a_password_that_others_may_read_is_none(
    tmp_path: Path, mode: int, severity: str
) -> None:
    file = tmp_path / "password"
    file.write_text("canary\n")
    file.chmod(mode)
    found = await secret_files.examine(with_password(a_patient(tmp_path), file))
    one = of(found, "mqtt.password_file")
    assert (one.severity, bool(one.mend)) == (severity, severity == "wrong")
    assert f"mode {mode:03o}" in one.text
    assert "canary" not in repr(found)


async def test_a_file_that_is_not_there_is_wrong_but_the_key_that_the_start_makes(
    tmp_path: Path,
) -> None:
    found = await secret_files.examine(with_password(a_patient(tmp_path), tmp_path / "none"))
    assert severities(found) == {"journal.key": "info", "mqtt.password_file": "wrong"}


async def test_what_systemd_will_hand_out_is_looked_at_where_it_lies(tmp_path: Path) -> None:
    named = Path("/run/credentials/table-controller@demo.service/mqtt-password")
    patient = with_password(a_patient(tmp_path, root=tmp_path), named)
    found = of(await secret_files.examine(patient), "mqtt.password_file")
    assert found.severity == "wrong"
    assert "LoadCredential" in found.mend
    source = tmp_path / "etc/table-controller/secrets/demo/mqtt-password"
    source.parent.mkdir(parents=True)
    source.write_text("canary\n")
    source.chmod(0o600)
    found = of(await secret_files.examine(patient), "mqtt.password_file")
    assert found.severity == "ok"
    assert patient.broker().password_file == source
