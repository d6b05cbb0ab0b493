"""Reads a driver file: all of its mistakes at once, or how the device talks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from config.complaints import Problem, nearest, shown
from config.documents import document_of
from config.driver_shapes import DRIVER_SECTIONS, DriverDevice, DriverHost, DriverLine, DriverSays
from config.positions import Path, Place, Positions
from hal import facts
from hal.protocols.lines import FactRule, LineRule, LineTalk
from hal.protocols.members import IDENTITY_KEYS, NotUnderstood, bound_of, readers_of
from hal.protocols.template import Field, Template, TemplateError, template_of

# These are for the session to say, or have no members of their own.
NEVER_SAID: Final = (
    facts.Link, facts.Noise, facts.FactsMissing, facts.IdentityChanged, facts.Meters,
)  # fmt: skip
FACTS: Final[Mapping[str, Mapping[str, type]]] = {
    device: {kind.TYPE: kind for kind in facts.BY_SOURCE[device] if kind not in NEVER_SAID}
    for device in ("shuffler", "shoe")
}
# Members that are counted here where a line does not name them.
COUNTED: Final = ("cycle",)
# What the device says of itself does not tell what its lines mean: the file does.
FILE_DIGEST: Final = (facts.Identity, "digest")
_PART = re.compile(r"\{([a-z][a-z0-9_]{0,31})\}|([^{}]+)")


@dataclass(frozen=True, slots=True)
class DriverReading:
    """How the device talks, where nothing is wrong, and all problems in order of place."""

    talk: LineTalk | None
    problems: list[Problem]


def examine_driver(octets: bytes) -> DriverReading:
    """Everything that can be said about a driver file. Raises nothing for whatever octets."""
    found = document_of(octets)
    if isinstance(found, Problem):
        return DriverReading(None, [found])
    document, positions = found
    problems = [
        Problem(
            positions.key((name,)), f"unknown section [{name}]; {nearest(name, DRIVER_SECTIONS)}"
        )
        for name in document
        if name not in DRIVER_SECTIONS
    ]
    sections: dict[str, object] = {}
    # Only now, so that whoever merely names a LineTalk does not load the validator.
    from config.validation import validated

    for name in DRIVER_SECTIONS:
        if name not in document:
            problems.append(Problem(Place(1, 1), f"section [{name}] is missing"))
            continue
        sections[name], wrong = validated(name, document[name], positions, DRIVER_SECTIONS)
        problems += wrong
    talk = None
    if not problems:
        digest = hashlib.sha256(octets).hexdigest()
        talk, problems = _DriverFile(positions, sections).talk(digest)
    problems.sort(key=lambda problem: (problem.place.line, problem.place.column))
    return DriverReading(None if problems else talk, problems)


class _DriverFile:
    """One file whose sections have their shapes; what no single key can know is found here."""

    def __init__(self, positions: Positions, sections: Mapping[str, object]) -> None:
        self._positions = positions
        self._device = cast("DriverDevice", sections["device"])
        self._line = cast("DriverLine", sections["line"])
        self._host = cast("DriverHost", sections["host"])
        self._says = cast("list[DriverSays]", sections["says"])
        self._problems: list[Problem] = []

    def talk(self, digest: str) -> tuple[LineTalk, list[Problem]]:
        """How the device talks, and what is wrong with it."""
        host, line = self._host, self._line
        self._check_host()
        rules = [self._rule(number, says) for number, says in enumerate(self._says)]
        self._check_twice()
        talk = LineTalk(
            device=self._device.kind, rules=tuple(rules), baud=line.baud, ending=line.ending,
            encoding=line.encoding, line_octets_max=line.octets_max, silence_ms=host.silence_ms,
            at_open=tuple(host.at_open or ()), poll=host.poll, poll_ms=host.poll_ms,
            lock=host.lock, unlock=host.unlock, digest=digest,
        )  # fmt: skip
        return talk, self._problems

    def _wrong(self, path: Path, text: str) -> None:
        self._problems.append(Problem(self._positions.value(path), text))

    # ---- what the host says --------------------------------------------------------------------
    def _check_host(self) -> None:
        host = self._host
        if (host.poll is None) != (host.poll_ms is None):
            given, missing = ("poll", "poll_ms") if host.poll_ms is None else ("poll_ms", "poll")
            self._wrong(("host", given), f"[host] {given} needs {missing}")
        if host.poll_ms is not None and host.silence_ms < 2 * host.poll_ms:
            self._wrong(
                ("host", "silence_ms"),
                f"[host] silence_ms must be at least twice poll_ms ({host.poll_ms}): one answer "
                "may be lost",
            )
        if (host.lock is None) != (host.unlock is None):
            given, missing = ("lock", "unlock") if host.unlock is None else ("unlock", "lock")
            self._wrong(("host", given), f"[host] {given} needs {missing}")
        texts: list[tuple[Path, str | None]] = [
            (("host", key), getattr(host, key)) for key in ("poll", "lock", "unlock")
        ]
        texts += [(("host", "at_open", at), text) for at, text in enumerate(host.at_open or ())]
        for path, text in texts:
            if text is not None and not self._can_be_sent(text):
                self._wrong(path, f"{shown(text)} cannot be written in {self._line.encoding}")

    def _can_be_sent(self, text: str) -> bool:
        try:
            text.encode(self._line.encoding)
        except UnicodeEncodeError:
            return False
        return True

    # ---- what the device says ------------------------------------------------------------------
    def _check_twice(self) -> None:
        first: dict[str, int] = {}
        for number, says in enumerate(self._says):
            if says.line in first:
                self._wrong(
                    ("says", number, "line"),
                    f"the same line as that of [[says]] {first[says.line] + 1}; the first one wins",
                )
            first.setdefault(says.line, number)

    def _rule(self, number: int, says: DriverSays) -> LineRule:
        path: Path = ("says", number)
        try:
            template = template_of(says.line)
        except TemplateError as problem:
            self._wrong((*path, "line"), f"character {problem.at + 1}: {problem}")
            return LineRule(Template("", ()))
        self._check_heard((*path, "line"), template)
        for name in template.fields:
            if name in IDENTITY_KEYS:
                self._wrong(
                    (*path, "line"), f"{name}: a driver reads no card; write {{skip}} in its place"
                )
        words = says.words or {}
        for name in words:
            if template.fields.get(name) not in ("word", "text"):
                self._wrong((*path, "words", name), f"the line has no word {name} to translate")
        rules = []
        for at, stated in enumerate(says.facts):
            rule = self._fact((*path, "facts", at), stated, template, words)
            if rule is not None:
                rules.append(rule)
        return LineRule(template, tuple(rules), words)

    def _check_heard(self, path: Path, template: Template) -> None:
        """A line that the port can never give would wait for ever, and nobody would know why."""
        fixed = "".join(part for part in template.parts if isinstance(part, str))
        if not self._can_be_sent(fixed):
            self._wrong(path, f"{shown(fixed)} cannot be read in {self._line.encoding}")
            return
        read = [part for part in template.parts if isinstance(part, Field) and part.name]
        least = len(fixed.encode(self._line.encoding)) + len(read)
        if least > self._line.octets_max:
            self._wrong(
                path, f"takes at least {least} octets, and octets_max is {self._line.octets_max}"
            )

    def _fact(
        self,
        path: Path,
        stated: Mapping[str, object],
        template: Template,
        words: Mapping[str, Mapping[str, str]],
    ) -> FactRule | None:
        known = FACTS[self._device.kind]
        name = stated.get("fact")
        kind = known.get(name) if isinstance(name, str) else None
        if kind is None:
            said = "the fact is missing" if name is None else f"no fact {shown(name)} of a device"
            self._wrong((*path, "fact"), f"{said}; {nearest(str(name or ''), known)}")
            return None
        readers = readers_of(kind)
        values: dict[str, tuple[str | Field, ...]] = {}
        for member, value in stated.items():
            if member == "fact":
                continue
            place = (*path, member)
            if member in IDENTITY_KEYS:
                self._wrong(place, f"{member}: a driver tells no card")
            elif (kind, member) == FILE_DIGEST:
                self._wrong(place, "digest: it is that of this file; take it away here")
            elif member not in readers:
                text = f"{name} has no {member}; {nearest(member, readers)}"
                self._problems.append(Problem(self._positions.key(place), text))
            else:
                parts = self._parts(place, value, template)
                if parts is not None and self._fits(place, kind, member, parts, template, words):
                    values[member] = parts
        missing = [
            member for member, (_, needed) in readers.items()
            if needed and member not in stated and member not in COUNTED
            and kind is not facts.Identity
        ]  # fmt: skip
        if missing:
            self._wrong((*path, "fact"), f"{name} needs {' and '.join(missing)}")
        return FactRule(kind, values)

    def _parts(
        self, place: Path, value: object, template: Template
    ) -> tuple[str | Field, ...] | None:
        """The text and fields of a value: `"{cards}"`, `"E{code}"`, `"shuffle"`, 53, true."""
        if isinstance(value, bool | int):
            return (str(int(value)),)
        if not isinstance(value, str):
            self._wrong(place, "must be a text, a whole number, true or false")
            return None
        parts: list[str | Field] = []
        at = 0
        while at < len(value):
            found = _PART.match(value, at)
            if found is None:
                self._wrong(place, f'{shown(value)}: a field of the line stands in braces, "{{n}}"')
                return None
            at = found.end()
            name = found[1]
            if name is None:
                parts.append(found[2])
            elif name in template.fields:
                parts.append(Field(name, template.fields[name]))
            else:
                self._wrong(place, f"the line has no {name}; {_fields_of(template)}")
                return None
        return tuple(parts)

    def _fits(
        self,
        place: Path,
        kind: type,
        member: str,
        parts: tuple[str | Field, ...],
        template: Template,
        words: Mapping[str, Mapping[str, str]],
    ) -> bool:
        """Whether every value that the line can give is one of the member's."""
        trials: list[list[str]] = []
        for part in parts:
            if isinstance(part, str):
                trials.append([part])
            elif part.name in words:
                trials.append(list(words[part.name].values()) or [""])
            elif part.kind == "int":
                trials.append(["1"])
            elif kind is facts.Identity:
                trials.append(["x"])
            else:
                self._wrong(
                    place,
                    f"{part.name}: a text of the line becomes part of a fact through words alone, "
                    f'as in words = {{ {part.name} = {{ THEIRS = "ours" }} }}',
                )
                return False
        read, _ = readers_of(kind)[member]
        for at, choices in enumerate(trials):
            for choice in choices:
                firsts = [one[0] for one in trials]
                text = "".join((*firsts[:at], choice, *firsts[at + 1 :]))
                try:
                    read(text)
                except NotUnderstood:
                    wanted = bound_of(kind, member)
                    self._wrong(place, f"{member} cannot be {shown(text)}; use {wanted}")
                    return False
        return True


def _fields_of(template: Template) -> str:
    names = list(template.fields)
    return f"it has {', '.join(names)}" if names else "it has no field with a name"
