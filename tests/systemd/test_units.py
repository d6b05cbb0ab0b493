"""The unit keeps its promises: watched, restarted, closed, and not blind to what is plugged in."""

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from controller.errors import EXIT_CONFIG

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "systemd"
UNIT = FOLDER / "table-controller@.service"
# systemd's own scale, 0 to 10: what was asked for, and what a program that computes on one file
# need not exceed.
EXPOSURE_MAX = {"table-controller@": 1.5, "table-controller-verify@": 0.5}


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


def test_the_kinds_of_adapters_are_known_before_one_is_plugged_in() -> None:
    # systemd looks a kind up when the unit starts: one whose module comes later stays closed.
    loaded = (FOLDER / "table-controller.modules").read_text(encoding="utf-8").splitlines()
    assert {"usbserial", "cdc_acm"} <= set(loaded)


def test_the_groups_of_the_ports_come_with_the_account() -> None:
    members = (FOLDER / "table-controller.sysusers").read_text(encoding="utf-8").splitlines()
    assert {"m table-controller dialout", "m table-controller gpio"} <= set(members)
    assert _values("SupplementaryGroups") == []


def test_a_table_calls_nobody_whom_the_house_has_not_named() -> None:
    assert _values("IPAddressDeny") == ["any"]
    assert _values("IPAddressAllow") == ["localhost"]


def test_nothing_can_listen_and_what_calls_out_may_still_bind_its_socket() -> None:
    # The last word on a call counts. The broker's client binds before it connects: with
    # SocketBindDeny no table reached its broker (seen in the emulated machine).
    about = [one for one in _values("SystemCallFilter") if "listen" in one]
    assert about == ["~listen"]
    assert _values("SocketBindDeny") == []


def test_examples_name_the_credentials_that_the_unit_hands_out() -> None:
    handed = {value.split(":")[0] for value in _values("LoadCredential")}
    for example in (ROOT / "config" / "examples").glob("*.toml"):
        for unit, name in re.findall(r"/run/credentials/([^/]+)/([\w.-]+)", example.read_text()):
            assert name in handed
            assert re.fullmatch(r"table-controller@[\w-]+\.service", unit)


def test_the_nightly_check_reads_the_record_that_the_examples_name() -> None:
    check = (FOLDER / "table-controller-verify@.service").read_text(encoding="utf-8")
    assert "verify %S/table-controller/%i/journal.sqlite\n" in check
    assert "table-controller-verify@%i.timer" in _values("Wants")
    for example in (ROOT / "config" / "examples").glob("*.toml"):
        table = tomllib.loads(example.read_text(encoding="utf-8"))
        if example.stem != "bench":
            path = f"/var/lib/table-controller/{table['table']['id']}/journal.sqlite"
            assert table["journal"]["path"] == path


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*@.*")), ids=lambda file: file.name)
def test_every_key_stands_in_a_section_that_systemd_reads(file: Path) -> None:
    parser = configparser.RawConfigParser(strict=False, delimiters="=", comment_prefixes="#")
    parser.read(file)
    assert set(parser.sections()) <= {"Unit", "Service", "Timer", "Install"}


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as those of a table, with a program that exists on this machine."""
    for file in FOLDER.glob("*@.*"):
        text = re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", file.read_text(encoding="utf-8"))
        (tmp_path / file.name.replace("@", "@t-12")).write_text(text)
    return tmp_path


needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not on this machine; any Debian with systemd runs this",
)


@needs_systemd
def test_systemd_finds_nothing_wrong(units: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(units.iterdir()))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", EXPOSURE_MAX)
def test_systemd_calls_the_exposure_as_low_as_was_asked_for(name: str, units: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager",
         str(units / f"{name}t-12.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    level = re.search(r"Overall exposure level for .*: ([0-9.]+)", done.stdout)
    assert level is not None, done.stdout + done.stderr
    assert float(level[1]) <= EXPOSURE_MAX[name]
