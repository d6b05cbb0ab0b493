"""What the room is alarmed about: each cause once, open until it is over or a person closes it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

# Severities as the events have them: 3 a person acts, 4 integrity, 5 tamper.
SEVERITIES = {
    "silence": 3,
    "gap": 3,
    "refused": 3,
    "bad_record": 4,
    "lost": 4,
    "journal_changed": 4,
    "unknown_key": 4,
    "forgotten": 4,
    "bad_signature": 5,
    "fork": 5,
    "broken_chain": 5,
    "rolled_back": 5,
    "differs": 5,
}
# These end by themselves; the others stay open, as the record that they speak of does.
PASSING = frozenset(("silence", "gap", "refused"))
INTEGRITY_MIN = 4
# One open finding a cause, a table and a journal: thirteen causes at 300 tables stay below it.
OPEN_FINDINGS_MAX = 4_096


@dataclass(frozen=True, slots=True)
class Finding:
    """`number` counts in the archive; `count` how often it was seen; `closed_at` "" while open, and
    `closed_by` who closed it and why, "" where it was over by itself."""

    number: int
    at: str
    table: str
    journal: str
    kind: str
    sequence: int
    text: str
    count: int = 1
    closed_at: str = ""
    closed_by: str = ""

    @property
    def severity(self) -> int:
        """3 a person acts, 4 integrity, 5 tamper."""
        return SEVERITIES[self.kind]


class Findings:
    """The open ones; `changed` holds what is to be kept and told since it was last taken."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, str, str], Finding] = OrderedDict()
        self._changed: OrderedDict[int, Finding] = OrderedDict()
        self._news: list[Finding] = []
        self._last = 0

    def restore(self, last: int, still_open: list[Finding]) -> None:
        """Take up what an earlier life left open; `last` is the highest number ever given."""
        self._last = last
        for finding in still_open[-OPEN_FINDINGS_MAX:]:
            self._open[finding.table, finding.journal, finding.kind] = finding

    @property
    def open(self) -> list[Finding]:
        """All that are open, oldest first."""
        return list(self._open.values())

    def is_open(self, table: str, journal: str, kind: str) -> bool:
        """Whether this cause is known already."""
        return (table, journal, kind) in self._open

    def find(
        self, at: str, table: str, journal: str, kind: str, sequence: int, text: str
    ) -> Finding | None:
        """Open a finding and give it, or count a repeat of the open one and give None.

        What cannot be printed in `text`, which may be a stranger's, is replaced.
        """
        key = (table, journal, kind)
        known = self._open.get(key)
        if known is not None:
            counted = replace(known, count=known.count + 1)
            self._open[key] = self._changed[known.number] = counted
            return None
        if len(self._open) >= OPEN_FINDINGS_MAX:
            return None
        self._last += 1
        shown = "".join(char if char.isprintable() else "?" for char in text)
        finding = Finding(self._last, at, table, journal, kind, sequence, shown)
        self._open[key] = self._changed[finding.number] = finding
        self._news.append(finding)
        return finding

    def close(self, at: str, table: str, journal: str, kind: str) -> Finding | None:
        """The cause is over; gives the closed finding where one was open."""
        known = self._open.pop((table, journal, kind), None)
        if known is None:
            return None
        closed = replace(known, closed_at=at)
        self._changed[known.number] = closed
        self._news.append(closed)
        return closed

    def close_by_person(self, number: int, at: str, person: str, reason: str) -> None:
        """A person has closed it; passed over where it is over already."""
        for key, known in self._open.items():
            if known.number == number:
                del self._open[key]
                closed = replace(known, closed_at=at, closed_by=f"{person}: {reason}")
                self._changed[number] = closed
                self._news.append(closed)
                return

    @property
    def has_changed(self) -> bool:
        """Whether something is to be kept."""
        return bool(self._changed)

    def take_news(self) -> list[Finding]:
        """What was opened or closed since the last call."""
        news, self._news = self._news, []
        return news

    def take_changed(self) -> list[Finding]:
        """What is to be kept since the last call."""
        changed = list(self._changed.values())
        self._changed.clear()
        return changed
