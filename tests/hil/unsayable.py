"""What a rig cannot say, and where the same thing is tried with the part in question itself."""

from __future__ import annotations

from tests.hil.sentences import Script

NUMBER = "the generator gives 1 to 7 and nothing else: tests/hal/test_draw.py, test_generator.py"
SECOND = "the number comes before a hand can do anything else: tests/crash/test_kill_number.py"
READBACK = "a digit that reads back as another number has shorted segments: tests/hal/test_digit.py"
SOURCE = "a raw source does not go bad on demand: tests/hal/test_generator.py, demo's rng-stuck"
BROKER = "people speak over the broker that is taken away: tests/mqtt/test_broker_away.py"
PATIENCE = "a house's patience of minutes: tests/controller/test_timers.py"
STRANGER = (
    "the link keeps another device's name from the rules and says link lost instead: "
    "tests/hal/test_session.py"
)
TWO_ROLES = "a roster gives a person one role: tests/scenarios/test_scenarios.py"
LAW = "this rig plays by the shipped profiles alone: the virtual rig"
CHOSEN = "this rig's generator cannot be told its number: the virtual rig"
PINS = "this rig has no jumper for it: the virtual rig"

# Of the timers only alarms that nobody takes note of go up within seconds (`tablefile.ESCALATE_S`).
QUICK_TIMERS = ("A1.floorperson", "A1.pit_manager")


def why_not(script: Script) -> str | None:
    """Why no rig can say all of the script; None where it can."""
    waits_for_number = False
    identity: dict[str, object] | None = None
    for sentence in script.sentences:
        said, members = (sentence.source, sentence.kind), sentence.members
        if said == ("rng", "drawn") and members["number"] not in range(1, 8):
            return NUMBER
        if waits_for_number and said != ("rng", "drawn"):
            return SECOND
        if said == ("rng", "shown") and members["number"] != members["readback"]:
            return READBACK
        if said in (("rng", "health_failed"), ("rng", "restored")):
            return SOURCE
        if said == ("system", "broker"):
            return BROKER
        if said == ("clock", "timer") and members["name"] not in QUICK_TIMERS:
            return PATIENCE
        if sentence.refused and script.roster.get(sentence.by or "") not in (None, sentence.source):
            return TWO_ROLES
        if sentence.kind == "identity":
            if identity is not None and identity != members:
                return STRANGER
            identity = members
        waits_for_number = said == ("rng", "button") and not sentence.refused
    return None


def why_not_here(script: Script, loads: bool, purposes: frozenset[str]) -> str | None:
    """The same for a rig by the shipped law: whether its generator `loads`, and its jumpers."""
    if script.law is not None:
        return LAW
    for sentence in script.sentences:
        if (sentence.source, sentence.kind) == ("rng", "drawn") and not loads:
            return CHOSEN
        if sentence.kind == "button" and "rng" not in purposes:
            return PINS
        if sentence.kind == "cover" and f"cover_{sentence.members['device']}" not in purposes:
            return PINS
    return why_not(script)
