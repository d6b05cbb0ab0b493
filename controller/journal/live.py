"""Looks at a journal in use again and again: no lock is taken, and only what is new is copied.

While the log goes on, its pages on top of an older copy of the file are the whole journal: what
was folded into the file meanwhile still stands in the log. Only a log that was begun anew makes
the copy of the file stale.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from controller.journal.log_file import log_of
from controller.journal.source import NoJournal, Source, copy_of, open_copy, open_source, salts_of


class Live:
    """Use as a context; `look` as often as one likes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wal = log_of(path)
        self._salts: bytes | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="journal-")
        self._copy = Path(self._folder.name) / "journal"
        self.whole_copies = 0

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @contextlib.contextmanager
    def look(self) -> Iterator[Source]:
        """The journal as it is now. Raises NoJournal."""
        if not self._wal.exists() or not self._wal.stat().st_size:
            self._salts = None
            with open_source(self._path) as source:
                yield source
            return
        self._refresh()
        # At its close SQLite folds the log into the copy, which does no harm: the next log has the
        # same pages, or newer ones.
        with open_copy(self._copy) as source:
            yield source

    def _refresh(self) -> None:
        """What was copied with the log of before stays, its log is the newer one."""
        log = self._copy.with_name(self._copy.name + "-wal")
        try:
            salts = salts_of(self._wal)
            if salts == self._salts:
                shutil.copyfile(self._wal, log)
                if salts_of(self._wal) == salts:
                    return
        except OSError as error:
            raise NoJournal(f"{self._path}: cannot be copied: {error.strerror}") from None
        self._salts = copy_of(self._path, self._wal, self._copy)
        self.whole_copies += 1
