"""The fault menu of devices and wires: name -> what happens, and to which device it can happen.

Interfaces, section 5 has the names; product.md (c) where each one has happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hal.sim.device import SimDevice

# Odds a frame. With three repeats an event is lost for good once in some 120 (lost) or
# 200 (damaged): often enough to be seen, rare enough to play on.
LOST_ODDS: Final = 0.3
DAMAGED_ODDS: Final = 0.27
NOISE_ODDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Fault:
    """`devices` that can have it, what happens in words, and how it is set up."""

    devices: tuple[str, ...]
    summary: str
    apply: Callable[[SimDevice, str], None]


def _arm(device: SimDevice, name: str) -> None:
    device.arm(name)


def _arm_and_greet(device: SimDevice, name: str) -> None:
    device.arm(name)
    device.greet()


def _wire(member: str, value: object) -> Callable[[SimDevice, str], None]:
    def apply(device: SimDevice, _: str) -> None:
        setattr(device.wire.cruelty, member, value)

    return apply


SHUFFLER: Final = ("shuffler",)
SHOE: Final = ("shoe",)
BOTH: Final = ("shuffler", "shoe")

FAULTS: Final[Mapping[str, Fault]] = {
    "short-deck": Fault(SHUFFLER, "a card is gone: the next cycle counts one less", _arm),
    "long-deck": Fault(SHUFFLER, "a card too many: the next cycle counts one more", _arm),
    "foreign-back": Fault(SHUFFLER, "the next cycle counts right and saw a strange back", _arm),
    "sort-mode": Fault(SHUFFLER, "the next cycle sorts instead of shuffling", _arm),
    "never-started": Fault(SHUFFLER, "loaded and unloaded, the cycle never ran", _arm),
    "shuffler-jam": Fault(SHUFFLER, "three cards stick in the next cycle", _arm),
    "shuffler-stop": Fault(SHUFFLER, "the motors stop in the next cycle", _arm),
    "incomplete-cycle": Fault(SHUFFLER, "the next cycle ends incomplete", _arm),
    "residue": Fault(SHUFFLER, "the next ejection leaves sixteen cards inside", _arm),
    "red-lamp-says-ok": Fault(SHUFFLER, "the lamp is red, the port says ok", _arm),
    "shoe-jam": Fault(SHOE, "cards stick after a stack or card is out", _arm),
    "shoe-stop": Fault(SHOE, "the motors stop after a stack or card is out", _arm),
    "not-all-dealt": Fault(SHOE, "the shoe gives up after a stack of the round is out", _arm),
    "short-stack": Fault(SHOE, "the next stack has one card less", _arm),
    "long-stack": Fault(SHOE, "the next stack has one card more", _arm),
    "face-up-one": Fault(SHOE, "the next card, or one of the next stack, lies face up", _arm),
    "face-up-two": Fault(SHOE, "the next two cards, or two of the next stack, lie face up", _arm),
    "overdraw": Fault(SHOE, "one card more comes out than was asked for", _arm),
    "draw-while-locked": Fault(SHOE, "a card or stack comes out in spite of the lock", _arm),
    "cover-card-early": Fault(SHOE, "the cover card of the next load comes after ten cards", _arm),
    "cover-card-never": Fault(SHOE, "the cover card of the next load never comes", _arm),
    "bad-crc": Fault(BOTH, "about one frame in four is damaged", _wire("bad_check", DAMAGED_ODDS)),
    "noise": Fault(BOTH, "octets of nobody stand between the frames", _wire("noise", NOISE_ODDS)),
    "split-frames": Fault(BOTH, "every frame comes in four pieces", _wire("split", True)),
    "triple-frames": Fault(BOTH, "every frame comes three times", _wire("triple", True)),
    "lost-frames": Fault(BOTH, "about one frame in three is lost", _wire("lost", LOST_ODDS)),
    "silence-then-burst": Fault(BOTH, "silence in the next work, then all at once", _arm),
    "reboot-mid-round": Fault(BOTH, "the device restarts in the middle of its work", _arm),
    "sequence-wrap": Fault(BOTH, "numbers begin just below FFFF at each start", _arm),
    "unplug": Fault(BOTH, "the plug is pulled in the next work and put back", _arm),
    "counterfeit": Fault(BOTH, "another serial number answers", _arm_and_greet),
    "slow-clock": Fault(BOTH, "the device's clock runs 2.5 % slow", _arm),
}


def faults_of(device: str) -> list[str]:
    """Names that `device` (shuffler or shoe) can have, in the order of the menu."""
    return [name for name, fault in FAULTS.items() if device in fault.devices]


def apply(name: str, device: SimDevice) -> None:
    """Set a fault up on a simulated device. Raises KeyError for one that it cannot have."""
    fault = FAULTS[name]
    if device.name not in fault.devices:
        raise KeyError(name)
    fault.apply(device, name)


def lift(device: SimDevice) -> None:
    """Heal the wire and take back what has not happened yet."""
    cruelty = device.wire.cruelty
    cruelty.lost = cruelty.bad_check = cruelty.noise = 0.0
    cruelty.split = cruelty.triple = False
    for name in faults_of(device.name):
        device.disarm(name)
