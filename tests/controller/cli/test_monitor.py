"""`tablectl monitor` as a process: what it refuses to serve, how it begins and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import controller.cli as cli
from controller.cli.monitor import listen_of
from controller.errors import UserError
from tests.controller.monitor.hall import hall_at
from tests.controller.monitor.serving import monitor_at, streaming
from tests.mqtt.mosquitto import running

BROKER = ("monitor", "--broker", "mqtt://127.0.0.1:1")


@pytest.mark.parametrize(
    ("text", "said"),
    [("127.0.0.1:8650", ("127.0.0.1", 8650)), ("[::1]:0", ("::1", 0)),
     ("room.example:65535", ("room.example", 65535))],
)  # fmt: skip
def test_where_it_listens_is_a_host_and_a_port(text: str, said: tuple[str, int]) -> None:
    assert listen_of(text) == said


@pytest.mark.parametrize("text", ["", "8650", "host:", "host:65536", "::1:80", "a b:1"])
def test_what_is_no_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="HOST:PORT"):
        listen_of(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--listen", "0.0.0.0:8650"), "--token-file"),
        (("--listen", "0.0.0.0:8650", "--token-file", "/none"), "--certificate"),
        (("--token-file", "/none"), "No such file"),
        (("--certificate", "/none"), "useless"),
        (("--certificate", "/none", "--key", "/none"), "No such file"),
        (("--as", "a/b"), "--as"),
        (("--table", "#"), "--table"),
        (("--commands-broker", "mqtt://x"), "--as"),
        (("--as", "x", "--commands-broker", "http://x"), "--commands-broker"),
    ],
)
def test_what_would_be_open_or_cannot_work_is_refused_before_anything_listens(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*BROKER, *words]) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert shown.out == ""


def test_a_broker_that_is_away_is_told_with_exit_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*BROKER, "--listen", "127.0.0.1:0"]) == 3
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_without_its_extra_packages_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'uvicorn' else found(name, *more)\n"
        "from controller.cli import main\n"
        f"sys.exit(main({list(BROKER)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "table-controller[monitor]" in done.stderr) == (2, True)


def test_the_help_needs_no_web_framework() -> None:
    code = (
        "import sys; from controller.cli import main; main(['monitor', '--help']);"
        "print(sorted(m for m in sys.modules if m in ('starlette', 'uvicorn')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


async def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    async with (
        running(tmp_path) as broker,
        hall_at(broker.address(), 2, 3),
        monitor_at(broker, "--as", "rivera", "--table", "t-2") as monitor,
        streaming(monitor.port) as page,
    ):
        assert "acknowledges as rivera" in monitor.words
        await page.until(lambda: list(page.tables) == ["t-2"])
        assert monitor.process is not None
        monitor.process.terminate()
        assert await monitor.process.wait() == 0


async def test_a_port_that_is_taken_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(tmp_path) as broker:
        listen = f"127.0.0.1:{broker.port}"
        assert cli.main(["monitor", "--broker", broker.url, "--listen", listen]) == 2
    assert "already in use" in capsys.readouterr().err
