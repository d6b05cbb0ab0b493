"""What may be wrong with a journal, each kind a type, so that nobody has to read a message."""

from __future__ import annotations

import sqlite3
from typing import ClassVar

from controller.core.recording import TroubleCode


class JournalTrouble(Exception):
    """The journal cannot be used. `place` is the file, record or table where it showed; `CODE` is
    the kind as the record and MQTT name it."""

    CODE: ClassVar[TroubleCode] = "gone"

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        self.why = why


class StorageFull(JournalTrouble):
    """No room is left: nothing of this batch was written."""

    CODE = "full"


class StorageGone(JournalTrouble):
    """The medium does not take writes: read-only, unplugged, over a limit, or failing."""


class ForeignJournal(JournalTrouble):
    """The file belongs to another table, another program or a newer version of this one."""

    CODE = "foreign"


class CorruptJournal(JournalTrouble):
    """What stands in the file is not what was written."""

    CODE = "corrupt"


class JournalInUse(JournalTrouble):
    """Another process holds the journal: a table has one controller."""

    CODE = "in_use"


_CORRUPT = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT))
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))


def trouble_of(error: sqlite3.Error, place: str) -> JournalTrouble:
    """The typed form of what SQLite reported; the primary code is the low byte of the extended."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return StorageFull(place, "no space left for the journal")
    if primary in _CORRUPT:
        return CorruptJournal(place, f"damaged: {error}")
    if primary in _BUSY:
        return JournalInUse(place, "another process has this journal open")
    if primary is None and isinstance(error, sqlite3.DatabaseError):
        return CorruptJournal(place, f"damaged: {error}")
    return StorageGone(place, str(error))
