"""A TOML text with the places of its keys, or the one mistake that keeps it from being read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable

from config.complaints import Problem
from config.positions import Path, Place, Positions, find_positions

# The parser tells the place in its message only (attributes came with Python 3.14).
_PARSER_PLACE = re.compile(r"^(?P<text>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)$")

# TOML 1.0: a reader must take integers of 64 bits, and need take no others.
INTEGER_LEAST, INTEGER_MOST = -(2**63), 2**63 - 1


def document_of(octets: bytes) -> tuple[dict[str, object], Positions] | Problem:
    """The values and where they stand. Raises nothing for whatever octets."""
    try:
        text = octets.decode("utf-8")
        document = tomllib.loads(text)
        too_large = _too_large(document)
    except UnicodeDecodeError as error:
        return _not_utf8(octets, error)
    except tomllib.TOMLDecodeError as error:
        return _not_toml(text, error)
    except RecursionError:
        return Problem(Place(1, 1), "values are nested too deeply")
    except ValueError:
        # Python reads no number of more than 4,300 digits, and does not say where it stands.
        return Problem(Place(1, 1), "a number has too many digits")
    positions = find_positions(text)
    if too_large is not None:
        return Problem(positions.value(too_large), "a number of more than 64 bits")
    return document, positions


def _too_large(value: object, path: Path = ()) -> Path | None:
    """Where the first number stands that TOML has no room for; the parser takes one in hexadecimal
    of any length, which Python then writes for nobody. Raises RecursionError."""
    if isinstance(value, int):
        return None if INTEGER_LEAST <= value <= INTEGER_MOST else path
    inner: Iterable[tuple[int | str, object]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return next(
        (found for key, one in inner if (found := _too_large(one, (*path, key))) is not None), None
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
