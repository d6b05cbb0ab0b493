"""What runs here: digests of the program and of its build, for the record and for inspectors."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from controller.libraries import libraries_in, site_folder
from controller.manifest import (
    HOME,
    NAME,
    differences,
    is_checkout,
    part_for,
    program_lines,
    python_name,
    shipped,
    text_of,
)

# A new one at every boot of the kernel (random(4)).
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Identity:
    """`program`: SHA-256 over the lines of its files; `build`: over the whole manifest as it is
    now (`text`), libraries of this Python included; `changed`: how that differs from the one
    shipped; `compared`: whether there was one to compare with."""

    text: str
    program: str
    build: str
    changed: tuple[str, ...]
    compared: bool

    @property
    def intact(self) -> bool | None:
        """Whether the files are those of the shipped manifest; None for a checkout."""
        return None if not (self.compared or self.changed) else not self.changed


def host_boot() -> str:
    """Which boot of the host this is: a crash is told from a power cut by it. Empty if unknown."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def program_digest(home: Path = HOME) -> str:
    """SHA-256 (hex) over `<sha256>  <name>` of all source files and profiles, in order of name.

    Reads some 350 files: call it off the loop.
    """
    return _digest(program_lines(home))


def identify(home: Path = HOME, site: Path | None = None) -> Identity:
    """Read the files and say what they are; the libraries by their own lists (RECORD).

    Reads some 350 files: call it off the loop.
    """
    lines, python = program_lines(home), python_name()
    found = text_of(lines, {python: libraries_in(site or site_folder())})
    expected = shipped(home)
    if expected is not None:
        changed = differences(part_for(expected, python), found)
    elif is_checkout(home):
        changed = ()
    else:
        # Whoever takes the list away must not get away with it.
        changed = (f"{NAME}: missing",)
    build = hashlib.sha256(found.encode()).hexdigest()
    return Identity(found, _digest(lines), build, changed, expected is not None)


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
