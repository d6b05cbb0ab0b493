"""How Hypothesis chooses its examples and judges time in every test, and what Ctrl-C means.

The examples of a test are the same in every run, so that the same commit gives the same verdict on
every machine; new ones are looked for on purpose, with `HYPOTHESIS_PROFILE=looking` and `-m heavy`.
Time is not judged at all: the first text that a fresh checkout draws builds tables that take
seconds on a small or busy machine, and one slow example there says nothing about the code. What
must be fast has a test of its own that says how fast.
"""

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=(HealthCheck.too_slow,), derandomize=True
)
settings.register_profile(
    "looking", settings.get_profile("any-machine"), derandomize=False, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "any-machine"))

# A shell starts what it puts into the background with Ctrl-C ignored, and the programs that the
# tests start and interrupt would inherit that and never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
