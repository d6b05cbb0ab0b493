"""The service around a table: unit files, watchdogs, account, and the network it may call."""

from __future__ import annotations

import asyncio
import pwd
import re
from collections.abc import Iterator
from pathlib import Path

from controller.broker_address import is_loopback
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.manifest import is_checkout

CHECK = "unit"
ACCOUNT = "table-controller"
UNIT = "table-controller@.service"
TIMER = "table-controller-verify@.timer"
RULES = "90-table-devices.rules"
# Where systemd looks, the first that has a name wins.
FOLDERS = (
    "etc/systemd/system", "run/systemd/system", "usr/local/lib/systemd/system",
    "usr/lib/systemd/system", "lib/systemd/system",
)  # fmt: skip
RULE_FOLDERS = ("etc/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d")
BOARD_WATCHDOG = Path("dev/watchdog0")
MANAGER = ("etc/systemd/system.conf", "etc/systemd/system.conf.d/*.conf")
INSTALL = "install the package (docs/install.md)"
STATE_S_MAX = 10


async def examine(patient: Patient) -> list[Finding]:
    """The files below the machine's root, and what systemd says where it runs."""
    found = await asyncio.to_thread(lambda: list(_examined(patient)))
    if (patient.root / "run/systemd/system").is_dir() and patient.root == Path("/"):
        found.append(await _state(patient))
    return found


def _examined(patient: Patient) -> Iterator[Finding]:
    unit = _first(patient.root, FOLDERS, UNIT)
    if unit is None and is_checkout():
        text = "a checkout: served by hand, not by systemd"
        yield Finding(CHECK, "files", "info", text)
        return
    for name, folders in ((UNIT, FOLDERS), (TIMER, FOLDERS), (RULES, RULE_FOLDERS)):
        if _first(patient.root, folders, name) is None:
            yield Finding(CHECK, "files", "wrong", f"{name} is not installed", INSTALL)
    if unit is not None:
        text = _text_of(patient, unit)
        yield Finding(CHECK, "files", "ok", str(unit))
        yield from _watchdogs(patient, text)
        yield from _network(patient, text)
    try:
        pwd.getpwnam(ACCOUNT)
    except KeyError:
        text = f"there is no account {ACCOUNT}"
        yield Finding(CHECK, "account", "wrong", text, "sudo systemd-sysusers")


def _first(root: Path, folders: tuple[str, ...], name: str) -> Path | None:
    return next((file for one in folders if (file := root / one / name).is_file()), None)


def _instance(patient: Patient) -> str:
    return UNIT.replace("@", f"@{patient.file.stem}")


def _text_of(patient: Patient, unit: Path) -> str:
    """The unit with its drop-ins, as far as systemd would read them for this table."""
    files = [unit]
    for name in (UNIT, _instance(patient)):
        for folder in FOLDERS[:2]:
            files += sorted((patient.root / folder / f"{name}.d").glob("*.conf"))
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


def _values(text: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def _watchdogs(patient: Patient, unit: str) -> Iterator[Finding]:
    said = [one for one in _values(unit, "WatchdogSec") if one not in ("", "0")]
    if said:
        yield Finding(CHECK, "watchdog", "ok", f"systemd restarts a table silent for {said[-1]} s")
    else:
        text = "nobody notices a table that hangs: the unit has no WatchdogSec"
        yield Finding(CHECK, "watchdog", "wrong", text, INSTALL)
    if not (patient.root / BOARD_WATCHDOG).exists():
        return
    files = (file for pattern in MANAGER for file in sorted(patient.root.glob(pattern)))
    manager = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
    if not _values(manager, "RuntimeWatchdogSec"):
        text = "the board's own watchdog is not used: a board that hangs stays so"
        mend = "RuntimeWatchdogSec=15 in /etc/systemd/system.conf.d/watchdog.conf"
        yield Finding(CHECK, "watchdog", "warning", text, mend)


def _network(patient: Patient, unit: str) -> Iterator[Finding]:
    denied = "any" in _values(unit, "IPAddressDeny")
    others = [one for one in _values(unit, "IPAddressAllow") if one not in ("", "localhost")]
    host = patient.mqtt.host
    if denied and not others and not is_loopback(host):
        text = f"the unit may call this machine alone, and the broker is {host}"
        mend = f"sudo systemctl edit {_instance(patient)}: IPAddressAllow="
        yield Finding(CHECK, "network", "wrong", text, mend)


async def _state(patient: Patient) -> Finding:
    unit = _instance(patient)
    try:
        asked = await asyncio.create_subprocess_exec(
            "systemctl", "show", "--property=ActiveState,UnitFileState,NRestarts", unit,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return Finding(CHECK, "state", "warning", f"{unit}: systemd does not answer")
    try:
        async with asyncio.timeout(STATE_S_MAX):
            said, _ = await asked.communicate()
    except TimeoutError:
        asked.kill()
        await asked.wait()
        return Finding(CHECK, "state", "warning", f"{unit}: systemd does not answer")
    states = dict(line.split("=", 1) for line in said.decode().splitlines() if "=" in line)
    text = f"{unit}: {states.get('ActiveState')}, {states.get('UnitFileState')}"
    if states.get("ActiveState") == "failed":
        mend = f"journalctl -u {unit} says why; then sudo systemctl reset-failed {unit}"
        return Finding(CHECK, "state", "wrong", text, mend)
    if states.get("UnitFileState") not in ("enabled", "enabled-runtime"):
        mend = f"sudo systemctl enable {unit}"
        return Finding(CHECK, "state", "warning", f"{text}: not served after a boot", mend)
    return Finding(CHECK, "state", "ok", f"{text}, {states.get('NRestarts')} restarts")
