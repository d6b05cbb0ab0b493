"""What every check is given: the table's settings, whether it is being served, and who can look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from config.sections import Journal, Mqtt
from config.settings import Settings
from controller.broker_address import BrokerAddress
from controller.table_broker import address_of

# Asks the person at the terminal; None where nobody answers any more.
Ask = Callable[[str], bool | None]
# Where systemd keeps what it hands out to a unit, and where it took it from (systemd/README.md).
HANDED_OUT = "/run/credentials/"
SECRETS = Path("etc/table-controller/secrets")


@dataclass(frozen=True, slots=True)
class Process:
    """A process of this machine."""

    number: int
    name: str

    def __str__(self) -> str:
        return f"process {self.number} ({self.name})"


@dataclass(frozen=True, slots=True)
class Patient:
    """`file` is the table's file; `daemon` the process that serves the table now, None where none;
    `health` its last word about itself; `ask` None where nobody is asked; `root` the machine."""

    file: Path
    settings: Settings
    daemon: Process | None = None
    health: Mapping[str, object] | None = None
    ask: Ask | None = None
    root: Path = Path("/")

    @property
    def mqtt(self) -> Mqtt:
        """The file's section, without which it was not read as a daemon's."""
        mqtt = self.settings.mqtt
        assert mqtt is not None, "a daemon's file has an [mqtt]"
        return mqtt

    @property
    def journal(self) -> Journal:
        """The file's section, without which it was not read as a daemon's."""
        journal = self.settings.journal
        assert journal is not None, "a daemon's file has a [journal]"
        return journal

    def found(self, file: Path) -> Path:
        """The file, or what systemd would make it of where it is handed out at the start alone."""
        source = self.root / SECRETS / self.settings.table.id / file.name
        handed = str(file).startswith(HANDED_OUT) and not file.exists()
        return source if handed and source.exists() else file

    def broker(self) -> BrokerAddress:
        """The broker of the table's file, by files that are there now."""
        address = address_of(self.settings)
        return replace(
            address,
            cafile=self._or(address.cafile),
            certificate=self._or(address.certificate),
            key=self._or(address.key),
            password_file=self._or(address.password_file),
        )

    def _or(self, file: Path | None) -> Path | None:
        return None if file is None else self.found(file)

    def healthy(self, *names: str) -> object:
        """A member of the running table's health; None where there is none."""
        value: object = self.health
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value
