"""The manifest of a build: every file of the program with its SHA-256, and the libraries' versions.

A text that `sha256sum --check` reads in the folder above the packages. Lines that begin with `#`
name the version and, for each Python that the build serves, the libraries.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from config.complaints import printable
from controller import VERSION
from controller.libraries import Library
from controller.regular_file import octets_of

PACKAGES = ("config", "controller", "hal")
# Code, profiles, paragraphs, and the page that the surveillance room looks at. There is no machine
# code among them, and where some appears it would be loaded before the source beside it.
SUFFIXES = (".py", ".toml", ".html", ".js", ".css", ".svg", ".so", ".pyc")
# Made from the sources by Python; `controller.verification` holds it against them.
COMPILED = "__pycache__"
# The folder that holds the three packages of this very program.
HOME = Path(__file__).resolve().parent.parent
# Made when the package is built; a checkout has none.
NAME = "controller/manifest.txt"
# A manifest of some 400 files is 40 kB; what is longer is none.
OCTETS_MAX = 1_000_000
# What a checkout has and a build has not.
CHECKOUT = "pyproject.toml"
# Our largest file has 0.2 MB; what is larger was never ours.
FILE_OCTETS_MAX = 16_000_000
# Stands for what cannot be read: nothing that was ever shipped.
UNREADABLE = "0" * 64


def python_name(version: tuple[int, int] = sys.version_info[:2]) -> str:
    """`python3.13`, the word that begins the lines of its libraries."""
    return f"python{version[0]}.{version[1]}"


def program_lines(home: Path = HOME) -> list[str]:
    """`<sha256>  <name>` of every file of the program, by name. Reads all of them: off the loop."""
    lines = []
    for package in PACKAGES:
        for file in sorted((home / package).rglob("*"), key=lambda one: one.as_posix()):
            if file.suffix in SUFFIXES and file.parent.name != COMPILED and file.is_file():
                # An end of line in a name would make a second line, about another file.
                name = printable(file.relative_to(home).as_posix())
                lines.append(f"{_digest_of(file)}  {name}")
    return lines


def _digest_of(file: Path) -> str:
    try:
        return hashlib.sha256(octets_of(file, FILE_OCTETS_MAX)).hexdigest()
    except OSError:
        return UNREADABLE


def text_of(lines: Iterable[str], libraries: Mapping[str, Iterable[Library]]) -> str:
    """The whole manifest; `libraries` by the name of the Python that they are for."""
    return "".join(
        f"{line}\n"
        for line in (
            f"# table-controller {VERSION}",
            *lines,
            *(
                f"# {python} {one.name} {one.version} {one.digest}"
                for python, installed in libraries.items()
                for one in installed
            ),
        )
    )


def manifest_in(file: Path) -> str:
    """The text of a manifest. Raises OSError and UnicodeDecodeError."""
    return octets_of(file, OCTETS_MAX).decode("utf-8")


def shipped(home: Path = HOME) -> str | None:
    """The manifest that the build came with; None where there is none that can be read."""
    try:
        return manifest_in(home / NAME)
    except (OSError, UnicodeDecodeError):
        return None


def is_checkout(home: Path = HOME) -> bool:
    """Whether the program runs from where it is written, which changes all the time."""
    return (home / CHECKOUT).is_file()


def part_for(text: str, python: str) -> str:
    """The manifest without the libraries of other Pythons than `python`."""
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith("# python") or line.startswith(f"# {python} ")
    )


def differences(shipped_text: str, found_text: str) -> tuple[str, ...]:
    """What differs, as `<name>: changed`, `missing` or `not in the manifest`, by name."""
    expected, found = _entries(shipped_text), _entries(found_text)
    told = []
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            told.append(f"{name}: missing")
        elif name not in expected:
            told.append(f"{name}: not in the manifest")
        elif found[name] != expected[name]:
            told.append(f"{name}: changed")
    # A manifest that somebody spoiled may hold what no record takes as a text.
    return tuple(map(printable, told))


def _entries(text: str) -> dict[str, str]:
    """What each line states, by the name that it states it of."""
    entries = {}
    for line in text.splitlines():
        if line.startswith("# "):
            words = line[2:].split(" ")
            name, said = (" ".join(words[:2]), " ".join(words[2:])) if words[2:] else (
                words[0], " ".join(words[1:])
            )  # fmt: skip
        else:
            said, _, name = line.partition("  ")
        entries[name] = said
    return entries
