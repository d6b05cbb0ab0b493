"""Where SQLite keeps a database's write-ahead log."""

from __future__ import annotations

from pathlib import Path


def log_of(path: Path) -> Path:
    """Beside the file itself, which need not be where a link to it is (SQLite follows links)."""
    file = path.resolve()
    return file.with_name(f"{file.name}-wal")
