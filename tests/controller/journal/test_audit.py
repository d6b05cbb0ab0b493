"""What `verify` tells people: the verdict, what it rests on, and how far."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pytest

from controller.errors import UserError
from controller.journal import audit
from controller.journal.audit import main, words
from controller.journal.proof.report import Problem, Report
from controller.journal.seal import Sealer
from tests.controller.journal.forging import export_of, with_true_end, write_sealed
from tests.controller.journal.writing import MIX

PATH = Path("j")


def test_a_record_without_a_checked_signature_says_so() -> None:
    report = Report("j", "T-1", inputs=3, events=2, last=2)
    assert "no signature was checked: name the table's public key with --key" in words(PATH, report)
    report.unchecked = 2
    assert "no signature was checked; 2 by keys that nobody named" in words(PATH, report)


def test_it_is_said_how_far_a_signature_and_a_witness_reach() -> None:
    report = Report("j", "T-1", 7, inputs=3, events=4, last=9, sealed=8, keys=["ab"], witnessed=6)
    said = words(PATH, report)
    assert "begins at input 7, event 6" in said
    assert "signed by key ab up to event 8; events 9 to 9 are covered by no signature yet" in said
    assert "the same at the witness, up to event 6" in said
    report.sealed = 9
    assert "covered by no" not in words(PATH, report)


def test_a_problem_is_the_first_thing_that_is_said() -> None:
    report = Report("j", "T-1", inputs=3, problem=Problem("event 4", "hash", "is other"))
    first, second = words(PATH, report).splitlines()
    assert first == "j: table T-1: event 4: hash: is other"
    assert second.startswith("  in order before it: 3 inputs")


def test_progress_is_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert audit.progress_on_terminal(PATH) is None
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    tell = audit.progress_on_terminal(PATH)
    assert tell is not None
    for done in (0, 1, 500, 501, 1000):
        tell(done, 1000)
    assert shown.getvalue().count("\r") == 3
    assert "50 %" in shown.getvalue()


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sealer = Sealer.from_file(tmp_path / "key")
    write_sealed(tmp_path / "j", 6, sealer)
    (tmp_path / "pub").write_text(sealer.public_key.hex(), encoding="ascii")
    journal, key = str(tmp_path / "j"), str(tmp_path / "pub")
    assert main([journal, "--key", key, "--against", journal]) == 0
    (tmp_path / "e").write_bytes(b"".join(with_true_end(export_of(MIX))))
    assert main([journal, str(tmp_path / "e"), "--key", key]) == 1
    assert main([journal, "--key", str(tmp_path / "none")]) == 2
    assert main([journal, "--key", journal]) == 2
    assert main([str(tmp_path / "none")]) == 2
    assert main([journal, "--against", str(tmp_path / "pub")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_key_file_is_named_in_its_error(tmp_path: Path) -> None:
    args = argparse.Namespace(key=[tmp_path / "k"], against=[], json=False)
    (tmp_path / "k").write_bytes(b"00" * 32)
    with pytest.raises(UserError, match="k: no public key of Ed25519"):
        audit.run([], args)
