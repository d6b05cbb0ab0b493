"""How the hardware side can be wrong: the tree first, then what each one looks like on a bench.

HardwareError
├── PortError                 a port that cannot be used now; the link says it and tries again
│   ├── PortMissing           no such path: cable out, adapter renumbered, a typo in the file
│   ├── PortBusy              another process holds it: ModemManager, a terminal left open
│   └── PortUnusable          there, but not a serial port, no permission, or the server refuses
├── AddressError              the configured port is no path and no tcp://host:port
├── ScriptError               a line of a simulator's script that states no action of its device
└── DeviceRefused             a simulated device does not do this now: locked, jammed, empty

None of them travels to the rules: there a broken world is a fact (`hal.facts.Link`), never an
exception. A bug stays an AssertionError and ends the daemon.
"""

from __future__ import annotations


class HardwareError(Exception):
    """Any of the errors of this file."""


class PortError(HardwareError):
    """A port cannot be opened now; the message is for a technician and names the path."""


class PortMissing(PortError):
    """Nothing is at the path."""


class PortBusy(PortError):
    """Someone else has the port; the message names the process where the kernel tells it."""


class PortUnusable(PortError):
    """The path is there and cannot be a serial port for us."""


class AddressError(HardwareError, ValueError):
    """The port of the configuration cannot be read as a path or as tcp://host:port."""


class ScriptError(HardwareError, ValueError):
    """A line of a simulator's script is wrong; the message says what would be right."""


class DeviceRefused(HardwareError):
    """A simulated device does not do what its driver asked: the message says why."""
