"""`tablectl sim --capture` and `--playback`: a technician keeps a line, another one hears it."""

from __future__ import annotations

import json
import resource
import signal
import stat
import threading
import time
from pathlib import Path

import pytest

from controller.cli import main
from hal.sim.capture import HEAD, pieces_of
from tests.hal.wires import Pty

CAPTURE = f"{HEAD}\n# x\n5.000000 < QUINCE\\r\\n\n5.100000 > ?\n5.200000 < LAMP G\\r\\n\n"


def test_a_line_is_kept_for_whoever_asked_and_no_one_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pty = Pty(tmp_path / "port")
    file = tmp_path / "line.txt"
    ended = threading.Event()

    def speak() -> None:
        # Until it is over: whenever the port is opened, what came before is thrown away.
        while not ended.wait(0.05):
            pty.say(b"LAMP G\r\n")

    speaking = threading.Thread(target=speak)
    speaking.start()
    try:
        arguments = ["--port", str(tmp_path / "port"), "--baud", "9600", "--seconds", "1"]
        assert main(["sim", "--capture", str(file), *arguments]) == 0
        again = main(["sim", "--capture", str(file), *arguments])
    finally:
        ended.set()
        speaking.join()
        pty.unplug()
    shown = capsys.readouterr().err
    assert again == 2
    assert f"{file}: File exists" in shown
    assert "never at a table in play" in shown
    assert "octets; the time is over" in shown
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = file.read_text().splitlines()
    assert lines[1].startswith(f"# {tmp_path / 'port'} at 9600 baud, begun 20")
    assert b"LAMP G\r\n" in b"".join(one.octets for one in pieces_of(lines) if one.source == "<")


def test_a_full_disk_ends_a_capture_behind_a_whole_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit on the size of files is the same as no room left: a part is taken, then nothing."""
    pty, file = Pty(tmp_path / "port"), tmp_path / "line.txt"
    ended = threading.Event()

    def speak() -> None:
        while not ended.wait(0.01):
            pty.say(b"\xff" * 200)

    speaking = threading.Thread(target=speak)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    speaking.start()
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
        code = main(["sim", "--capture", str(file), "--port", str(tmp_path / "port")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
        ended.set()
        speaking.join()
        pty.unplug()
    assert code == 2
    told = capsys.readouterr().err
    # The second where a line happens to end at the very limit.
    words = ("the disk is full; what was kept until then is whole", "File too large")
    assert any(f"{file}: {one}" in told for one in words)
    assert file.read_bytes().endswith(b"\n")
    assert len(list(pieces_of(file.read_text().splitlines()))) > 1


def test_a_host_s_terminal_takes_the_place_of_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pty, file, taken = Pty(tmp_path / "port"), tmp_path / "line.txt", tmp_path / "taken"
    taken.write_text("precious")
    arguments = ["sim", "--capture", str(file), "--port", str(tmp_path / "port")]
    assert main([*arguments, "--to", f"pty:{taken}", "--seconds", "1"]) == 2
    assert main([*arguments, "--seconds", "nan"]) == 2
    assert main([*arguments, "--seconds", "0"]) == 2
    pty.unplug()
    assert taken.read_text() == "precious"
    assert not file.exists()
    shown = capsys.readouterr().err
    assert f"--to: {taken}: something else is there; take a name that is free" in shown
    assert "--seconds: expected a number above 0" in shown


def test_a_capture_is_played_to_whoever_listens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, port = tmp_path / "line.txt", tmp_path / "port"
    file.write_text(CAPTURE)
    heard = bytearray()

    def listen() -> None:
        for _ in range(2_000):
            if port.exists():
                break
            time.sleep(0.01)
        with port.open("r+b", buffering=0) as line:
            line.write(b"?")
            while b"LAMP G\r\n" not in heard:
                heard.extend(line.read(64))

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    assert main(["sim", "--playback", str(file), "--port", f"pty:{port}", "--speed", "2"]) == 0
    listening.join(20)
    assert bytes(heard) == b"QUINCE\r\nLAMP G\r\n"
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"said_octets": 16, "heard_octets": 1}
    assert "waiting for a host" in shown.err


def test_nobody_need_listen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "line.txt"
    file.write_text(CAPTURE)
    arguments = ["--port", f"pty:{tmp_path / 'port'}", "--at-once"]
    assert main(["sim", "--playback", str(file), *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["said_octets"] == 16


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "/x"], "expected shuffler or shoe, or --capture FILE"),
        (["shoe", "--capture", "f", "--port", "/x"], "simulates no device"),
        (["--capture", "f", "--playback", "g", "--port", "/x"], "one of them"),
        (["--capture", "f", "--port", "pty:/tmp/x"], "needs a port with a device"),
        (["--capture", "f", "--port", "x"], "expected an absolute path"),
        (["--capture", "f", "--port", "/x", "--to", "/y"], "expected pty:PATH"),
        (["--capture", "f", "--port", "/x", "--to", "pty:/no/y"], "no directory for /no/y"),
        (["--capture", "/no/f", "--port", "/x"], "/no/f: No such file"),
        (["--playback", "/no/f", "--port", "/x"], "/no/f: No such file"),
        (["--playback", "/dev/zero", "--port", "/x"], "/dev/zero: is not a regular file"),
    ],
)
def test_a_mistake_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1:1: the file is empty"),
        (f"{HEAD}\nwhat\n", ":2:1: expected a time"),
        (f"{HEAD}\n1.000000 < é\n", ":2:1: "),
        (f"{HEAD}\n1.000000 > ?\n", ": the device says nothing in it"),
    ],
)
def test_a_file_that_is_no_capture_is_told_at_its_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "line.txt"
    file.write_text(text)
    assert main(["sim", "--playback", str(file), "--port", f"pty:{tmp_path / 'p'}"]) == 2
    assert f"{file}{said}" in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["--capture", "--playback"])
def test_a_port_that_is_not_there_is_told(
    mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "line.txt"
    if mode == "--playback":
        file.write_text(CAPTURE)
    assert main(["sim", mode, str(file), "--port", "/nowhere/port"]) == 3
    assert "nothing is plugged in there" in capsys.readouterr().err
    assert file.exists() is (mode == "--playback")
