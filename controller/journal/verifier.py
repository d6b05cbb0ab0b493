"""The one-file verifier: the very modules that `journal verify` runs, in a zip that Python starts.

The same program gives the same bytes on every machine: fixed order and times, nothing compressed.
"""

from __future__ import annotations

import io
import zipfile
from importlib.resources import files

# In the order in which they build on each other; each imports Python's library and these alone.
MODULES = (
    "controller/__init__.py",
    "controller/errors.py",
    "controller/journal/__init__.py",
    "controller/journal/turns.py",
    "controller/journal/runs.py",
    "controller/journal/tables.py",
    "controller/journal/proof/__init__.py",
    "controller/journal/proof/strict.py",
    "controller/journal/proof/ed25519.py",
    "controller/journal/proof/report.py",
    "controller/journal/proof/statement.py",
    "controller/journal/proof/witness.py",
    "controller/journal/proof/walk.py",
    "controller/journal/proof/lines.py",
    "controller/journal/proof/rows.py",
    "controller/journal/proof/beside.py",
    "controller/journal/log_file.py",
    "controller/journal/source.py",
    "controller/journal/room.py",
    "controller/journal/outside.py",
    "controller/journal/verify.py",
    "controller/journal/audit.py",
)
# What runs first is read by Pythons that are too old for the rest, and tells them so.
START = """\
import sys

if sys.version_info < (3, 11):
    sys.exit("verify.pyz: needs Python 3.11 or newer; this is %d.%d" % sys.version_info[:2])

from controller.journal.audit import main

sys.exit(main())
"""
SHEBANG = b"#!/usr/bin/env python3\n"
# The oldest time that a zip can tell.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def verifier_octets() -> bytes:
    """The whole file; `python3 FILE journal.sqlite` runs it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        _put(archive, "__main__.py", START.encode())
        for name in MODULES:
            _put(archive, name, _source_of(name))
    return SHEBANG + packed.getvalue()


def _source_of(name: str) -> bytes:
    package, _, inner = name.partition("/")
    return files(package).joinpath(*inner.split("/")).read_bytes()


def _put(archive: zipfile.ZipFile, name: str, octets: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    # Made on Unix, whatever it is made on; a file that its owner may write.
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    archive.writestr(entry, octets)
