"""Every package of a board exists for its processor, with a hash that the lock file has."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.meta.sources import ROOT
from tests.systemd.wheels import GLIBC, LIST, LOCKS, MACHINE, whole_list


class Wheel(NamedTuple):
    """A line of the list."""

    python: str
    name: str
    sha256: str

    @property
    def package(self) -> str:
        """Its name as lock files write it."""
        return self.name.partition("-")[0].lower().replace("_", "-").replace(".", "-")


def wheels(python: str) -> list[Wheel]:
    lines = [line.split() for line in LIST.read_text().splitlines() if not line.startswith("#")]
    return [Wheel(*line) for line in lines if line[0] == python]


def locked(lock: str) -> dict[str, str]:
    """Package -> its block of the lock file."""
    blocks = re.split(r"^(?=[a-z0-9])", (ROOT / lock).read_text(), flags=re.MULTILINE)[1:]
    return {block.partition("==")[0]: block for block in blocks}


def serves(name: str, python: str) -> bool:
    """Whether a wheel of this name runs on a board with that Python."""
    interpreter, abi, platform = name.removesuffix(".whl").split("-")[-3:]
    own = "cp" + python.replace(".", "")
    if platform == "any":
        return abi == "none" and "py3" in interpreter
    stable = abi == "abi3" and int(interpreter.removeprefix("cp3")) <= int(python[2:])
    glibc = [int(minor) for minor in re.findall(rf"manylinux_2_(\d+)_{MACHINE}", platform)]
    fits = min(glibc, default=99) <= max(GLIBC) or f"manylinux2014_{MACHINE}" in platform
    return fits and (stable or (interpreter == abi == own))


@pytest.mark.parametrize("python", LOCKS)
def test_every_locked_package_has_a_wheel_for_the_board(python: str) -> None:
    packages = locked(LOCKS[python])
    listed = {wheel.package: wheel for wheel in wheels(python)}
    assert listed.keys() == packages.keys(), "run python -m tests.systemd.wheels (after .ci/lock)"
    for package, wheel in listed.items():
        version = re.match(rf"{re.escape(package)}==(\S+)", packages[package])
        assert version is not None
        assert wheel.name.split("-")[1] == version[1]
        assert f"--hash=sha256:{wheel.sha256}" in packages[package], wheel.name
        assert serves(wheel.name, python), wheel.name


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("a-1-py3-none-any.whl", True),
        ("a-1-py2.py3-none-any.whl", True),
        ("a-1-cp311-abi3-manylinux_2_34_aarch64.whl", True),
        ("a-1-cp311-abi3-manylinux_2_35_aarch64.whl", False),
        ("a-1-cp314-abi3-manylinux_2_34_aarch64.whl", False),
        ("a-1-cp313-cp313-manylinux2014_aarch64.manylinux_2_17_aarch64.whl", True),
        ("a-1-cp312-cp312-manylinux_2_17_aarch64.whl", False),
        ("a-1-cp313-cp313-manylinux_2_17_x86_64.whl", False),
        ("a-1-cp313-cp313-musllinux_1_2_aarch64.whl", False),
    ],
)
def test_a_wheel_serves_by_its_python_and_its_platform(name: str, right: bool) -> None:
    assert serves(name, "3.13") is right


def test_the_package_is_built_from_the_locks_that_are_listed() -> None:
    script = (ROOT / "systemd" / "package" / "build.sh").read_text()
    for python, lock in LOCKS.items():
        assert python in script
        assert lock in script


@pytest.mark.heavy
def test_the_list_is_what_the_index_has() -> None:
    assert whole_list() == LIST.read_text()
