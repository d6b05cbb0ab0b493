"""Reads a table's file: all its mistakes at once, each as `file:line:column: message`.

ConfigError
    The file was read and has mistakes. Example: `[mqtt] prot is unknown; did you mean 'port'?`
UnreadableConfig
    The file cannot be read at all. Example: no such file, no permission, larger than a table's
    file can be.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path as FilePath

from config.checks import Sections, check_together
from config.complaints import Problem, nearest
from config.documents import document_of
from config.driver_file import examine_driver
from config.positions import Place, Positions
from config.profiles import profile_document
from config.sections import SECTIONS, Shoe, Shuffler
from config.settings import SECTIONS_OF_DAEMON, SECTIONS_OF_RULES, Settings
from controller.core.profile import profile_of
from controller.errors import EXIT_USAGE, UserError
from controller.rules.declared import misfits
from hal.protocols.lines import LineTalk

# The largest example has 4 KiB; a file of this size is no table's file.
FILE_OCTETS_MAX = 65_536


class ConfigError(UserError):
    """The table's file has mistakes; `problems` holds each one, the message all lines."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        """Keep the problems; the message has a line for each."""
        super().__init__("\n".join(problem.line(file) for problem in problems), EXIT_USAGE)
        self.problems = problems


class UnreadableConfig(UserError):
    """The table's file cannot be read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds: settings where nothing is wrong, and all problems in order of place."""

    settings: Settings | None
    problems: list[Problem]


def load(file: FilePath, for_rules_only: bool = False) -> Settings:
    """The settings of a table's file. Warnings are dropped: `tablectl check` shows them.

    `for_rules_only`: the file need only have what the rules read ([table] and [game]), as for
    `replay`; otherwise everything that the daemon needs. Raises ConfigError, UnreadableConfig.
    """
    needed = SECTIONS_OF_RULES if for_rules_only else SECTIONS_OF_DAEMON
    reading = examine_file(file, needed)
    if reading.settings is None:
        raise ConfigError(str(file), [p for p in reading.problems if not p.warning])
    return reading.settings


def examine_file(file: FilePath, needed: tuple[str, ...] = SECTIONS_OF_DAEMON) -> Reading:
    """`examine` of a file's octets, and of the driver files that it names.

    Raises UnreadableConfig for the table's own file.
    """
    reading = examine(read_text(file), needed)
    # The rules do not hear the device: whoever replays a record needs no driver of it.
    if reading.settings is None or needed != SECTIONS_OF_DAEMON:
        return reading
    problems = list(reading.problems)
    lines: dict[str, LineTalk] = {}
    for name in ("shuffler", "shoe"):
        section: Shuffler | Shoe | None = getattr(reading.settings, name)
        if section is not None and section.driver_file is not None:
            talk, found = _driver(name, section.driver_file)
            problems += found
            if talk is not None:
                lines[name] = talk
    if any(not problem.warning for problem in problems):
        return Reading(None, problems)
    return Reading(dataclasses.replace(reading.settings, lines=lines), problems)


def _driver(name: str, file: FilePath) -> tuple[LineTalk | None, list[Problem]]:
    """How the device talks, or what is wrong with its driver file, each at its place there."""
    try:
        octets = read_text(file)
    except UnreadableConfig as error:
        return None, [Problem(Place(1, 1), str(error).removeprefix(f"{file}: "), file=str(file))]
    reading = examine_driver(octets)
    problems = [dataclasses.replace(one, file=str(file)) for one in reading.problems]
    if reading.talk is not None and reading.talk.device != name:
        text = f"[device] kind is {reading.talk.device}, but [{name}] names this file"
        problems.append(Problem(Place(1, 1), text, file=str(file)))
    return reading.talk, problems


def read_text(file: FilePath) -> bytes:
    """The file's octets, at most FILE_OCTETS_MAX. Raises UnreadableConfig."""
    try:
        # A pipe or a device could keep us waiting for ever.
        if file.exists() and not file.is_file():
            kind = "a directory" if file.is_dir() else "not a regular file"
            raise UnreadableConfig(f"{file}: is {kind}; name a table's or driver's file")
        with file.open("rb") as opened:
            octets = opened.read(FILE_OCTETS_MAX + 1)
    except OSError as error:
        raise UnreadableConfig(f"{file}: {error.strerror or error}") from None
    if len(octets) > FILE_OCTETS_MAX:
        raise UnreadableConfig(f"{file}: larger than {FILE_OCTETS_MAX} octets, as no such file is")
    return octets


def examine(octets: bytes, needed: tuple[str, ...] = SECTIONS_OF_DAEMON) -> Reading:
    """Everything that can be said about a table's file. Raises nothing for whatever octets."""
    read = document_of(octets)
    if isinstance(read, Problem):
        return Reading(None, [read])
    document, positions = read
    problems = _surroundings(document, needed, positions)
    sections = Sections(positions, needed == SECTIONS_OF_DAEMON)
    # Only now, so that whoever merely names a Settings does not load the validator.
    from config.validation import validated

    for name in SECTIONS:
        if name in document:
            section, found = validated(name, document[name], positions)
            problems += found
            sections.put(name, section)
    problems += check_together(sections)
    settings = None
    if not any(not problem.warning for problem in problems):
        settings = _settings(sections)
        problems += _misfits(settings, positions)
    problems.sort(key=lambda problem: (problem.place.line, problem.place.column))
    wrong = any(not problem.warning for problem in problems)
    return Reading(None if wrong else settings, problems)


def _misfits(settings: Settings, positions: Positions) -> list[Problem]:
    """What the house declares that its game's text does not allow, each with its paragraph."""
    profile = profile_of(profile_document(settings.game.name)[0])
    return [
        Problem(positions.key(tuple(one.key.split("."))), f"{one.problem}: {one.rule}")
        for one in misfits(profile, settings.setup())
    ]


def _surroundings(
    document: dict[str, object], needed: tuple[str, ...], positions: Positions
) -> list[Problem]:
    """Sections that are unknown, and sections that are missing."""
    problems = [
        Problem(positions.key((name,)), f"unknown section [{name}]; {nearest(name, SECTIONS)}")
        for name in document
        if name not in SECTIONS
    ]
    problems += [
        Problem(Place(1, 1), f"section [{name}] is missing")
        for name in needed
        if name not in document
    ]
    return problems


def _settings(sections: Sections) -> Settings:
    """The settings from sections that were all found right."""
    assert sections.table is not None
    assert sections.game is not None
    return Settings(
        table=sections.table,
        game=sections.game,
        shuffler=sections.shuffler,
        shoe=sections.shoe,
        panel=sections.panel,
        rng=sections.rng,
        mqtt=sections.mqtt,
        journal=sections.journal,
        roster=sections.roster,
        alarms=sections.alarms,
        time=sections.time,
        bench=sections.bench,
    )
