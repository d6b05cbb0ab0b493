"""What the kernel says of a process: memory, processor time, octets to the disk."""

from __future__ import annotations

import time
from pathlib import Path


def _numbers(pid: int, file: str) -> dict[str, int]:
    """`Name: number …` lines of a file of /proc."""
    lines = Path(f"/proc/{pid}/{file}").read_text(encoding="ascii", errors="replace").splitlines()
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {
        name: int(words.split()[0])
        for name, words in pairs
        if words.split() and words.split()[0].isdigit()
    }


def resident_kb(pid: int) -> int:
    """Resident memory in KiB, shared pages included."""
    return _numbers(pid, "status")["VmRSS"]


def anonymous_kb(pid: int) -> int:
    """Of it what belongs to no file: the kernel can take back the rest when memory is short."""
    return _numbers(pid, "status")["RssAnon"]


def proportional_kb(pid: int) -> int:
    """Resident memory in KiB, of what is shared the process's part alone."""
    return _numbers(pid, "smaps_rollup")["Pss"]


def written_octets(pid: int) -> int:
    """Octets that the process sent to the storage layer, in whole pages of the page cache."""
    return _numbers(pid, "io")["write_bytes"]


def processor_ns(pid: int) -> int:
    """Processor time of all its threads, user and system."""
    # The kernel's number of a process's clock (clock_getcpuclockid(3)): PID inverted, kind 2.
    return time.clock_gettime_ns((~pid << 3) | 2)


def file_octets(path: Path) -> int:
    """Sizes of a database and its log together."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
