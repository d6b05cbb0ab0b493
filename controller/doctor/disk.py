"""The disk under the record: room, kind, how long a sync takes, and whether that can be true.

A disk that says "written" before it has written cannot be found out without cutting its power. What
can be told is an answer that comes faster than the medium is able to write.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from controller.clock import SystemClock
from controller.doctor.finding import Finding
from controller.doctor.medium import Medium, Mount, medium_of, mount_of
from controller.doctor.patient import Patient
from controller.watch import RESERVE_OCTETS, free_of

CHECK = "disk"
# One commit of a quiet table is about as long.
BLOCK_OCTETS = 4096
WRITES_MAX = 64
MEASURE_S_MAX = 5
NS_PER_US = 1_000
NS_PER_S = 1_000_000_000
# Half a turn at 7,200 a minute is 4.2 ms; a quarter of it lets a lucky disk through.
TURN_US_MIN = 1_000
# Programming one page of flash takes 200 us and more; a card has a slow controller before it.
CARD_US_MIN = 200
# Above this the people at the table notice, and the journal calls a write slow from 1 s on.
SLOW_US = 50_000
STALL_US = 1_000_000
MEGA = 1024 * 1024
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "fuse.glusterfs")
MEMORY = ("tmpfs", "ramfs")
# Each of them makes a sync return before the medium has it.
LYING_OPTIONS = ("nobarrier", "barrier=0", "volatile")


async def examine(patient: Patient) -> list[Finding]:
    """Look, and write some 250 KB where no table runs that would wait for it."""
    return await asyncio.to_thread(lambda: list(_examined(patient)))


def _examined(patient: Patient) -> Iterator[Finding]:
    journal = patient.journal
    # SQLite follows links: the disk is that of the file itself.
    wanted = journal.path.resolve().parent
    folder = _nearest(wanted)
    if folder != wanted:
        text = f"{wanted}: is not there yet; the first start makes it"
        yield Finding(CHECK, "folder", "info", text)
    try:
        free, _ = free_of(folder)
    except OSError as error:
        yield Finding(CHECK, "folder", "wrong", f"{folder}: {error.strerror}", "mount the disk")
        return
    yield _room(free, journal.budget_mb * MEGA)
    mount = mount_of(folder, patient.root)
    medium = None if mount is None else medium_of(mount, patient.root)
    if mount is not None:
        yield from _kind(mount, medium)
    if patient.daemon is not None:
        yield _lag(patient)
        return
    try:
        took_us = measured(folder)
    except OSError as error:
        text = f"{folder}: cannot be written: {error.strerror}"
        mend = f"sudo install -d -o table-controller -g table-controller -m 700 {folder}"
        yield Finding(CHECK, "folder", "wrong", text, mend)
        return
    yield from judged(took_us, medium)


def _nearest(folder: Path) -> Path:
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


def _room(free: int, budget: int) -> Finding:
    text = f"{free // MEGA} MB free, the record may take {budget // MEGA} MB"
    if free < RESERVE_OCTETS:
        mend = f"make room: below {RESERVE_OCTETS // MEGA} MB the table holds"
        return Finding(CHECK, "room", "wrong", text, mend)
    if free < budget:
        mend = "make room, or lower [journal] budget_mb"
        return Finding(CHECK, "room", "warning", text, mend)
    return Finding(CHECK, "room", "ok", text)


def _kind(mount: Mount, medium: Medium | None) -> Iterator[Finding]:
    said = f"{mount.kind} at {mount.point}" + (f" on {medium.name}" if medium else "")
    lying = sorted(mount.options.intersection(LYING_OPTIONS))
    if mount.kind in MEMORY:
        mend = "put the record on a disk: [journal] path"
        yield Finding(CHECK, "medium", "wrong", f"{said}: gone with the power", mend)
    elif mount.kind in NETWORK:
        mend = "put the record on a local disk: [journal] path"
        yield Finding(CHECK, "medium", "wrong", f"{said}: another machine's disk", mend)
    elif lying:
        text = f"{said}: mounted with {', '.join(lying)}: a sync proves nothing"
        yield Finding(CHECK, "medium", "wrong", text, "take the option out of /etc/fstab")
    elif "ro" in mount.options:
        text = f"{said}: mounted read-only"
        mend = "look at `dmesg`: a kernel does that to a failing disk; then mount it again"
        yield Finding(CHECK, "medium", "wrong", text, mend)
    else:
        yield Finding(CHECK, "medium", "ok", said)


def measured(folder: Path) -> list[int]:
    """How long each of up to WRITES_MAX synchronous writes took, in us. Raises OSError."""
    clock = SystemClock()
    file = folder / f".doctor-{secrets.token_hex(4)}"
    took_us: list[int] = []
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_DSYNC | os.O_CLOEXEC
    descriptor = os.open(file, flags, 0o600)
    try:
        end_ns = clock.mono_ns() + MEASURE_S_MAX * NS_PER_S
        while len(took_us) < WRITES_MAX and (began_ns := clock.mono_ns()) < end_ns:
            # Never the same octets: a medium may skip what it has already.
            os.pwrite(descriptor, os.urandom(BLOCK_OCTETS), len(took_us) * BLOCK_OCTETS)
            took_us.append((clock.mono_ns() - began_ns) // NS_PER_US)
    finally:
        os.close(descriptor)
        file.unlink(missing_ok=True)
    return took_us


def judged(took_us: Sequence[int], medium: Medium | None) -> Iterator[Finding]:
    """What the times say, and whether the medium can have been that fast."""
    ordered = sorted(took_us)
    median_us, most_us = ordered[len(ordered) // 2], ordered[-1]
    text = f"median {_ms(median_us)}, longest {_ms(most_us)} of {len(ordered)} synchronous writes"
    if most_us > STALL_US or median_us > SLOW_US:
        mend = "the card or disk is worn or weak: take an industrial one, or an SSD"
        yield Finding(CHECK, "sync", "warning", text, mend)
    else:
        yield Finding(CHECK, "sync", "ok", text)
    yield _truth(median_us, medium)


def _truth(median_us: int, medium: Medium | None) -> Finding:
    least_us = 0
    if medium is not None and not medium.is_virtual:
        least_us = TURN_US_MIN if medium.rotates else CARD_US_MIN if medium.is_card else 0
    if medium is not None and median_us < least_us:
        text = (
            f"{medium.name} answers in {_ms(median_us)}, and no such medium writes in less than"
            f" {_ms(least_us)}: it lies, and a power cut takes what it said was written"
        )
        mend = "switch its write cache off (hdparm -W 0) or take another"
        return Finding(CHECK, "truth", "wrong", text, mend)
    if medium is None or medium.is_virtual:
        text = "what lies below is hidden: whether it keeps its word cannot be told from here"
        return Finding(CHECK, "truth", "warning", text, "ask who runs the host, or cut its power")
    said = "with a cache of its own" if medium.caches else "without a cache that writes back"
    text = f"{medium.name}, {said}: its times can be true; only a power cut would prove it"
    return Finding(CHECK, "truth", "info", text)


def _lag(patient: Patient) -> Finding:
    lag_ms = patient.healthy("journal", "lag_ms")
    trouble = patient.healthy("record", "trouble")
    if trouble:
        text = f"the running table cannot write its record: {trouble}"
        return Finding(CHECK, "sync", "wrong", text, "docs/record.md")
    text = "the table runs, so nothing is measured beside it"
    if lag_ms is not None:
        text += f"; its journal came round in {lag_ms} ms"
    return Finding(CHECK, "sync", "info", text)


def _ms(micro: int) -> str:
    return f"{micro // 1000}.{micro % 1000:03d} ms"
