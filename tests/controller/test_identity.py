"""Which program runs is told by its files, and a changed one knows that it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.core.software import FILE_NAME_MAX
from controller.identity import host_boot, identify, program_digest
from controller.libraries import libraries_in, site_folder
from controller.manifest import HOME, NAME, PACKAGES, program_lines, python_name, text_of


def copied(home: Path) -> Path:
    """The packages as they are installed, with the manifest of their build."""
    for package in PACKAGES:
        shutil.copytree(
            HOME / package, home / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    libraries = {python_name(): libraries_in(site_folder())}
    (home / NAME).write_text(text_of(program_lines(home), libraries))
    return home


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("build"))


def test_the_digest_is_the_same_each_time_and_wherever_the_program_lies(build: Path) -> None:
    first = program_digest()
    assert len(first) == 64
    assert first == program_digest()
    assert first == program_digest(build)


def test_a_checkout_is_compared_with_nothing() -> None:
    here = identify()
    assert (here.changed, here.compared, here.intact) == ((), False, None)


def test_a_build_is_what_its_manifest_says(build: Path) -> None:
    there = identify(build)
    assert (there.changed, there.compared, there.intact) == ((), True, True)
    assert (there.program, there.build) == (identify().program, identify().build)


@pytest.mark.parametrize(
    "name",
    ["hal/link.py", "config/games/dj_wild.toml", "controller/rules/paragraphs/58pa-687a.toml",
     "controller/monitor/page/monitor.js"],
)  # fmt: skip
def test_one_changed_octet_is_told_by_the_name_of_its_file(build: Path, name: str) -> None:
    whole = (build / name).read_bytes()
    (build / name).write_bytes(whole[:-1] + b" ")
    there = identify(build)
    (build / name).write_bytes(whole)
    assert there.changed == (f"{name}: changed",)
    assert there.intact is False
    assert there.build != identify(build).build


def test_a_missing_file_and_a_foreign_one_are_told(build: Path) -> None:
    (build / "hal/draw.py").rename(build / "hal/draw.so")
    there = identify(build)
    (build / "hal/draw.so").rename(build / "hal/draw.py")
    assert there.changed == ("hal/draw.py: missing", "hal/draw.so: not in the manifest")
    assert all(len(one) <= FILE_NAME_MAX for one in there.changed)


def test_a_build_without_its_manifest_is_a_changed_one(build: Path) -> None:
    text = (build / NAME).read_text()
    (build / NAME).unlink()
    there = identify(build)
    (build / NAME).write_text(text)
    assert there.changed == (f"{NAME}: missing",)
    assert there.intact is False


def test_the_kernels_boot_has_a_name() -> None:
    assert host_boot() == host_boot() != ""
