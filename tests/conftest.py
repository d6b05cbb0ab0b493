"""How Hypothesis judges time in every test: not at all.

The first text that a fresh checkout draws builds tables that take seconds on a small or busy
machine, and one slow example there says nothing about the code. What must be fast has a test of
its own that says how fast; the number of examples stays Hypothesis's own.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=(HealthCheck.too_slow,)
)
settings.load_profile("any-machine")
