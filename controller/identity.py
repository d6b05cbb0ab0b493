"""What runs here: the digest of every file of the program, for the record and for inspectors."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

PACKAGES = ("config", "controller", "hal")
SUFFIXES = (".py", ".toml")


# A new one at every boot of the kernel (random(4)).
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def host_boot() -> str:
    """Which boot of the host this is: a crash is told from a power cut by it. Empty if unknown."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def program_digest() -> str:
    """SHA-256 (hex) over name and bytes of all source files and profiles, in order of name.

    Reads some 200 files: call it off the loop.
    """
    whole = hashlib.sha256()
    for package in PACKAGES:
        for name, entry in sorted(_files(files(package), package)):
            content = entry.read_bytes()
            whole.update(f"{name}\n{len(content)}\n".encode())
            whole.update(content)
    return whole.hexdigest()


def _files(folder: Traversable, path: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                found += _files(entry, name)
        elif entry.name.endswith(SUFFIXES):
            found.append((name, entry))
    return found
