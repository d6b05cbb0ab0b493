"""The libraries are those of the lock file, and each file is what its library's list says."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from controller.libraries import NAMES, libraries_in, site_folder
from tests.meta.sources import ROOT


def a_site(home: Path, record: str | None = None) -> Path:
    """A folder with one library of two files."""
    info = home / "aiomqtt-2.5.1.dist-info"
    info.mkdir()
    (home / "aiomqtt").mkdir()
    lines = []
    for name, content in (("__init__.py", b"x = 1\n"), ("client.py", b"y = 2\n")):
        (home / "aiomqtt" / name).write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"aiomqtt/{name},sha256={digest},{len(content)}")
    lines += ["aiomqtt-2.5.1.dist-info/METADATA,sha256=AAAA,1", "../../bin/x,sha256=AAAA,1"]
    (info / "RECORD").write_text("\n".join(lines) if record is None else record)
    return home


def test_they_are_those_of_the_lock_file() -> None:
    """setuptools is for building; it does not come with a table."""
    locked = re.findall(r"^(\S+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert set(NAMES) == set(locked) - {"setuptools"}


def test_all_of_them_are_found_where_the_program_imports_them_from() -> None:
    found = libraries_in(site_folder())
    assert sorted(one.name for one in found) == sorted(NAMES)
    assert all(one.version and one.files for one in found)


def test_a_file_that_is_not_as_listed_is_told(tmp_path: Path) -> None:
    (library,) = libraries_in(a_site(tmp_path))
    assert (library.name, library.version, len(library.files)) == ("aiomqtt", "2.5.1", 2)
    assert list(library.wrong_files()) == []
    (tmp_path / "aiomqtt" / "client.py").write_bytes(b"y = 3\n")
    (tmp_path / "aiomqtt" / "__init__.py").unlink()
    assert list(library.wrong_files()) == [
        "aiomqtt/__init__.py: No such file or directory", "aiomqtt/client.py: changed",
    ]  # fmt: skip


def test_another_list_is_another_digest(tmp_path: Path) -> None:
    (before,) = libraries_in(a_site(tmp_path))
    record = tmp_path / "aiomqtt-2.5.1.dist-info" / "RECORD"
    record.write_text("\n".join(record.read_text().splitlines()[1:]))
    (after,) = libraries_in(tmp_path)
    assert before.digest != after.digest


@pytest.mark.parametrize("record", ["aiomqtt/client.py,sha256=A,1", "\x00", ""])
def test_a_list_that_cannot_be_read_proves_nothing(tmp_path: Path, record: str) -> None:
    found = libraries_in(a_site(tmp_path, record))
    assert found == () or found[0].files == ()


def test_nowhere_is_nothing(tmp_path: Path) -> None:
    assert libraries_in(None) == ()
    assert libraries_in(tmp_path / "none") == ()
