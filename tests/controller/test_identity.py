"""The digest of the program is that of its files."""

from pathlib import Path

import pytest

from controller import identity


def _package(home: Path, content: str) -> Path:
    (home / "games").mkdir(parents=True, exist_ok=True)
    (home / "one.py").write_text(content)
    (home / "games" / "two.toml").write_text("a = 1\n")
    (home / "notes.md").write_text("no part of the program\n")
    return home


def test_the_digest_is_the_same_each_time() -> None:
    first = identity.program_digest()
    assert len(first) == 64
    assert first == identity.program_digest()


def test_a_changed_file_changes_it_and_a_note_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "files", lambda package: tmp_path)
    _package(tmp_path, "x = 1\n")
    before = identity.program_digest()
    (tmp_path / "notes.md").write_text("changed\n")
    assert identity.program_digest() == before
    _package(tmp_path, "x = 2\n")
    assert identity.program_digest() != before
