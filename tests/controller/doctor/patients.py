"""Patients for the doctor's tests: a bench's table in a folder of its own, and what was found."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from config.loader import load
from config.settings import Settings
from controller.broker_address import BrokerAddress
from controller.demo.stage import Stage
from controller.doctor.finding import Finding
from controller.doctor.patient import Ask, Patient

NOWHERE = BrokerAddress("127.0.0.1", 9)


def a_patient(
    home: Path,
    game: str = "fortune-asia-poker",
    broker: BrokerAddress = NOWHERE,
    changes: Sequence[tuple[str, str]] = (),
    ask: Ask | None = None,
    root: Path = Path("/"),
) -> Patient:
    """The table of a demo's stage, its file changed as `changes` say: old text, new text."""
    stage = Stage(home, game, broker, 100.0, 1, ())
    text = stage.config.read_text()
    for old, new in changes:
        assert old in text, f"{old!r} is not in the file"
        text = text.replace(old, new, 1)
    stage.config.write_text(text)
    return Patient(stage.config, load(stage.config), ask=ask, root=root)


def with_settings(patient: Patient, **sections: object) -> Patient:
    settings: Settings = dataclasses.replace(patient.settings, **sections)  # type: ignore[arg-type]
    return dataclasses.replace(patient, settings=settings)


def of(findings: Sequence[Finding], subject: str) -> Finding:
    """The only finding about `subject`; fails where there are more or none."""
    (one,) = [finding for finding in findings if finding.subject == subject]
    return one


def severities(findings: Sequence[Finding]) -> dict[str, str]:
    """The last severity of each subject."""
    return {finding.subject: finding.severity for finding in findings}
