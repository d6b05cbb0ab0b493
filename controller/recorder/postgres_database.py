"""The room's database in PostgreSQL, where the room has one; the only importer of its driver."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from controller.recorder.database import ArchiveTrouble, Row

try:
    import psycopg
except ImportError:
    raise ArchiveTrouble(
        "PostgreSQL needs one package more: pip install 'table-controller[postgresql]'"
    ) from None

# A server that does not answer is as good as away: the batch is tried again.
CONNECT_S_MAX = 10
# Two recorders into one database would count the journals twice: the second waits outside.
LOCK = 0x54424C52
# A server notices a little later that a recorder that was stopped has gone, and frees its lock.
LOCK_WAIT_S = 3


class PostgresDatabase:
    """Implements `controller.recorder.database.Database`."""

    def __init__(self, url: str, alone: bool = True) -> None:
        """Connect to `postgresql://user@host/database`; not `alone`: beside its recorder. Raises
        ArchiveTrouble."""
        parts = urlsplit(url)
        # Without user and password, as a broker's address is shown.
        self._place = f"postgresql://{parts.hostname or ''}{parts.path}"
        with self._troubles():
            self._connection = psycopg.connect(
                url, autocommit=True, connect_timeout=CONNECT_S_MAX,
                application_name="table-controller record",
            )  # fmt: skip
        try:
            # The whole point of the copy; a server may have been told to be quicker than safe.
            self._run("SET synchronous_commit = on")
            if alone:
                self._lock()
        except BaseException:  # whatever it is, the lock and the connection must not stay
            self._connection.close()
            raise

    def _lock(self) -> None:
        self._run(f"SET lock_timeout = '{LOCK_WAIT_S}s'")
        with self._troubles():
            try:
                self._connection.execute(_own("SELECT pg_advisory_lock(?)"), (LOCK,))
            except psycopg.errors.LockNotAvailable:
                raise ArchiveTrouble(f"{self._place}: another recorder writes there") from None
        self._run("RESET lock_timeout")

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._troubles(), self._connection.cursor() as cursor:
            cursor.execute(_own(statement), values)
            return cursor.fetchall()

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row."""
        if "?" not in statement:
            self._run(statement)
            return
        with self._troubles(), self._connection.cursor() as cursor:
            cursor.executemany(_own(statement), rows)

    def has_tables(self) -> bool:
        """Whether our tables are there, in the schema that the connection looks in first."""
        return bool(
            self.rows(
                "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'meta'"
            )
        )

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, synced by the server at its end."""
        with self._troubles(), self._connection.transaction():
            yield

    def close(self) -> None:
        """Let go of it."""
        with self._troubles():
            self._connection.close()

    def _run(self, statement: str) -> None:
        with self._troubles(), self._connection.cursor() as cursor:
            cursor.execute(_own(statement))

    @contextlib.contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            first = str(error).strip().split("\n")[0]
            raise ArchiveTrouble(f"{self._place}: {first}") from None


def _own(statement: str) -> bytes:
    """The driver's mark of a value is another; ours never stands in a text of a statement."""
    return statement.replace("?", "%s").encode()
