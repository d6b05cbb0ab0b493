"""The program: which it is, and whether it is what was installed."""

from __future__ import annotations

import asyncio
import platform

from config.profiles import profile_document
from controller import VERSION
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.verification import verify_build

CHECK = "software"
# A whole folder that is gone is one trouble, not three hundred.
TOLD_MAX = 8


async def examine(patient: Patient) -> list[Finding]:
    """Read all files of program and libraries again; some seconds."""
    done = await asyncio.to_thread(verify_build)
    game = patient.settings.game.name
    text = f"table-controller {VERSION}, Python {platform.python_version()}, build"
    found = [
        Finding(CHECK, "version", "info", f"{text} sha256:{done.identity.build}"),
        Finding(CHECK, "profile", "info", f"{game} sha256:{profile_document(game)[1]}"),
    ]
    for one in done.wrong[:TOLD_MAX]:
        mend = "install the approved package again (docs/identity.md)"
        found.append(Finding(CHECK, "files", "wrong", one, mend))
    if (more := len(done.wrong) - TOLD_MAX) > 0:
        found.append(Finding(CHECK, "files", "wrong", f"and {more} more", "tablectl version"))
    if not done.wrong:
        read = f"{done.files} files read"
        if done.identity.compared:
            found.append(Finding(CHECK, "files", "ok", f"{read}: as in the manifest"))
        else:
            text = f"{read}; a checkout has no manifest to compare the program with"
            found.append(Finding(CHECK, "files", "info", text))
    return found
