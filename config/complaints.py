"""Turns what the validator found into a place and a sentence that says what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import ErrorDetails

from config.positions import Path, Place, Positions
from config.sections import NAME_PATTERN, PORT_PATTERN, PREFIX_PATTERN

# A value is quoted in a message so that it is recognised, not so that it can be read back.
SHOWN_CHARACTERS_MAX = 40

# What a pattern asks for, in words; a pattern without an entry is quoted as it is.
PATTERN_WORDS = {
    NAME_PATTERN: "use 1 to 32 letters, digits and `-`",
    PORT_PATTERN: "write a device such as /dev/serial/by-id/…, or tcp://HOST:PORT",
    PREFIX_PATTERN: "use one to four names with `/` between, without `+`, `#` and blanks",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake, or with `warning` on something that is allowed but likely not meant."""

    place: Place
    text: str
    warning: bool = False

    def line(self, file: str) -> str:
        """The form that editors jump to: `file:line:column: message`."""
        kind = "warning: " if self.warning else ""
        return f"{file}:{self.place.line}:{self.place.column}: {kind}{self.text}"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word: the nearest known one, or all of them where none is near."""
    words = sorted(known)
    near = get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}"


def problems_of(
    error: ValidationError, section: str, model: type[BaseModel], positions: Positions
) -> list[Problem]:
    """One Problem for each finding of the validator in one section."""
    return [_problem(details, section, model, positions) for details in error.errors()]


def _problem(
    details: ErrorDetails, section: str, model: type[BaseModel], positions: Positions
) -> Problem:
    inner = details["loc"]
    path: Path = (section, *(part for part in inner if part != "[key]"))
    name = shown_path(path)
    kind = details["type"]
    if kind == "missing":
        return Problem(positions.key(path[:-1]), f"{name} is missing; it has no default")
    if kind == "extra_forbidden":
        hint = nearest(str(path[-1]), keys_at(model, inner[:-1]))
        return Problem(positions.key(path), f"unknown key {name}; {hint}")
    is_key = inner[-1:] == ("[key]",)
    place = positions.key(path) if is_key else positions.value(path)
    return Problem(place, f"{name} {_sentence(details)}")


def _sentence(details: ErrorDetails) -> str:
    """The predicate of the message; the key's name stands before it."""
    given = details["input"]
    bounds = details.get("ctx", {})
    match details["type"]:
        case "literal_error":
            return f"must be {bounds['expected']}, not {shown(given)}"
        case "int_type" | "int_from_float":
            return f"must be a whole number, not {shown(given)}"
        case "bool_type":
            return f"must be true or false, not {shown(given)}"
        case "string_type":
            return "must be a text in quotes"
        case "model_type" | "dict_type" | "model_attributes_type":
            return "must be a table, with keys of its own"
        case "greater_than_equal":
            return f"must be at least {bounds['ge']}, not {shown(given)}"
        case "less_than_equal":
            return f"must be at most {bounds['le']}, not {shown(given)}"
        case "string_pattern_mismatch":
            words = PATTERN_WORDS.get(str(bounds["pattern"]), f"it must match {bounds['pattern']}")
            return f"cannot be {shown(given)}; {words}"
        case "string_too_short":
            return "must not be empty"
        case "string_too_long":
            return f"must have at most {bounds['max_length']} characters"
        case _:
            return f"is wrong: {details['msg']}"


def shown(value: object) -> str:
    """A value as a message quotes it: as TOML writes it, cut where it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return text if len(text) <= SHOWN_CHARACTERS_MAX else f"{text[:SHOWN_CHARACTERS_MAX]}…"


def shown_path(path: Path) -> str:
    """A section in its brackets, or the key with the section that it stands in: `[mqtt] port`."""
    if len(path) == 1:
        return f"[{path[0]}]"
    return f"[{'.'.join(map(str, path[:-1]))}] {path[-1]}"


def keys_at(model: type[BaseModel], inner: tuple[int | str, ...]) -> list[str]:
    """The keys that the model knows at a place inside of it."""
    for part in inner:
        if issubclass(model, RootModel):
            below: object = get_args(model.model_fields["root"].annotation)[1]
        else:
            below = model.model_fields[str(part)].annotation
        model = _model_in(below) or model
    return list(model.model_fields)


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The model of `Model` or `Model | None`."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
