"""The thorough look: compiled files, libraries, strangers; each with the real thing broken."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
from pathlib import Path

import pytest

from controller.libraries import NAMES, site_folder
from controller.manifest import HOME, NAME, PACKAGES
from controller.verification import strangers, verify_build, wrong_compiled
from tests.controller.test_identity import copied


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("build"))


def compiled(folder: Path, text: str, mode: py_compile.PycInvalidationMode) -> tuple[Path, Path]:
    source = folder / "one.py"
    source.write_text(text)
    target = py_compile.compile(str(source), doraise=True, invalidation_mode=mode)
    return source, Path(str(target))


BY_TIME = py_compile.PycInvalidationMode.TIMESTAMP
UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


def test_a_build_that_is_as_it_was_has_nothing_wrong(build: Path) -> None:
    found = verify_build(home=build)
    assert found.wrong == ()
    assert found.identity.intact
    assert found.files > 500
    assert found.libraries == len(NAMES)


def test_another_manifest_may_be_held_against_it(build: Path) -> None:
    text = (build / NAME).read_text()
    assert verify_build(text, home=build).wrong == ()
    other = text.replace("hal/link.py", "hal/lint.py")
    assert verify_build(other, home=build).wrong == (
        "hal/link.py: not in the manifest", "hal/lint.py: missing",
    )  # fmt: skip


@pytest.mark.parametrize("mode", [BY_TIME, UNCHECKED])
def test_compiled_code_that_is_not_its_sources_is_found(
    tmp_path: Path, mode: py_compile.PycInvalidationMode
) -> None:
    """The trick: the compiled file of another source under the head of the right one."""
    source, target = compiled(tmp_path, "least = 10\n", mode)
    names = [(tmp_path, Path("one.py"))]
    assert list(wrong_compiled(names)) == []
    head = target.read_bytes()[:16]
    _, target = compiled(tmp_path, "least = 99\n", mode)
    target.write_bytes(head + target.read_bytes()[16:])
    source.write_text("least = 10\n")
    stamp = int.from_bytes(head[8:12], "little")
    if mode is BY_TIME:
        os.utime(source, (stamp, stamp))
    (wrong,) = wrong_compiled(names)
    assert wrong.endswith(f"__pycache__/{target.name}: not made from its source")
    target.write_bytes(head + b"broken")
    assert len(list(wrong_compiled(names))) == 1


def test_a_compiled_file_that_python_would_make_anew_is_no_harm(tmp_path: Path) -> None:
    source, target = compiled(tmp_path, "least = 10\n", BY_TIME)
    source.write_text("least = 100\n")
    assert list(wrong_compiled([(tmp_path, Path("one.py"))])) == []
    target.write_bytes(b"short")
    assert list(wrong_compiled([(tmp_path, Path("one.py"))])) == []
    assert target == Path(importlib.util.cache_from_source(str(source)))


def test_what_belongs_to_no_library_is_named(tmp_path: Path) -> None:
    (tmp_path / "a-1.dist-info").mkdir()
    (tmp_path / "a-1.dist-info" / "RECORD").write_text("a/b.py,,\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "ours.pth").write_text(f"{HOME}\n")
    assert list(strangers(tmp_path)) == []
    (tmp_path / "ours.pth").write_text("import evil\n")
    (tmp_path / "sitecustomize.py").write_text("")
    assert list(strangers(tmp_path)) == [
        "ours.pth: belongs to no library", "sitecustomize.py: belongs to no library",
    ]  # fmt: skip


def test_what_lies_beside_our_packages_is_named(build: Path) -> None:
    (build / "lgpio.py").write_text("")
    try:
        assert verify_build(home=build).wrong == ("lgpio.py: belongs to no package",)
    finally:
        (build / "lgpio.py").unlink()


def test_a_name_that_is_no_text_is_told_in_letters(build: Path) -> None:
    file = build / os.fsdecode(b"\xff\x1b.py")
    file.write_text("")
    try:
        assert verify_build(home=build).wrong == (r"\udcff\x1b.py: belongs to no package",)
    finally:
        file.unlink()


def test_pipes_and_lists_that_are_no_text_end_no_look(tmp_path: Path) -> None:
    source, target = compiled(tmp_path, "least = 10\n", BY_TIME)
    target.unlink()
    os.mkfifo(target)
    (wrong,) = wrong_compiled([(tmp_path, Path("one.py"))])
    assert wrong.endswith(f"{target.name}: is not a regular file")
    target.unlink()
    source.unlink()
    target.parent.rmdir()
    os.mkfifo(tmp_path / "ours.pth")
    for name, octets in (("a", b"\xff"), ("b", b"")):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "RECORD").write_bytes(octets)
    assert list(strangers(tmp_path)) == [
        "a-1.dist-info: belongs to no library", "ours.pth: belongs to no library",
    ]  # fmt: skip


def test_a_source_that_no_compiler_follows_is_no_error(tmp_path: Path) -> None:
    source, target = compiled(tmp_path, "least = 10\n", BY_TIME)
    source.write_text("(" * 100_000)
    stamp = int.from_bytes(target.read_bytes()[8:12], "little")
    head = target.read_bytes()
    target.write_bytes(head[:12] + source.stat().st_size.to_bytes(4, "little") + head[16:])
    os.utime(source, (stamp, stamp))
    (wrong,) = wrong_compiled([(tmp_path, Path("one.py"))])
    assert wrong.endswith("not made from its source")


def test_a_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    site = site_folder()
    assert site is not None
    for info in site.glob("pyserial-*.dist-info"):
        shutil.copytree(info, tmp_path / info.name)
    wrong = verify_build(site=tmp_path).wrong
    assert "aiomqtt: not installed" in wrong
    assert "pyserial: not installed" not in wrong
    assert any(one.startswith("serial/__init__.py: No such file") for one in wrong)
    assert PACKAGES == ("config", "controller", "hal")
