"""Reads a file that somebody else may have put there: a regular one, bounded, without waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def octets_of(file: Path, octets_max: int) -> bytes:
    """The whole file. Raises OSError, also for a pipe or a device, which could keep the reader
    waiting for ever or give octets without end, and for more than `octets_max`."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(file))
        octets = opened.read(octets_max + 1)
    if len(octets) > octets_max:
        raise OSError(errno.EFBIG, f"has more than {octets_max} octets", str(file))
    return octets
