"""A key with one letter wrong is refused, and the right key is named."""

from __future__ import annotations

import dataclasses

import pytest

from config.loader import examine
from config.sections import SECTIONS, DeviceIdentity, Lamps, RosterEntry, Tls
from hal.pins import PURPOSES

SHAPES: dict[str, object] = {
    **{name: shape for name, shape in SECTIONS.items() if name != "roster"},
    "roster.chen": RosterEntry,
    "shuffler.identity": DeviceIdentity,
    "shuffler.lamps": Lamps,
    "mqtt.tls": Tls,
}
KEYS = {
    section: [field.name for field in dataclasses.fields(shape)]  # type: ignore[arg-type]
    for section, shape in SHAPES.items()
} | {"panel.pins": sorted(PURPOSES)}


def misspelt(key: str, known: list[str]) -> list[str]:
    """The key with each letter changed in turn, and with each one left out."""
    changed = [f"{key[:at]}q{key[at + 1 :]}" for at in range(len(key))]
    shortened = [key[:at] + key[at + 1 :] for at in range(len(key))]
    return [word for word in dict.fromkeys((*changed, *shortened)) if word and word not in known]


def stem(section: str, key: str) -> str:
    before, _, _ = key.rpartition("_")
    return before if section == "panel.pins" and before else key


@pytest.mark.parametrize(
    ("section", "key"), [(section, key) for section, keys in KEYS.items() for key in keys]
)
def test_one_wrong_letter_is_refused_and_the_right_key_is_named(section: str, key: str) -> None:
    known = KEYS[section]
    for word in misspelt(key, known):
        problems = examine(f"[{section}]\n{word} = 1\n".encode()).problems
        (said,) = [one.text for one in problems if one.place.line == 2 and word in one.text]
        assert said.startswith("unknown "), said
        # Numbered purposes (seat_1, sense_a) differ in one letter themselves: any of them will do.
        near = [
            other for other in known if other == key or stem(section, other) == stem(section, key)
        ]
        assert any(f"did you mean {other!r}?" in said for other in near) or (
            f"known are {', '.join(sorted(known))}" in said
        ), said
