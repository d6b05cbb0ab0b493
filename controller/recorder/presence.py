"""Which tables are there, and which have fallen silent. Pure; `now_s` is monotonic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# A floor of 300 tables; beyond it somebody invents them.
TABLES_MAX = 4_096


@dataclass(slots=True)
class Present:
    """One table. `reason` is that of its newest status: `running`, `stopped`, `lost`, or ""."""

    heard_s: float
    reason: str = ""


class Presence:
    """What each table last said of itself."""

    def __init__(self, tables: Iterable[str], now_s: float) -> None:
        """`tables` are those of the archive: one that never speaks again is missed as well."""
        self._tables = {table: Present(now_s) for table in tables}

    @property
    def tables(self) -> list[str]:
        """All that are known."""
        return list(self._tables)

    def heard(self, table: str, now_s: float) -> None:
        """The table said something now."""
        known = self._tables.get(table)
        if known is not None:
            known.heard_s = now_s
        elif len(self._tables) < TABLES_MAX:
            self._tables[table] = Present(now_s)

    def told(self, table: str, reason: str, now_s: float) -> None:
        """The table's status, which is not older than the last one."""
        self.heard(table, now_s)
        if table in self._tables:
            self._tables[table].reason = reason

    def is_there(self, table: str) -> bool:
        """Whether the table can be asked."""
        known = self._tables.get(table)
        return known is not None and known.reason == "running"

    def begin_anew(self, now_s: float) -> None:
        """The broker was away: nobody could be heard."""
        for known in self._tables.values():
            known.heard_s = now_s

    def silent(self, now_s: float, silence_s: float) -> dict[str, str]:
        """Table -> why it counts as silent; one that stopped in order is not."""
        found = {}
        for table, known in self._tables.items():
            if known.reason == "lost":
                found[table] = "the table is gone without a farewell"
            elif known.reason != "stopped" and now_s - known.heard_s >= silence_s:
                found[table] = f"nothing was heard for {silence_s:g} s"
        return found
