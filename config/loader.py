"""Reads a table's file: all its mistakes at once, each as `file:line:column: message`.

ConfigError
    The file was read and has mistakes. Example: `[mqtt] prot is unknown; did you mean 'port'?`
UnreadableConfig
    The file cannot be read at all. Example: no such file, no permission, larger than a table's
    file can be.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path as FilePath

from config.checks import Sections, check_together
from config.complaints import Problem, nearest
from config.positions import Place, Positions, find_positions
from config.profiles import profile_document
from config.sections import SECTIONS
from config.settings import SECTIONS_OF_DAEMON, SECTIONS_OF_RULES, Settings
from controller.core.profile import profile_of
from controller.errors import EXIT_USAGE, UserError
from controller.rules.declared import misfits

# The largest example has 4 KiB; a file of this size is no table's file.
FILE_OCTETS_MAX = 65_536

# The parser tells the place in its message only (attributes came with Python 3.14).
_PARSER_PLACE = re.compile(r"^(?P<text>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)$")


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
    reading = examine(read_text(file), needed)
    if reading.settings is None:
        raise ConfigError(str(file), [p for p in reading.problems if not p.warning])
    return reading.settings


def read_text(file: FilePath) -> bytes:
    """The file's octets, at most FILE_OCTETS_MAX. Raises UnreadableConfig."""
    try:
        # A pipe or a device could keep us waiting for ever.
        if file.exists() and not file.is_file():
            kind = "a directory" if file.is_dir() else "not a regular file"
            raise UnreadableConfig(f"{file}: is {kind}; name a table's file")
        with file.open("rb") as opened:
            octets = opened.read(FILE_OCTETS_MAX + 1)
    except OSError as error:
        raise UnreadableConfig(f"{file}: {error.strerror or error}") from None
    if len(octets) > FILE_OCTETS_MAX:
        raise UnreadableConfig(f"{file}: larger than {FILE_OCTETS_MAX} octets: no table's file")
    return octets


def examine(octets: bytes, needed: tuple[str, ...] = SECTIONS_OF_DAEMON) -> Reading:
    """Everything that can be said about a table's file. Raises nothing for whatever octets."""
    try:
        text = octets.decode("utf-8")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        return Reading(None, [_not_utf8(octets, error)])
    except tomllib.TOMLDecodeError as error:
        return Reading(None, [_not_toml(text, error)])
    except RecursionError:
        return Reading(None, [Problem(Place(1, 1), "values are nested too deeply")])
    except ValueError:
        # Python reads no number of more than 4,300 digits, and does not say where it stands.
        return Reading(None, [Problem(Place(1, 1), "a number has too many digits")])
    positions = find_positions(text)
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


def _not_utf8(octets: bytes, error: UnicodeDecodeError) -> Problem:
    before = octets[: error.start].decode("utf-8")
    return Problem(
        _place_at_end(before),
        f"octet {octets[error.start]:#04x} is not UTF-8; save the file with that encoding",
    )


def _not_toml(text: str, error: tomllib.TOMLDecodeError) -> Problem:
    found = _PARSER_PLACE.match(str(error))
    if found is None:
        # What is left is "at end of document": something was begun and not finished.
        words = str(error).removesuffix(" (at end of document)")
        return Problem(_place_at_end(text), f"not TOML: {words}; the file ends here")
    place = Place(int(found["line"]), int(found["column"]))
    return Problem(place, f"not TOML: {found['text'][:1].lower()}{found['text'][1:]}")


def _place_at_end(text: str) -> Place:
    lines = text.split("\n")
    return Place(len(lines), len(lines[-1]) + 1)
