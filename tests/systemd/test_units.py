"""The unit keeps its promises: watched, restarted, closed, and not blind to what is plugged in."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.errors import EXIT_CONFIG

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd" / "table-controller@.service"
# systemd's own scale, 0 to 10; "OK" ends at 2.
EXPOSURE_MAX = 2.0


def _values(key: str) -> list[str]:
    found = re.findall(rf"^{key}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    return [str(value) for value in found]


def test_the_unit_is_watched_and_not_restarted_on_a_wrong_configuration() -> None:
    assert _values("Type") == ["notify"]
    assert int(_values("WatchdogSec")[0]) > 0
    assert _values("Restart") == ["on-failure"]
    assert _values("RestartPreventExitStatus") == [str(EXIT_CONFIG)]


def test_devices_that_are_plugged_in_later_are_seen() -> None:
    assert _values("DevicePolicy") == ["closed"]
    assert _values("PrivateDevices") == []
    kinds = {value.split()[0] for value in _values("DeviceAllow")}
    assert kinds >= {"char-ttyUSB", "char-ttyACM", "char-gpiochip"}


def test_nothing_can_listen() -> None:
    assert _values("SocketBindDeny") == ["any"]


def test_examples_name_the_credentials_that_the_unit_hands_out() -> None:
    handed = {value.split(":")[0] for value in _values("LoadCredential")}
    for example in (ROOT / "config" / "examples").glob("*.toml"):
        for unit, name in re.findall(r"/run/credentials/([^/]+)/([\w.-]+)", example.read_text()):
            assert name in handed
            assert re.fullmatch(r"table-controller@[\w-]+\.service", unit)


def test_every_key_stands_in_a_section_that_systemd_reads() -> None:
    parser = configparser.RawConfigParser(strict=False, delimiters="=", comment_prefixes="#")
    parser.read(UNIT)
    assert parser.sections() == ["Unit", "Service", "Install"]


@pytest.fixture
def verifiable_unit(tmp_path: Path) -> Path:
    """The unit as an instance whose program exists on this machine."""
    unit = tmp_path / "table-controller@t-12.service"
    text = re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text(encoding="utf-8"))
    unit.write_text(text)
    return unit


needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not on this machine; any Debian with systemd runs this",
)


@needs_systemd
def test_systemd_finds_nothing_wrong(verifiable_unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(verifiable_unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_calls_the_exposure_ok(verifiable_unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(verifiable_unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    level = re.search(r"Overall exposure level for .*: ([0-9.]+)", done.stdout)
    assert level is not None, done.stdout + done.stderr
    assert float(level[1]) < EXPOSURE_MAX
