"""No secret leaves its file: not at the noisiest level, not in a traceback, record or message."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from controller.broker_port import Plan, Received
from controller.demo.stage import TABLE, Stage
from controller.mqtt import connect
from tests.mqtt.mosquitto import Mosquitto, running, until
from tests.mqtt.site import Site
from tests.system.table_process import table_process

SOON_S = 60.0
# How the log begins to say that the broker is away, and why.
LINE = "controller.broker_line: broker mqtts://"
# Three quarters of a line of a key file; anything shorter might be met by chance.
TELLING_OCTETS = 48
PASSWORD = "canary-of-ann-71c0d2"
TOKEN = "canary-0e3b9f5a7c1d2e4f6a8b0c1d2e3f4a5b6c7d8e9f"


def pieces_of(secret: bytes) -> list[bytes]:
    """The secret in the forms in which it might be shown, cut into telling pieces."""
    text = b"".join(line for line in secret.splitlines() if not line.startswith(b"-----"))
    forms = [secret, text, secret.hex().encode(), base64.b64encode(secret)]
    if text:
        forms.append(base64.b64encode(text))
    found = []
    for form in forms:
        size = min(TELLING_OCTETS, len(form))
        found += [form[at : at + size] for at in range(0, len(form) - size + 1, max(1, size // 2))]
    return [piece for piece in found if piece.strip()]


def assert_clean(secrets: dict[str, bytes], outputs: dict[str, bytes]) -> None:
    for name, secret in secrets.items():
        for piece in pieces_of(secret):
            for where, octets in outputs.items():
                assert piece not in octets, f"{name} shows in {where}"


def test_the_search_finds_what_it_looks_for() -> None:
    key = b"-----BEGIN PRIVATE KEY-----\n" + b"abcdefgh" * 8 + b"\n-----END PRIVATE KEY-----\n"
    for shown in (key, b"x " + b"abcdefgh" * 8 + b" y", key.hex().encode()):
        with pytest.raises(AssertionError):
            assert_clean({"key": key}, {"log": shown})
    assert_clean({"key": key}, {"log": b"abcdefgh -----BEGIN PRIVATE KEY-----"})


async def everything_said(site: Site, port: int, heard: list[Received]) -> None:
    """Hear all that the room may, until cancelled."""
    async with connect(Plan(site.address("surveillance", port), "ear"), heard.append) as one:
        names = ("events/#", "state", "status", "prompt", "alarms/+", "devices/+", "health")
        await one.subscribe([f"tables/+/{name}" for name in names])
        await one.lost()


async def test_a_daemon_at_debug_says_no_secret_and_keeps_none(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.make("table", TABLE)
    site.make("person", "surveillance")
    password = tmp_path / "password"
    canary = f"canary-{random.SystemRandom().getrandbits(128):032x}"
    password.write_text(f"{canary}\n")
    broker = site.broker()
    broker.start()
    address = BrokerAddress(
        "localhost", broker.port, tls=True, cafile=site.file("ca.crt"), username=TABLE,
        certificate=site.file(f"{TABLE}.crt"), key=site.file(f"{TABLE}.key"),
        password_file=password,
    )  # fmt: skip
    stage = Stage(tmp_path, "fortune-asia-poker", address, 100.0, 1, ())
    heard: list[Received] = []
    ear = asyncio.create_task(everything_said(site, broker.port, heard))
    first_key = site.file(f"{TABLE}.key").read_bytes()
    try:
        async with table_process(tmp_path, stage.config) as table:
            await table.start(asyncio.subprocess.DEVNULL, "--log", "debug")
            await until(lambda: any(one.topic.endswith("/health") for one in heard), SOON_S)
            # A key that does not fit, then a pair that does, then a broker that goes away.
            site.file(f"{TABLE}.key").write_bytes(site.file("surveillance.key").read_bytes())
            await table.logged("credentials not taken")
            site.make("table", TABLE)
            await table.logged("took the renewed credentials")
            told = table.log.read_text().count(LINE)
            broker.kill()
            # In the middle of coming in again, or after it: either way the line says so.
            await until(lambda: table.log.read_text().count(LINE) > told, SOON_S)
            assert (await table.end(signal.SIGTERM))[0] == 0
    finally:
        ear.cancel()
        await asyncio.wait((ear,))
        broker.stop()
    assert_clean(
        {
            "the password": canary.encode(),
            "the table's key": first_key,
            "the table's new key": site.file(f"{TABLE}.key").read_bytes(),
            "the seal's key": (tmp_path / "seal.key").read_bytes(),
        },
        {
            "the log": table.log.read_bytes(),
            "what the room heard": b"\n".join(one.payload for one in heard),
            "what the supervisor heard": "\n".join(table.words).encode(),
            **{
                file.name: file.read_bytes()
                for file in (*tmp_path.glob("journal.sqlite*"), stage.config)
            },
        },
    )


@pytest.mark.parametrize(
    "words",
    [
        ("send", "--broker", "{url}", "--table", "T1", "--as", "a", "done"),
        ("watch", "--broker", "{url}", "--count", "1"),
        ("record", "--broker", "{url}", "--store", "{home}/no/such/folder/room.sqlite"),
        ("send", "--broker", "{url}?canary=1", "--table", "T1", "--as", "a", "done"),
        ("watch", "--broker", "{url}/path"),
        ("watch", "--broker", "{url}", "--no-such-option"),
    ],
)
async def test_a_password_in_a_url_shows_in_no_message_and_no_traceback(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    url = "mqtt://ann:canary-9f3a@127.0.0.1:9"
    given = [word.format(url=url, home=tmp_path) for word in words]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "--debug", *given,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(SOON_S):
        shown, _ = await process.communicate()
    assert process.returncode != 0
    assert b"canary-9f3a" not in shown, shown


@contextlib.asynccontextmanager
async def verb(
    broker: Mosquitto, first: str, *words: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, bytes]]:
    """A verb of the room with its password in a file, and its first line once that is said."""
    file = broker.home / "password"
    file.write_text(f"{PASSWORD}\n")
    url = f"mqtt://ann@127.0.0.1:{broker.port}?password-file={file}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "--debug", words[0], "--broker", url, *words[1:],
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(SOON_S):
            line = await process.stdout.readline()
        assert first.encode() in line, line
        yield process, line
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def rest_of(process: asyncio.subprocess.Process) -> bytes:
    """All that it says until it has ended after SIGTERM."""
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(SOON_S):
        said, _ = await process.communicate()
    return said


async def test_a_recorder_that_loses_its_broker_says_no_secret(tmp_path: Path) -> None:
    store = tmp_path / "room.sqlite"
    words = ("record", "--as", "eye-1", "--store", str(store))
    async with running(tmp_path) as broker, verb(broker, "recording", *words) as (process, line):
        broker.kill()
        assert process.stdout is not None
        async with asyncio.timeout(SOON_S):
            line += await process.stdout.readline()
        line += await rest_of(process)
    assert b"away" in line
    kept = {file.name: file.read_bytes() for file in tmp_path.glob("room.sqlite*")}
    assert_clean({"the password": PASSWORD.encode()}, {"the output": line, **kept})


async def test_a_monitor_says_neither_its_token_nor_its_password(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    token.chmod(0o600)
    words = ("monitor", "--listen", "127.0.0.1:0", "--token-file", str(token), "--as", "ann")
    async with (
        running(tmp_path) as broker,
        verb(broker, "monitor: http://", *words) as (process, line),
    ):
        port = int(line.split(b":")[3].split(b"/")[0])
        said = b""
        for form in (f"token={TOKEN}", f"token={TOKEN}x"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                f"POST /enter HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
                f"Content-Length: {len(form)}\r\n\r\n{form}".encode()
            )
            async with asyncio.timeout(SOON_S):
                said += await reader.read()
            writer.close()
        shown = line + await rest_of(process)
    # The right token was taken and the wrong one was not; neither answer repeats it.
    assert said.count(b"set-cookie") == 1
    assert_clean(
        {"the token": TOKEN.encode(), "the password": PASSWORD.encode()},
        {"the output": shown, "the answers": said},
    )
