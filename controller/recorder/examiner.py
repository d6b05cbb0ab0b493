"""What a record means for the room's copy: kept, compared, or an alarm. Pure but for its memory.

Everything to be made durable is gathered in a batch; the recorder commits it and only then lets
the broker forget the messages. A fork never overwrites: the first history stays the witness.
"""

from __future__ import annotations

from controller.core.stamp import stamp_of
from controller.recorder.archive import Batch, Check, Loaded
from controller.recorder.findings import Finding, Findings
from controller.recorder.follower import Fit, Follower
from controller.recorder.keys import CHECKPOINT, KeyRing, Unsigned
from controller.recorder.records import Record, Unfit, read_record

# A floor of 300 tables that each had a dozen journals; beyond it somebody invents them.
JOURNALS_MAX = 4_096


class Examiner:
    """Takes the messages of all tables. `now_ms` is UTC in ms since the epoch.

    `followers` are by journal; `current` names the journal that each table writes now.
    """

    def __init__(self, keys: KeyRing, loaded: Loaded) -> None:
        self.keys = keys
        self.findings = Findings()
        self.findings.restore(loaded.last_finding, loaded.findings)
        self.keys.restore(loaded.keys)
        self.followers = {one.journal: one for one in loaded.followers}
        # In the order in which they were first seen, so that the newest stays.
        self.current = {one.table: one.journal for one in loaded.followers}
        self.records = 0
        self._batch = Batch()

    @property
    def has_work(self) -> bool:
        """Whether a batch waits."""
        return not self._batch.is_empty or self.findings.has_changed

    def take_batch(self, now_ms: int) -> Batch:
        """All that is to be made durable since the last call."""
        batch, self._batch = self._batch, Batch()
        batch.received_ms = now_ms
        batch.keys = self.keys.take_fresh()
        batch.findings = self.findings.take_changed()
        return batch

    def take_event(self, table: str, payload: bytes, now_ms: int) -> Record | None:
        """One event message, live or asked for again; gives the record where it is one."""
        try:
            record = read_record(table, payload)
        except Unfit as unfit:
            self.find(now_ms, table, "", "bad_record", 0, str(unfit))
            return None
        follower = self._known(table, record.journal, now_ms)
        if follower is None:
            return None
        self._judge(follower, record, now_ms)
        if record.type == CHECKPOINT:
            self._check_statement(record, now_ms)
        return record

    def announce(self, table: str, journal: str, newest: int | None, now_ms: int) -> None:
        """The table says which journal it writes, and how far it has come where that is told."""
        follower = self._known(table, journal, now_ms)
        if follower is None:
            return
        if self.current.get(table) != journal:
            self.current[table] = journal
            self.find(
                now_ms, table, journal, "journal_changed", 0, "the table writes another journal"
            )
        follower.newest = max(follower.newest, newest or 0)

    def remember(self, table: str, journal: str, confirmed: int, now_ms: int) -> None:
        """The table holds this recorder's own word for `confirmed` events: a copy that has fewer
        was emptied, exchanged or put back while nobody recorded. The table is its witness."""
        follower = self.followers.get(journal)
        if follower is not None and follower.table == table and follower.reached < confirmed:
            self.find(
                now_ms, table, journal, "forgotten", follower.reached + 1,
                f"the room has told the table that it holds event {confirmed}; this copy holds"
                f" {follower.reached}: it was emptied, exchanged or put back",
            )  # fmt: skip

    def differing(self, checks: list[Check], now_ms: int) -> None:
        """What the archive found to be held with another hash."""
        for check in checks:
            follower = self.followers[check.journal]
            said = "a checkpoint says" if check.record is None else "came again with"
            self._dispute(
                follower, "fork", check.sequence,
                f"event {check.sequence} {said} another hash than the one that is held", now_ms,
            )  # fmt: skip

    def pass_over(self, follower: Follower, first: int, now_ms: int) -> None:
        """The table has nothing before `first` any more: go on there, and say so."""
        fresh = follower.reached == 0
        gone = follower.pass_over(first)
        self._batch.holes.append((follower.journal, *gone))
        if not fresh:
            self.find(
                now_ms, follower.table, follower.journal, "lost", gone[0],
                f"events {gone[0]} to {gone[1]} are no longer at the table",
            )  # fmt: skip
        self._advance(follower, now_ms)

    def find(
        self, now_ms: int, table: str, journal: str, kind: str, sequence: int, text: str
    ) -> None:
        """An alarm, once while it is open."""
        self.findings.find(stamp_of(now_ms), table, journal, kind, sequence, text)

    def close(self, now_ms: int, table: str, journal: str, kind: str) -> Finding | None:
        """A cause that is over."""
        if not self.findings.is_open(table, journal, kind):
            return None  # nearly always: each table is looked at each second
        return self.findings.close(stamp_of(now_ms), table, journal, kind)

    def dispute(self, journal: str, kind: str, sequence: int, text: str, now_ms: int) -> None:
        """The table itself says that it has another record."""
        follower = self.followers.get(journal)
        if follower is not None:
            self._dispute(follower, kind, sequence, text, now_ms)

    def _known(self, table: str, journal: str, now_ms: int) -> Follower | None:
        """The follower of a table's journal, new where it is seen for the first time."""
        follower = self.followers.get(journal)
        if follower is not None and follower.table != table:
            self.find(
                now_ms, table, "", "bad_record", 0,
                f"journal {journal} belongs to table {follower.table}",
            )  # fmt: skip
            return None
        if follower is None:
            if len(self.followers) >= JOURNALS_MAX:
                self.find(now_ms, table, "", "bad_record", 0, "one journal too many")
                return None
            follower = self.followers[journal] = Follower(journal, table)
            before = self.current.get(table)
            if before is not None:
                self.find(
                    now_ms, table, journal, "journal_changed", 0,
                    f"the table writes another journal; before it wrote {before}",
                )  # fmt: skip
            self.current[table] = journal
        return follower

    def _judge(self, follower: Follower, record: Record, now_ms: int) -> None:
        fit = follower.take(record)
        if fit is Fit.TOO_FAR:
            return
        if fit is Fit.KNOWN:
            check = Check(record.journal, record.sequence, record.hash, record)
            self._batch.checks.append(check)
            self._keep_head(follower)
            return
        if fit is Fit.NEW:
            self.records += 1
            self._batch.records.append(record)
            if follower.forgot:
                check = Check(record.journal, record.sequence, record.hash, record)
                self._batch.checks.append(check)
            self._advance(follower, now_ms)
            return
        self._batch.beside.append(record)
        if fit is Fit.FORK:
            self._dispute(
                follower, "fork", record.sequence,
                f"event {record.sequence} came again with another hash", now_ms,
            )  # fmt: skip
        elif fit is Fit.BREAK:
            self._dispute(
                follower, "broken_chain", record.sequence,
                f"event {record.sequence} does not follow the one that is held", now_ms,
            )  # fmt: skip
        self._keep_head(follower)

    def _advance(self, follower: Follower, now_ms: int) -> None:
        if not follower.advance():
            following = follower.reached + 1
            self._dispute(
                follower, "broken_chain", following,
                f"event {following} does not follow the one before it", now_ms,
            )  # fmt: skip
        self._keep_head(follower)

    def _dispute(
        self, follower: Follower, kind: str, sequence: int, text: str, now_ms: int
    ) -> None:
        follower.dispute()
        self._keep_head(follower)
        self.find(now_ms, follower.table, follower.journal, kind, sequence, text)

    def _keep_head(self, follower: Follower) -> None:
        self._batch.heads[follower.journal] = follower.head()

    def _check_statement(self, record: Record, now_ms: int) -> None:
        try:
            stated = self.keys.check(record.table, record.data)
        except Unsigned as unsigned:
            self.find(
                now_ms, record.table, record.journal, unsigned.kind, record.sequence, str(unsigned)
            )
            return
        if stated.journal == record.journal and 0 < stated.sequence < record.sequence:
            self._batch.checks.append(Check(stated.journal, stated.sequence, stated.hash))
