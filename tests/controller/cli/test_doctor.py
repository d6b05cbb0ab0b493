"""`tablectl doctor` as a person and as a script call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import main
from controller.doctor.examination import CHECKS
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from hal.segments import SEGMENTS
from tests.controller.doctor.patients import a_patient


def test_findings_come_as_lines_with_their_mend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = a_patient(tmp_path).file
    assert main(["doctor", "--config", str(file), "--only", "ports"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"WRONG    ports: shuffler: {tmp_path}/shuffler: nothing is plugged")
    assert lines[1].startswith("         mend: plug the adapter in")
    assert lines[-1] == f"{file}: 2 wrong, 0 warnings"


def test_a_script_gets_an_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = a_patient(tmp_path).file
    words = ["doctor", "--config", str(file), "--only", "secrets", "--only", "pins", "--json"]
    assert main(words) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["check"] for one in records} == {"secrets", "pins"}
    assert all(set(one) == {"check", "subject", "severity", "text", "mend", "unreachable"}
               for one in records)  # fmt: skip


def test_what_a_device_or_the_broker_says_steers_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def said(patient: Patient) -> list[Finding]:
        return [Finding("clock", "x", "warning", "\x1b[2J\ud800\nok", "mend\r")]

    monkeypatch.setitem(CHECKS, "clock", said)
    words = ["doctor", "--config", str(a_patient(tmp_path).file), "--only", "clock"]
    assert main(words) == 0
    first, second, _ = capsys.readouterr().out.split("\n", 2)
    assert first == r"warning  clock: x: \x1b[2J\ud800\nok"
    assert second.endswith(r"mend: mend\r")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "\x1b[2J\ud800\nok"


def test_something_wrong_is_one_and_a_wrong_file_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = a_patient(tmp_path).file
    key = tmp_path / "seal.key"
    key.write_text("canary")
    key.chmod(0o644)
    assert main(["doctor", "--config", str(file), "--only", "secrets"]) == 1
    file.write_text(file.read_text().replace("seats", "seets"))
    assert main(["doctor", "--config", str(file)]) == 2
    assert main(["doctor", "--config", str(tmp_path / "none")]) == 2
    told = capsys.readouterr()
    assert "did you mean 'seats'?" in told.err
    assert "canary" not in told.out + told.err


def asked(file: Path, answers: str, *words: str) -> str:
    """What the command says at a terminal at which these answers are typed."""
    ours, its = os.openpty()
    os.write(ours, answers.encode())
    done = subprocess.run(
        [sys.executable, "-m", "controller", "doctor", "--config", str(file), "--only", "pins",
         *words],
        stdin=its, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    os.close(ours)
    os.close(its)
    assert done.stderr == ""
    return done.stdout


def test_a_person_at_a_terminal_is_asked_what_lights(tmp_path: Path) -> None:
    file = a_patient(tmp_path).file
    said = asked(file, "y\nperhaps\nNo\n" + "yes\n" * (len(SEGMENTS) + 2))
    assert said.count("[y/n]") == 3 + 1 + len(SEGMENTS) + 1
    assert "WRONG    pins: amber: line " in said
    assert f"{file}: 1 wrong, 0 warnings" in said


def test_nobody_is_asked_where_it_is_not_wanted_or_where_nobody_sits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = a_patient(tmp_path).file
    assert "[y/n]" not in asked(file, "", "--no-ask")
    assert main(["doctor", "--config", str(file), "--only", "pins"]) == 0
    assert "[y/n]" not in capsys.readouterr().out
