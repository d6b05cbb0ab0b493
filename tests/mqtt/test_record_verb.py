"""`tablectl record` as a process, at a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.record import Teller, database_of, key_of
from controller.errors import EXIT_UNREACHABLE, EXIT_USAGE, UserError
from controller.journal.record import Chain
from controller.journal.seal import Sealer
from controller.messages import Outgoing
from controller.recorder.archive import ArchiveTrouble
from controller.recorder.findings import Finding
from controller.recorder.sqlite_database import SqliteDatabase
from tests.mqtt.mosquitto import Mosquitto, free_port, until
from tests.mqtt.recording import held
from tests.mqtt.rooms import TOPICS, MemoryJournal, listener


@contextlib.asynccontextmanager
async def process(broker: Mosquitto, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    one = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "record", "--broker", broker.url, "--as", "eye-1",
        *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert one.stderr is not None
        async with asyncio.timeout(20):
            assert b"recording" in await one.stderr.readline()
        yield one
    finally:
        if one.returncode is None:
            one.kill()
            await one.wait()


async def ended(one: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    one.send_signal(signal.SIGTERM)
    async with asyncio.timeout(20):
        out, err = await one.communicate()
    return one.returncode, out.decode(), err.decode()


async def test_it_records_until_it_is_told_to_stop_and_goes_on_where_it_was(
    broker: Mosquitto, tmp_path: Path
) -> None:
    store, bodies = tmp_path / "room.sqlite", [event.body for event in MemoryJournal().add(6)]
    for part in (bodies[:3], bodies[3:]):
        async with process(broker, "--store", str(store)) as one, listener(broker) as (table, _):
            for body in part:
                await table.publish(Outgoing(TOPICS.event("round.dealt"), body))
            await until(lambda part=part: store.exists() and part[-1] in held(store), 20)
            assert await ended(one) == (0, "", "")
    assert held(store) == bodies


async def test_a_fork_is_a_line_and_the_exit_code(broker: Mosquitto, tmp_path: Path) -> None:
    store, bodies = tmp_path / "room.sqlite", [event.body for event in MemoryJournal().add(2)]
    other = MemoryJournal()
    other.chain = Chain("j", "T1", inputs=9)
    forged = other.add(1)[0].body
    async with process(broker, "--store", str(store), "--json") as one:
        async with listener(broker) as (table, _):
            for body in (*bodies, forged):
                await table.publish(Outgoing(TOPICS.event("round.dealt"), body))
        assert one.stdout is not None
        async with asyncio.timeout(20):
            told = json.loads(await one.stdout.readline())
        assert (told["code"], told["sequence"], told["closed_at"]) == ("fork", 1, "")
        code, _, err = await ended(one)
    assert code == 1
    assert "Traceback" not in err


async def decided(store: Path, *words: str) -> tuple[int | None, str]:
    """What a person does beside the recorder, as a process of its own."""
    one = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "record", "--store", str(store), *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(30):
        out, err = await one.communicate()
    assert b"Traceback" not in err
    return one.returncode, out.decode() + err.decode()


async def test_a_person_closes_a_finding_while_the_recorder_runs(
    broker: Mosquitto, tmp_path: Path
) -> None:
    """The alarm at the broker goes; the journal stays disputed, and so is what comes after."""
    store, bodies = tmp_path / "room.sqlite", [event.body for event in MemoryJournal().add(2)]
    other = MemoryJournal()
    other.chain = Chain("j", "T1", inputs=9)
    async with process(broker, "--store", str(store)) as one, listener(broker) as (table, heard):
        for body in (*bodies, other.add(1)[0].body):
            await table.publish(Outgoing(TOPICS.event("round.dealt"), body))
        await table.subscribe(["recorders/eye-1/alarms/+"])
        assert one.stdout is not None
        async with asyncio.timeout(20):
            assert b"#1 T1 journal j fork (severity 5)" in await one.stdout.readline()
        await until(lambda: any(got.payload for got in heard), 20)
        code, said = await decided(store, "--findings")
        assert (code, "#1 T1" in said) == (1, True)
        assert await decided(store, "--close", "7", "--by", "rivera", "--reason", "r") == (
            2, "--close 7: no finding of this number is open\n",
        )  # fmt: skip
        words = ("--close", "1", "--by", "rivera", "--reason", "spare board")
        assert (await decided(store, *words))[0] == 0
        async with asyncio.timeout(20):
            assert b"by rivera: spare board" in await one.stdout.readline()
        await until(lambda: heard[-1].payload == b"", 20)
        assert (await decided(store, "--findings")) == (0, "")
        assert (await ended(one))[0] == 0
    with contextlib.closing(sqlite3.connect(store)) as connection:
        assert connection.execute("SELECT state FROM journals").fetchall() == [("disputed",)]
        assert connection.execute("SELECT person, reason FROM closings").fetchall() == [
            ("rivera", "spare board")
        ]


async def test_without_a_broker_it_ends_with_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A free port may be another test's broker a moment later; nobody takes this one.
    url = "mqtt://me:canary@127.0.0.1:9"
    words = ("record", "--broker", url, "--store", str(tmp_path / "room.sqlite"))
    code = await asyncio.to_thread(_main_elsewhere, words)
    assert code == EXIT_UNREACHABLE
    said = capsys.readouterr()
    assert "canary" not in said.err + said.out


def _main_elsewhere(words: tuple[str, ...]) -> int:
    """In a process of its own: a verb of the loop takes the signals of the main thread."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "controller", *words], capture_output=True, timeout=30, check=False
    )
    assert b"canary" not in done.stderr + done.stdout
    assert b"Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--store", "x.sqlite"), "--as"),
        (("--store", "/nowhere/x.sqlite", "--findings"), "--store"),
        (("--store", "/nowhere/x.sqlite", "--close", "1"), "--store"),
        (("--store", "x.sqlite", "--as", "a/b"), "--as"),
        (("--store", "x.sqlite", "--as", "a", "--silence", "4"), "--silence"),
        (("--store", "x.sqlite", "--as", "a", "--silence", "nan"), "--silence"),
        (("--store", "x.sqlite", "--as", "a", "--key", "T1"), "TABLE=KEY"),
        (("--store", "x.sqlite", "--as", "a", "--key", "T1=zz"), "--key T1"),
        (("--store", "x.sqlite", "--as", "a", "--table", "#"), "--table"),
        (("--store", "/nowhere/x.sqlite", "--as", "a"), "--store"),
    ],
)
def test_unusable_arguments_are_told(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"mqtt://127.0.0.1:{free_port()}"
    assert main(["record", "--broker", url, *words]) == EXIT_USAGE
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_key_is_digits_or_a_file_of_them_or_what_openssl_writes(tmp_path: Path) -> None:
    private = tmp_path / "seal.key"
    public = Sealer.from_file(private).public_key
    digits = public.hex()
    (tmp_path / "key").write_text(digits.upper() + "\n")
    subprocess.run(
        ["openssl", "pkey", "-in", private, "-pubout", "-out", tmp_path / "t.pub"], check=True
    )
    assert key_of(f"T1={digits}") == ("T1", public)
    assert key_of(f"T1={tmp_path / 'key'}") == ("T1", public)
    assert key_of(f"T1={tmp_path / 't.pub'}") == ("T1", public)
    for none in (f"{digits}0", str(private), str(tmp_path), digits + "/" * 5_000):
        with pytest.raises(UserError, match="--key T1: 64 hexadecimal digits, or a file"):
            key_of(f"T1={none}")


def test_the_database_is_chosen_by_its_name(tmp_path: Path) -> None:
    database = database_of(str(tmp_path / "x.sqlite"))
    assert isinstance(database, SqliteDatabase)
    database.close()
    with pytest.raises(ArchiveTrouble, match="postgresql"):
        database_of("postgresql://127.0.0.1:1/x")


def test_a_finding_for_people_has_no_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Teller(False).tell(Finding(1, "t", "T1\x1b", "abcdefghij", "fork", 3, "x\x07"))
    assert capsys.readouterr().out == "t #1 T1? journal abcdefgh fork (severity 5): x?\n"
    Teller(False).tell(Finding(1, "t", "T1", "", "fork", 3, "x", 1, "t2", "rivera: tried out"))
    assert capsys.readouterr().out == "t #1 T1 fork (closed t2 by rivera: tried out): x\n"
