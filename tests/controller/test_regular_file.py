"""What is put in a file's place neither holds the reader up nor fills its memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.regular_file import octets_of


@pytest.mark.parametrize(("size", "fits"), [(0, True), (10, True), (11, False)])
def test_a_file_is_read_up_to_its_bound(tmp_path: Path, size: int, fits: bool) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * size)
    if fits:
        assert octets_of(file, 10) == b"x" * size
        return
    with pytest.raises(OSError, match="has more than 10 octets"):
        octets_of(file, 10)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(OSError, match="is not a regular file"):
            octets_of(tmp_path / name, 10)
    with pytest.raises(IsADirectoryError):
        octets_of(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        octets_of(tmp_path / "none", 10)


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert octets_of(tmp_path / "link", 1) == b"x"
