"""The journal's tables, version by version: what stands where in the file.

    meta        what the file is: journal id, table id, game, boot counter
    runs        one row a start: the last input before it, the host's boot, how the run before
                ended, the program's digest and the digests of the documents that it went by
    documents   what decisions rest on beside the inputs, by SHA-256 of `body`: kind `book`
                (profile and house setup) and kind `state` (one that a run took over as it was)
    inputs      one row an input; `digest`, `sequence` and `effects` say where the whole turn left
                the running digest and the counts of events and effects; outcome `ok`, or `fault`
                where the program broke on it (a replay passes over it)
    effects     numbered from 1 through the journal; `input` is the turn that decided it
    events      the chain of envelopes, `body` being the very bytes that are published
    snapshots   the state and the chain after an input, so that a start need not replay it all
    answers     what each command was told, so that the same id again is told the same
    cursors     how far each reader of the events has come: BROKER and STORE are those of delivery
    checkpoints signed statements about the chain, by the sequence of their last event; `body` has
                journal, table, sequence, hash, inputs, effects, inputdigest, at, key, signature
    base        at most one row: the checkpoint up to and including which records were pruned; the
                first kept event has its `hash` as prevhash, the first kept input its `inputdigest`
                as the digest before it. Rows at or before it are waste that is being removed;
                the snapshot after its last input is kept, so that a replay may begin there
    draws       an index of what the number generator said, for the self-check of each start: of
                these events alone, so that it costs a commit nothing but once a round
Every body is canonical JSON as text, so that an inspector may look with any SQLite tool.
"""

from __future__ import annotations

import secrets
import sqlite3

APPLICATION_ID = 0x54424C43  # "TBLC"
SCHEMA_VERSION = 2
# Cursors of delivery: what the broker took, and what the surveillance room's store said it holds.
BROKER = "broker"
STORE = "store"

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE inputs (n INTEGER PRIMARY KEY, outcome TEXT NOT NULL, digest TEXT NOT NULL,
  sequence INTEGER NOT NULL, effects INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE effects (number INTEGER PRIMARY KEY, input INTEGER NOT NULL, id TEXT NOT NULL,
  body TEXT NOT NULL) STRICT;
CREATE TABLE events (sequence INTEGER PRIMARY KEY, input INTEGER NOT NULL, type TEXT NOT NULL,
  severity INTEGER NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE snapshots (input INTEGER PRIMARY KEY, digest TEXT NOT NULL,
  chain TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE answers (number INTEGER PRIMARY KEY, input INTEGER NOT NULL, principal TEXT NOT NULL,
  command TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE cursors (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT
"""
# What version 2 has beside the tables of version 1.
TABLES_OF_2 = """
CREATE TABLE runs (boot INTEGER PRIMARY KEY, inputs INTEGER NOT NULL, host TEXT NOT NULL,
  previous TEXT NOT NULL, program TEXT NOT NULL, book TEXT NOT NULL, state TEXT) STRICT;
CREATE TABLE documents (digest TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE TABLE base (inputs INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE INDEX draws ON events (sequence) WHERE type IN ('startpos.determined', 'rng.failed')
"""


def table_names(connection: sqlite3.Connection) -> set[str]:
    """What the file holds already; nothing where it is new."""
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}


def create(connection: sqlite3.Connection, table_id: str, game: str) -> None:
    """An empty journal of version 1, as `upgrade` takes it over."""
    for statement in TABLES.split(";"):
        connection.execute(statement)
    # 128 random bits: two journals never share an id, so no event of one passes for the other's.
    rows = [
        ("journal", secrets.token_hex(16)), ("table_id", table_id), ("boot", "0"), ("game", game),
    ]  # fmt: skip
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")


def upgrade(connection: sqlite3.Connection) -> None:
    """From version 1, in the transaction of the opening; a new file takes the same way."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 1:
        for statement in TABLES_OF_2.split(";"):
            connection.execute(statement)
        connection.execute("DELETE FROM meta WHERE key = 'end'")
        connection.execute("UPDATE cursors SET name = ? WHERE name = 'mqtt'", (BROKER,))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
