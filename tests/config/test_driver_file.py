"""A driver file: the shipped one is good, and each mistake is told at its place in plain words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.driver_file import FACTS, examine_driver
from config.loader import ConfigError, examine_file, load
from hal import facts

ROOT = Path(__file__).parents[2]
DRIVERS = sorted((ROOT / "config" / "drivers").glob("*.toml"))
GOOD = """[device]
kind = "shuffler"
[line]
baud = 9600
[host]
silence_ms = 5000
poll = "?"
poll_ms = 1000
[[says]]
line = "ID {serial:word}"
facts = [{ fact = "identity", make = "M", model = "N", serial = "{serial}" }]
[[says]]
line = "LAMP {c:word}"
facts = [{ fact = "lamp", colour = "{c}" }]
words = { c = { G = "green", R = "red" } }
[[says]]
line = "DONE {cards:int} {skip}"
facts = [{ fact = "cycle_ended", mode = "shuffle", result = "ok", cards = "{cards}" }]
"""


@pytest.mark.parametrize("file", DRIVERS, ids=lambda file: file.name)
def test_every_shipped_file_is_good(file: Path) -> None:
    reading = examine_driver(file.read_bytes())
    assert reading.problems == []
    assert reading.talk is not None


def test_a_good_file_is_how_a_device_talks() -> None:
    talk = examine_driver(GOOD.encode()).talk
    assert talk is not None
    assert (talk.device, talk.baud, talk.ending, talk.encoding) == (
        "shuffler", 9600, "CR LF", "ascii",
    )  # fmt: skip
    assert (talk.line_octets_max, talk.silence_ms, talk.poll_ms) == (120, 5000, 1000)
    assert [len(rule.facts) for rule in talk.rules] == [1, 1, 1]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind = ", "kint = ", "2:1: unknown key [device] kint; did you mean 'kind'?"),
        ('"shuffler"', '"printer"', "2:8: [device] kind must be 'shuffler' or 'shoe', not "),
        ("[host]", "[hots]", "5:2: unknown section [hots]; did you mean 'host'?"),
        ("baud = 9600", "baud = 9601", "4:8: [line] baud must be 4800, 9600, 19200,"),
        ("baud = 9600", "baud = 9600\nending = 'NL'", "5:10: [line] ending must be 'CR LF', 'LF'"),
        ("baud = 9600", "baud = 9600\noctets_max = 7", "[line] octets_max must be at least 8"),
        ("baud = 9600", "baud = 9600\noctets_max = 241", "[line] octets_max must be at most 240"),
        ("silence_ms = 5000", "", "5:2: [host] silence_ms is missing; it has no default"),
        ("silence_ms = 5000", "silence_ms = 499", "[host] silence_ms must be at least 500"),
        ("silence_ms = 5000", "silence_ms = 1999", "[host] silence_ms must be at least twice"),
        ("silence_ms = 5000", "silence_ms = 600001", "[host] silence_ms must be at most 600000"),
        ('poll = "?"\n', "", "7:11: [host] poll_ms needs poll"),
        ("poll_ms = 1000\n", "", "7:8: [host] poll needs poll_ms"),
        ('poll = "?"', 'poll = "é"', "7:8: 'é' cannot be written in ascii"),
        ('poll = "?"', 'poll = "?\\r"', "[host] poll cannot be '?\\r'; use 1 to 80 printable"),
        ("poll_ms", "lock = 'L'\npoll_ms", "8:8: [host] lock needs unlock"),
        ("LAMP {c:word}", "LÄMP {c:word}", "13:8: 'LÄMP ' cannot be read in ascii"),
        ("ID {serial:word}", "ID {serial}", "10:8: character 4: a field is {name:int}"),
        ("ID {serial:word}", "ID {.*:word}", "10:8: character 4: a field is"),
        ("ID {serial:word}", "ID {a:int}{serial:word}", "two fields need text between them"),
        ("ID {serial:word}", "ID {rank:word} {serial:word}", "rank: a driver reads no card"),
        ("LAMP {c:word}", "ID {serial:word}", "13:8: the same line as that of [[says]] 1"),
        ('make = "M"', 'make = "M", digest = "D"', "11:52: digest: it is that of this file"),
        ('fact = "lamp"', 'fact = "lmap"', "14:19: no fact 'lmap' of a device; did you"),
        ('fact = "lamp", ', "", "the fact is missing; known are "),
        ('fact = "lamp"', 'fact = "link"', "14:19: no fact 'link' of a device"),
        ('fact = "lamp"', 'fact = "card"', "14:19: no fact 'card' of a device"),
        ("colour =", "color =", "14:27: lamp has no color; did you mean 'colour'?"),
        (', colour = "{c}"', "", "14:19: lamp needs colour"),
        ('"{c}"', '"{d}"', "14:36: the line has no d; it has c"),
        ('"{c}"', '"{c"', "14:36: '{c': a field of the line stands in braces"),
        ('"{c}"', '["green"]', "14:36: must be a text, a whole number, true or false"),
        ('"{c}"', '"violet"', "colour cannot be 'violet'; use off or green"),
        ('R = "red"', 'R = "rot"', "14:36: colour cannot be 'rot'; use off or green"),
        ("words = { c", "words = { d", "15:15: the line has no word d to translate"),
        ('words = { c = { G = "green", R = "red" } }\n', "", "14:36: c: a text of the line"),
        ('cards = "{cards}"', "cards = 10000", "cannot be '10000'; use a number of 0 to 9999"),
        ('cards = "{cards}"', 'cards = "{skip}"', "the line has no skip; it has cards"),
        ('cards = "{cards}"', 'suit = "{cards}"', "18:74: suit: a driver tells no card"),
        ('result = "ok"', "result = true", "result cannot be '1'; use ok or aborted or incomplete"),
        ('facts = [{ fact = "lamp"', 'facts = [1, { fact = "lamp"', "must be a table"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_place(old: str, new: str, said: str) -> None:
    assert old in GOOD
    reading = examine_driver(GOOD.replace(old, new, 1).encode())
    assert reading.talk is None
    lines = [problem.line("").removeprefix(":") for problem in reading.problems]
    assert any(said in line for line in lines), lines


@pytest.mark.parametrize(("fixed", "fits"), [("ABCDEFG", True), ("ABCDEFGH", False)])
def test_a_line_longer_than_the_port_may_give_is_a_mistake(fixed: str, fits: bool) -> None:
    text = GOOD.replace("baud = 9600", "baud = 9600\noctets_max = 8")
    text = text.replace("LAMP {c:word}", fixed + "{c:word}")
    problems = [problem.text for problem in examine_driver(text.encode()).problems]
    said = ["takes at least 9 octets, and octets_max is 8"]
    assert problems == ([] if fits else said)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file_values_before_lines() -> None:
    values = GOOD.replace("9600", "9601").replace("5000", "1")
    lines = GOOD.replace("{serial:word}", "{serial}").replace("lamp", "lmap")
    for text, wanted in ((values, [4, 6]), (lines, [10, 14])):
        problems = examine_driver(text.encode()).problems
        assert [problem.place.line for problem in problems] == wanted


@pytest.mark.parametrize("device", ["shuffler", "shoe"])
def test_no_fact_of_a_driver_file_can_name_a_card(device: str) -> None:
    for name, kind in FACTS[device].items():
        for field in dataclasses.fields(kind):
            if field.name not in ("rank", "suit"):
                continue
            text = GOOD.replace('"shuffler"', f'"{device}"').replace(
                'fact = "lamp", colour = "{c}"',
                f'fact = "{name}", index = 1, face = "up", {field.name} = "{{c}}"',
            )
            problems = examine_driver(text.encode()).problems
            assert any("a driver tells no card" in one.text for one in problems)


def test_a_text_of_the_line_reaches_no_fact_but_an_identity() -> None:
    for name, kind in FACTS["shuffler"].items():
        for field in dataclasses.fields(kind):
            text = GOOD.replace('\nwords = { c = { G = "green", R = "red" } }', "").replace(
                'fact = "lamp", colour = "{c}"',
                f'fact = "{name}", {field.name} = "{{c}}"',
            )
            told = [one.text for one in examine_driver(text.encode()).problems]
            assert any("through words alone" in one for one in told) or kind is facts.Identity


@given(st.binary(max_size=200))
def test_no_octets_make_it_raise(octets: bytes) -> None:
    assert examine_driver(octets).talk is None


@given(st.integers(0, len(GOOD)), st.text(max_size=3))
def test_no_slip_of_the_pen_makes_it_raise(at: int, slip: str) -> None:
    examine_driver((GOOD[:at] + slip + GOOD[at:]).encode(errors="replace"))


# ---- named by a table's file -------------------------------------------------------------------
TABLE = (ROOT / "config" / "examples" / "dj-wild.toml").read_text(encoding="utf-8")
PORT = 'port = "/dev/table/t-12-shuffler"\n'


def table(home: Path, more: str = "", driver: str = "lines", text: str = GOOD) -> Path:
    own = home / "driver.toml"
    own.write_text(text, encoding="utf-8")
    file = home / "table.toml"
    named = f'{PORT}driver_file = "{own}"\n{more}'
    file.write_text(
        TABLE.replace('driver = "tdp1"', f'driver = "{driver}"', 1).replace(PORT, named),
        encoding="utf-8",
    )
    return file


def test_a_table_s_file_names_it(tmp_path: Path) -> None:
    settings = load(table(tmp_path))
    assert settings.lines["shuffler"].baud == 9600
    assert "shoe" not in settings.lines


def test_its_mistakes_are_told_with_those_of_the_table(tmp_path: Path) -> None:
    file = table(tmp_path, text=GOOD.replace("lamp", "lmap"))
    with pytest.raises(ConfigError) as told:
        load(file)
    assert str(told.value).startswith(f"{tmp_path / 'driver.toml'}:14:19: no fact 'lmap'")


def test_a_driver_of_another_device_is_refused(tmp_path: Path) -> None:
    file = table(tmp_path, text=GOOD.replace('"shuffler"', '"shoe"').replace("lamp", "mode")
                 .replace("colour", "mode").split("[[says]]\nline = \"DONE")[0])  # fmt: skip
    problems = examine_file(file).problems
    assert [p.text for p in problems] == ["[device] kind is shoe, but [shuffler] names this file"]


def test_a_driver_file_that_is_not_there_is_a_mistake_at_its_own_place(tmp_path: Path) -> None:
    folder = tmp_path / "pit: one"
    folder.mkdir()
    file = table(folder)
    (folder / "driver.toml").unlink()
    (problem,) = examine_file(file).problems
    assert problem.line("x") == f"{folder / 'driver.toml'}:1:1: No such file or directory"


def test_whoever_replays_needs_no_driver_file(tmp_path: Path) -> None:
    file = table(tmp_path)
    (tmp_path / "driver.toml").unlink()
    assert load(file, for_rules_only=True).lines == {}


@pytest.mark.parametrize(
    ("driver", "more", "said"),
    [
        ("tdp1", "", '[shuffler] driver_file has no effect without driver = "lines"'),
        ("lines", "baud = 9600\n", "[shuffler] baud stands in the driver file: take it away here"),
    ],
)
def test_the_speed_and_the_driver_stand_in_one_place(
    driver: str, more: str, said: str, tmp_path: Path
) -> None:
    assert [p.text for p in examine_file(table(tmp_path, more, driver)).problems] == [said]


def test_the_driver_lines_needs_its_file(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace('driver = "tdp1"', 'driver = "lines"', 1), encoding="utf-8")
    (problem,) = examine_file(file).problems
    assert problem.text.startswith("[shuffler] driver_file is missing")
