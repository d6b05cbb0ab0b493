"""The libraries that the program stands on: which versions, and whether their files are theirs.

Each brings a RECORD with the SHA-256 of every file of it, as its installer checked them.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controller.regular_file import octets_of

# What a table imports at run time, as the lock file has it. lgpio is not among them: on Debian 13
# it is Debian's own and its package manager looks after it.
NAMES = (
    "aiomqtt", "annotated-types", "cffi", "colorzero", "cryptography", "gpiozero", "paho-mqtt",
    "pycparser", "pydantic", "pydantic-core", "pyserial", "typing-extensions", "typing-inspection",
)  # fmt: skip
RECORD = "RECORD"
_INFO = ".dist-info"
_HASH = "sha256="
# Digits that the format leaves off the end of an encoded digest.
_PADDING = "="
# The largest file of any of them has 5 MB, the longest RECORD 50 kB.
FILE_OCTETS_MAX = 64_000_000
RECORD_OCTETS_MAX = 4_000_000


@dataclass(frozen=True, slots=True)
class Library:
    """One installed library; `files` are name below `site` and SHA-256, hexadecimal, by name."""

    name: str
    version: str
    site: Path
    files: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """SHA-256 over `<digest>  <name>` of all its files, a line each."""
        lines = "".join(f"{digest}  {name}\n" for name, digest in self.files)
        return hashlib.sha256(lines.encode()).hexdigest()

    def wrong_files(self) -> Iterator[str]:
        """Each file that is not what RECORD says, with what is wrong. Reads all of them."""
        for name, digest in self.files:
            try:
                content = octets_of(self.site / name, FILE_OCTETS_MAX)
            except OSError as error:
                yield f"{name}: {error.strerror or 'cannot be read'}"
                continue
            if hashlib.sha256(content).hexdigest() != digest:
                yield f"{name}: changed"


def site_folder() -> Path | None:
    """The folder that the program's libraries are imported from; None where there is none."""
    for entry in sys.path:
        if entry and any(Path(entry).glob(f"{_folder_name(NAMES[0])}-*{_INFO}")):
            return Path(entry)
    return None


def libraries_in(site: Path | None) -> tuple[Library, ...]:
    """Those of NAMES that are installed in `site`; one whose RECORD cannot be read is missing."""
    if site is None:
        return ()
    try:
        infos = sorted(entry for entry in site.iterdir() if entry.name.endswith(_INFO))
    except OSError:
        return ()
    wanted = {_folder_name(name): name for name in NAMES}
    found = []
    for info in infos:
        folder, _, version = info.name.removesuffix(_INFO).rpartition("-")
        name = wanted.get(folder.lower())
        files = None if name is None else _files_of(info)
        if name is not None and files is not None:
            found.append(Library(name, version, site, files))
    return tuple(found)


def _folder_name(name: str) -> str:
    return name.replace("-", "_")


def _files_of(info: Path) -> tuple[tuple[str, str], ...] | None:
    """What lies in the library's own folders; its scripts and its description are not run."""
    try:
        lines = octets_of(info / RECORD, RECORD_OCTETS_MAX).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    files = {}
    for line in lines:
        name, _, rest = line.partition(",")
        said = rest.partition(",")[0]
        if said.startswith(_HASH) and not name.startswith("..") and _INFO not in name:
            try:
                octets = base64.urlsafe_b64decode(said.removeprefix(_HASH) + _PADDING)
            except ValueError:
                return None
            files[name] = octets.hex()
    return tuple(sorted(files.items()))
