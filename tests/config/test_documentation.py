"""`config/README.md` and the models name the same keys, so neither can go stale alone."""

import dataclasses
import re
from pathlib import Path

import pytest

from config.sections import SECTIONS, DeviceIdentity, Lamps, RosterEntry, Tls

README = Path(__file__).parents[2] / "config" / "README.md"

MODELS = {
    **SECTIONS,
    "roster": RosterEntry,
    "shuffler.identity": DeviceIdentity,
    "shuffler.lamps": Lamps,
    "mqtt.tls": Tls,
}


def _documented() -> dict[str, set[str]]:
    sections: dict[str, set[str]] = {}
    section = ""
    for line in README.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## `\[(.+)\]`", line):
            section = heading[1]
            sections[section] = set()
        elif section and (row := re.match(r"\| `(\w+)` \|", line)):
            sections[section].add(row[1])
    return sections


def test_every_section_is_documented_and_no_other() -> None:
    assert set(_documented()) == set(MODELS)


@pytest.mark.parametrize("section", MODELS)
def test_every_key_is_documented_and_no_other(section: str) -> None:
    assert _documented()[section] == {field.name for field in dataclasses.fields(MODELS[section])}


@pytest.mark.parametrize("section", MODELS)
def test_every_documented_default_is_the_one_of_the_model(section: str) -> None:
    text = README.read_text(encoding="utf-8").split(f"## `[{section}]`")[1].split("\n## ")[0]
    for field in dataclasses.fields(MODELS[section]):
        name = field.name
        row = re.search(rf"^\| `{name}` \| (.+?) \|", text, re.MULTILINE)
        assert row is not None
        if field.default is dataclasses.MISSING:
            assert row[1].startswith("required") or section.endswith("identity"), name
        elif isinstance(field.default, bool):
            assert f"`{str(field.default).lower()}` (default)" in row[1], name
        elif field.default is not None:
            default = str(field.default)
            assert row[1].endswith((default, f"`{default}`")) or f"{default}` (default)" in (
                row[1].replace('"', "")
            ), name
