"""The drivers by name, as the configuration's `driver` has them; a new device is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hal.protocols import tdp1
from hal.protocols.message import Driver

PROTOCOLS: Final[Mapping[str, Driver]] = {"tdp1": tdp1.DRIVER}
