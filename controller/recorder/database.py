"""What the room's copy asks of its database, be it a file or a server, and what it is known by."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Protocol

Row = tuple[object, ...]

KIND = "room copy"
VERSION = "1"


class ArchiveTrouble(Exception):
    """The database cannot be used now; the message says where and why, without secrets."""


class ForeignArchive(ArchiveTrouble):
    """The database holds something else, or a newer version of this."""


class Database(Protocol):
    """What the archive asks of SQLite or PostgreSQL; every call may raise ArchiveTrouble."""

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query; `?` stands for a value."""
        ...

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row."""
        ...

    def has_tables(self) -> bool:
        """Whether anything is there."""
        ...

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """All or nothing, durable at its end."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


def is_prepared(database: Database) -> bool:
    """Whether a room's copy is there; False where nothing is. Raises ArchiveTrouble."""
    if not database.has_tables():
        return False
    meta = {str(key): value for key, value in database.rows("SELECT key, value FROM meta")}
    if meta.get("kind") != KIND:
        raise ForeignArchive("the database holds something else than a room's copy")
    if meta.get("version") != VERSION:
        raise ForeignArchive(f"the copy has version {meta.get('version')}, not {VERSION}")
    return True


def int_of(value: object) -> int:
    """A column that is declared so, as what it is."""
    assert isinstance(value, int), "the column is declared so"
    return value
