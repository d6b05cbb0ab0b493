"""The thorough look at a build: all that `identify` reads, and what Python would load beside it.

Compiled files are held against their sources, libraries against their own lists, and what lies
beside them and belongs to nothing is named. Takes seconds: for people and the night, not a start.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from config.complaints import printable
from controller.identity import Identity, identify
from controller.libraries import (
    FILE_OCTETS_MAX,
    NAMES,
    RECORD,
    RECORD_OCTETS_MAX,
    libraries_in,
    site_folder,
)
from controller.manifest import (
    COMPILED,
    HOME,
    PACKAGES,
    differences,
    is_checkout,
    part_for,
    python_name,
)
from controller.regular_file import octets_of

# The head of a compiled file: magic number, flags, then time and size of the source or its hash.
HEAD_OCTETS = 16
FLAG_HASHED = 1
SOURCE_SUFFIX = ".py"
PATH_SUFFIX = ".pth"
# One line: where the program is.
PATH_OCTETS_MAX = 4096


@dataclass(frozen=True, slots=True)
class Verification:
    """`wrong`: every finding, `<name>: what`; `files` and `libraries`: how many were read."""

    identity: Identity
    files: int
    libraries: int
    wrong: tuple[str, ...]


def verify_build(
    against: str | None = None, home: Path = HOME, site: Path | None = None
) -> Verification:
    """Read everything; `against` replaces the manifest that the build came with."""
    site = site or site_folder()
    identity = identify(home, site)
    wrong = list(identity.changed)
    if against is not None:
        wrong = list(differences(part_for(against, python_name()), identity.text))
    libraries = libraries_in(site)
    installed = {one.name for one in libraries}
    wrong += [f"{name}: not installed" for name in NAMES if name not in installed]
    sources = [(home, file.relative_to(home)) for file in _sources(home)]
    files = len(sources)
    for one in libraries:
        wrong += one.wrong_files()
        files += len(one.files)
        sources += [(one.site, Path(name)) for name, _ in one.files if name.endswith(SOURCE_SUFFIX)]
    wrong += wrong_compiled(sources)
    if site is not None:
        wrong += strangers(site, home)
    if not is_checkout(home):
        wrong += strangers_beside(home)
    return Verification(
        identity, files, len(libraries), tuple(dict.fromkeys(map(printable, wrong)))
    )


def _sources(home: Path) -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((home / package).rglob(f"*{SOURCE_SUFFIX}"))


def wrong_compiled(sources: Iterable[tuple[Path, Path]]) -> Iterator[str]:
    """Compiled files that Python would load for these sources and that were not made from them."""
    for folder, name in sources:
        source = folder / name
        compiled = Path(importlib.util.cache_from_source(str(source)))
        try:
            text, status = octets_of(source, FILE_OCTETS_MAX), source.stat()
            octets = octets_of(compiled, FILE_OCTETS_MAX)
        except FileNotFoundError:
            # None there: Python compiles the source. No source: told by whoever lists the files.
            continue
        except OSError as error:
            yield f"{_name_of(name, compiled)}: {error.strerror or 'cannot be read'}"
            continue
        if _is_used(octets, status) and not _is_made_from(octets, text, source):
            yield f"{_name_of(name, compiled)}: not made from its source"


def _name_of(source: Path, compiled: Path) -> str:
    return f"{source.parent.as_posix()}/{COMPILED}/{compiled.name}"


def _is_used(octets: bytes, status: os.stat_result) -> bool:
    """Whether Python would load it; an old one, or one of another Python, it makes anew."""
    if octets[:4] != importlib.util.MAGIC_NUMBER or len(octets) < HEAD_OCTETS:
        return False
    if int.from_bytes(octets[4:8], "little") & FLAG_HASHED:
        return True
    stamp = int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF
    return stamp == (
        int.from_bytes(octets[8:12], "little"), int.from_bytes(octets[12:16], "little")
    )  # fmt: skip


def _is_made_from(octets: bytes, text: bytes, source: Path) -> bool:
    try:
        loaded = marshal.loads(octets[HEAD_OCTETS:])  # noqa: S302 - as an import would; not run
        made = compile(text, str(source), "exec", dont_inherit=True)
    except (ValueError, EOFError, TypeError, SyntaxError, RecursionError, MemoryError):
        # Broken, or a source for other Pythons, which this one could not have compiled either, or
        # one that is nested beyond what a compiler follows.
        return False
    return isinstance(loaded, CodeType) and loaded == made


def strangers(site: Path, home: Path = HOME) -> Iterator[str]:
    """What lies beside the libraries and belongs to none: Python would find it before ours."""
    owned = {COMPILED}
    for info in site.glob(f"*.dist-info/{RECORD}"):
        try:
            text = octets_of(info, RECORD_OCTETS_MAX).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            # A list that cannot be read owns nothing, not even itself.
            continue
        owned.add(info.parent.name)
        for line in text.splitlines():
            owned.add(line.partition(",")[0].partition("/")[0])
    for entry in sorted(site.iterdir()):
        if entry.name not in owned and not _leads_home(entry, home):
            yield f"{entry.name}: belongs to no library"


def strangers_beside(home: Path) -> Iterator[str]:
    """What lies beside our packages: Python would find it before the system's own libraries."""
    for entry in sorted(home.iterdir()):
        if entry.name not in PACKAGES:
            yield f"{entry.name}: belongs to no package"


def _leads_home(entry: Path, home: Path) -> bool:
    """The one line by which the package's environment finds the program."""
    if entry.suffix != PATH_SUFFIX:
        return False
    try:
        return octets_of(entry, PATH_OCTETS_MAX).decode("utf-8").strip() == str(home)
    except (OSError, UnicodeDecodeError):
        return False
