"""Reads a rig file: the environment format of labgrid, which such benches are kept in.

Two targets. `bench` is the board that these tests run on: a `RawSerialPort` named `shuffler` and
one named `shoe`, each crossed to the table's, and a `SysfsGPIO` for each jumper, named by the
purpose of the table's line that it leads to; `index` is the bench board's BCM number. `table` is
the board under test: a `NetworkService` to reach it over SSH, none where it is this machine; its
`options` say what the table's file needs. `docs/bench.md` has the wiring; labgrid itself is not
needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import yaml


class RigMistake(Exception):
    """The file is no rig; the message says what is missing, and where."""


@dataclass(frozen=True, slots=True)
class RigFile:
    """`serial`: the bench's ports, `jumpers`: its BCM lines by purpose. `ssh` empty: here.

    `ports`, `pins` and `factory` are the table's own; `broker` is how the table reaches this
    machine's broker; `home` a folder of the table's board for its file and record; `command` is
    what runs `tablectl` there.
    """

    serial: dict[str, str]
    ports: dict[str, str]
    home: str
    ssh: tuple[str, ...] = ()
    broker: str = "127.0.0.1"
    command: tuple[str, ...] = ("tablectl",)
    factory: str = "lgpio"
    pins: dict[str, int] = field(default_factory=dict)
    jumpers: dict[str, int] = field(default_factory=dict)


def rig_of(file: Path) -> RigFile:
    """The rig of a file. Raises RigMistake."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        table, bench = (document["targets"][name] for name in ("table", "bench"))
        options = table["options"]
        found = _resources(bench)
        serial = {name: str(found["RawSerialPort"][name]["port"]) for name in ("shuffler", "shoe")}
        return RigFile(
            serial,
            {name: str(options[name]) for name in serial},
            str(options["home"]),
            _ssh(_resources(table).get("NetworkService", {})),
            str(options.get("broker", "127.0.0.1")),
            tuple(str(options.get("command", "tablectl")).split()),
            str(options.get("factory", "lgpio")),
            {name: int(line) for name, line in options.get("pins", {}).items()},
            {name: int(one["index"]) for name, one in found.get("SysfsGPIO", {}).items()},
        )
    except (OSError, yaml.YAMLError) as error:
        raise RigMistake(f"{file}: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RigMistake(f"{file}: a rig needs {error}: see docs/bench.md") from None


def _resources(target: dict[str, object]) -> dict[str, dict[str, dict[str, object]]]:
    """Class to name to arguments, from labgrid's list (one resource each) or its mapping."""
    given = target.get("resources") or []
    entries = [{key: value} for key, value in given.items()] if isinstance(given, dict) else given
    found: dict[str, dict[str, dict[str, object]]] = {}
    for entry in entries:  # type: ignore[attr-defined]
        for kind, arguments in entry.items():
            found.setdefault(kind, {})[str(arguments.get("name", kind))] = arguments
    return found


def _ssh(services: dict[str, dict[str, object]]) -> tuple[str, ...]:
    for service in services.values():
        where = f"{service['username']}@{service['address']}"
        return ("ssh", "-o", "BatchMode=yes", "-p", str(service.get("port", 22)), where)
    return ()
