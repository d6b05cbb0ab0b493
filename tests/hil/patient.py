"""`tablectl` on a machine that others keep busy: `python -m tests.hil.patient run --config FILE`.

A device that a busy machine keeps from its heartbeat is not held to have fallen silent. How long a
silence may be has its own tests (`tests/hal/test_session.py`).
"""

from __future__ import annotations

import sys

import hal.entropy
import hal.session
from controller.cli import main

# What is silent for longer is dead, on the busiest machine.
SILENCE_MS_MAX = 60_000


def be_patient() -> None:
    """Bear silence, of devices and of the raw source, for a minute."""
    hal.session.SILENCE_MS_MAX = SILENCE_MS_MAX
    hal.entropy.READ_S_MAX = SILENCE_MS_MAX / 1000


if __name__ == "__main__":
    be_patient()
    sys.exit(main())
