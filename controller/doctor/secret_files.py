"""Files that only the table may read: there, and readable by nobody else."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from pathlib import Path

from controller.doctor.finding import Finding
from controller.doctor.patient import HANDED_OUT, Patient

CHECK = "secrets"
# The group may read (the account's own, docs/install.md); it may not write, and others may nothing.
TOO_OPEN = stat.S_IWGRP | stat.S_IRWXO


async def examine(patient: Patient) -> list[Finding]:
    """Each file that the table's file names and that is no public certificate."""
    return await asyncio.to_thread(lambda: list(_examined(patient)))


def _examined(patient: Patient) -> Iterator[Finding]:
    mqtt, journal = patient.mqtt, patient.journal
    if not journal.key.exists():
        yield Finding(CHECK, "journal.key", "info", f"{journal.key}: made at the first start")
    named = {
        "journal.key": journal.key,
        "mqtt.password_file": mqtt.password_file,
        "mqtt.tls.key": None if mqtt.tls is None else mqtt.tls.key,
    }
    for name, file in named.items():
        if file is not None and (name != "journal.key" or file.exists()):
            yield _judged(name, file, patient.found(file))


def _judged(name: str, named: Path, file: Path) -> Finding:
    try:
        mode = file.stat().st_mode
    except OSError as error:
        text = f"{file}: {error.strerror}"
        mend = "correct the path, or make the file (config/broker/README.md)"
        if str(named).startswith(HANDED_OUT):
            mend = f"put {named.name} below /etc/table-controller/secrets, for LoadCredential="
        return Finding(CHECK, name, "wrong", text, mend)
    said = f"{file}: mode {stat.S_IMODE(mode):03o}"
    if mode & TOO_OPEN:
        return Finding(CHECK, name, "wrong", f"{said}: others may use it", f"chmod 600 {file}")
    return Finding(CHECK, name, "ok", said)
