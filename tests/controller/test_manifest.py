"""A manifest is read by `sha256sum`, and what differs is told by name."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from controller.libraries import Library
from controller.manifest import (
    FILE_OCTETS_MAX,
    HOME,
    NAME,
    OCTETS_MAX,
    UNREADABLE,
    differences,
    is_checkout,
    part_for,
    program_lines,
    python_name,
    shipped,
    text_of,
)

ONE = "a" * 64
TWO = "b" * 64
TEXT = (
    f"# table-controller 1.0\n{ONE}  hal/link.py\n# python3.11 aiomqtt 2.5.1 {ONE}\n"
    f"# python3.13 aiomqtt 2.5.1 {TWO}\n"
)


def test_an_inspector_checks_it_with_a_tool_of_every_system(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.txt"
    manifest.write_text(text_of(program_lines(), {}))
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", "--strict", str(manifest)],
        cwd=HOME, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


def test_it_lists_code_profiles_paragraphs_and_the_page_once_each() -> None:
    names = [line[66:] for line in program_lines()]
    assert {"hal/link.py", "config/games/blackjack.toml", "controller/monitor/page/index.html",
            "controller/rules/paragraphs/58pa-633a.toml"} <= set(names)  # fmt: skip
    assert len(names) == len(set(names))
    assert not [name for name in names if "__pycache__" in name or name.endswith(".md")]


def test_a_build_for_two_pythons_is_read_by_each_without_the_others_libraries() -> None:
    part = part_for(TEXT, "python3.13")
    assert part.count("aiomqtt") == 1
    assert TWO in part
    assert part.count("hal/link.py") == 1
    library = Library("aiomqtt", "2.5.1", Path(), ())
    assert f"# python3.13 aiomqtt 2.5.1 {library.digest}\n" in text_of(
        (), {"python3.13": [library]}
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (ONE, TWO, ("hal/link.py: changed", "python3.11 aiomqtt: changed")),
        (
            "hal/link.py",
            "hal/lint.py",
            ("hal/link.py: missing", "hal/lint.py: not in the manifest"),
        ),
        ("controller 1.0", "controller 1.1", ("table-controller: changed",)),
        ("aiomqtt 2.5.1 b", "aiomqtt 2.5.2 b", ("python3.13 aiomqtt: changed",)),
        ("", "", ()),
    ],
)
def test_what_differs_is_told_by_name(old: str, new: str, told: tuple[str, ...]) -> None:
    assert differences(TEXT, TEXT.replace(old, new)) == told


def test_a_text_that_is_no_manifest_differs_in_everything() -> None:
    assert len(differences("nonsense\n\n# \n", TEXT)) > 3


def test_what_a_spoiled_manifest_names_can_be_put_on_record() -> None:
    told = differences(f"{TEXT}{ONE}  \x1b[2J\tx.py\n", TEXT)
    assert told == (r"\x1b[2J\tx.py: missing",)


def test_what_is_no_text_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "controller").mkdir()
    assert shipped(tmp_path) is None
    (tmp_path / "controller" / "manifest.txt").write_bytes(b"\xff\xfe")
    assert shipped(tmp_path) is None


def test_a_manifest_that_is_a_pipe_or_without_end_is_none_and_keeps_nobody_waiting(
    tmp_path: Path,
) -> None:
    (tmp_path / "controller").mkdir()
    manifest = tmp_path / NAME
    os.mkfifo(manifest)
    assert shipped(tmp_path) is None
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    assert shipped(tmp_path) is None
    manifest.unlink()
    for size, there in ((OCTETS_MAX, True), (OCTETS_MAX + 1, False)):
        manifest.write_bytes(b"#" * size)
        assert (shipped(tmp_path) is not None) is there


def test_a_file_s_name_cannot_speak_for_another_file(tmp_path: Path) -> None:
    """The trick: a changed file, its old text under a name that goes on in a second line."""
    (tmp_path / "hal").mkdir()
    (tmp_path / "hal" / "a.py").write_text("old")
    (tmp_path / "hal" / "b.py").write_text("other")
    before = text_of(program_lines(tmp_path), {})
    (tmp_path / "hal" / "a.py").write_text("new")
    other = next(line for line in before.splitlines() if line.endswith("b.py")).partition(" ")[0]
    folder = tmp_path / "hal" / f"a.py\n{other}  hal"
    folder.mkdir()
    (folder / "b.py").write_text("old")
    told = differences(before, text_of(program_lines(tmp_path), {}))
    assert told[0] == "hal/a.py: changed"
    assert len(told) == 2


def test_a_name_that_is_no_text_and_a_file_without_end_are_told(tmp_path: Path) -> None:
    (tmp_path / "hal").mkdir()
    (tmp_path / "hal" / os.fsdecode(b"\xff.py")).write_text("")
    with (tmp_path / "hal" / "long.py").open("wb") as file:
        file.truncate(FILE_OCTETS_MAX + 1)
    lines = program_lines(tmp_path)
    assert f"{UNREADABLE}  hal/long.py" in lines
    assert any(line.endswith(r"hal/\udcff.py") for line in lines)
    assert text_of(lines, {}).encode()


def test_a_checkout_is_known_by_what_a_build_lacks(tmp_path: Path) -> None:
    assert is_checkout()
    assert not is_checkout(tmp_path)
    assert re.fullmatch(r"python3\.\d+", python_name())
