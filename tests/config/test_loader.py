"""Every mistake in a table's file is told at its place, in words, all at once."""

import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import FILE_OCTETS_MAX, ConfigError, UnreadableConfig, examine, load, read_text
from config.sections import SECTIONS
from config.settings import SECTIONS_OF_RULES

EXAMPLES = sorted((Path(__file__).parents[2] / "config" / "examples").glob("*.toml"))
GOOD = (Path(__file__).parent / "good.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_example_has_no_mistake_and_no_warning(file: Path) -> None:
    assert examine(file.read_bytes()).problems == []


def test_all_mistakes_are_told_at_once_in_order_of_place() -> None:
    text = GOOD.replace("seats = 6", "seats = 99").replace("rng = 4", "rnd = 4", 1)
    text = text.replace('source = "auto"', "sauce = 1").replace("decks = 1", "decks = 1.5")
    problems = examine(text.encode()).problems
    assert [p.text.split(";")[0] for p in problems if not p.warning] == [
        "[table] seats must be at most 16, not 99",
        "[game] decks must be a whole number, not 1.5",
        "unknown purpose [panel.pins] rnd",
        "unknown key [rng] sauce",
    ]


def test_the_column_is_that_of_the_value_or_of_the_unknown_key() -> None:
    (problem,) = examine(GOOD.replace("seats = 6", "  seats  = 99").encode()).problems
    assert problem.line("t.toml") == "t.toml:5:12: [table] seats must be at most 16, not 99"
    unknown = examine(GOOD.replace("seats = 6", "seats = 6\n  seat = 6").encode()).problems[0]
    assert unknown.line("t.toml").startswith("t.toml:6:3: unknown key [table] seat;")


@pytest.mark.parametrize("name", ["table", "game", "mqtt", "journal", "roster"])
def test_a_section_that_the_daemon_needs_is_missed(name: str) -> None:
    lines = GOOD.split("\n")
    start = lines.index(f"[{name}]")
    end = next(
        n for n in range(start + 1, len(lines) + 1) if n == len(lines) or lines[n][:1] == "["
    )
    problems = examine("\n".join(lines[:start] + lines[end:]).encode()).problems
    # [mqtt.tls] is still there, so of [mqtt] it is the first key that is missed.
    missed = "[mqtt] host is missing" if name == "mqtt" else f"section [{name}] is missing"
    assert any(problem.text.startswith(missed) for problem in problems)


def test_the_rules_need_only_table_and_game(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('[table]\nid = "t"\nseats = 6\n[game]\nname = "dj-wild"\n[shuffler]\n')
    setup = load(file, for_rules_only=True).setup()
    assert (setup.table_id, setup.deck_cards, setup.shuffle) == ("t", 53, "device")
    with pytest.raises(ConfigError, match=r"section \[mqtt\] is missing"):
        load(file)


def test_seconds_become_milliseconds_and_keys_their_holders() -> None:
    reading = examine(GOOD.encode())
    assert reading.settings is not None
    setup = reading.settings.setup()
    assert (setup.idle_after_ms, setup.shuffler.cycle_ms_max) == (900_000, 90_000)
    assert setup.keys["K-21"].id == "haddad"
    assert reading.settings.roles()["okafor"] == "pit_manager"
    assert setup.escalate_floor_ms < setup.escalate_pit_ms


def test_without_a_shuffler_the_table_shuffles_by_hand() -> None:
    text = '[table]\nid = "t"\nseats = 6\n[game]\nname = "dj-wild"\n'
    reading = examine(text.encode(), SECTIONS_OF_RULES)
    assert reading.settings is not None
    setup = reading.settings.setup()
    assert setup.shuffle == "manual"
    assert not setup.shuffler.present
    assert not setup.shoe_present


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("10.0.0.1", False), ("b", False)],
)
def test_plaintext_reaches_only_a_broker_on_this_machine(host: str, allowed: bool) -> None:
    start, end = GOOD.index("[mqtt.tls]"), GOOD.index("[journal]")
    text = (GOOD[:start] + GOOD[end:]).replace("broker.pit.example", host)
    problems = examine(text.encode()).problems
    assert any("without TLS" in problem.text for problem in problems) is not allowed


def test_a_roster_without_a_floorperson_is_refused() -> None:
    text = GOOD.replace('{ role = "floorperson", key = "K-21" }', '{ role = "technician" }')
    text = text.replace('"pit_manager"', '"surveillance"').replace("key = 26\n", "")
    (problem,) = examine(text.encode()).problems
    assert "no floorperson or above" in problem.text


def test_settings_cannot_be_changed() -> None:
    settings = examine(GOOD.encode()).settings
    assert settings is not None
    # What the type checker forbids is what the program must forbid as well.
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.table = settings.table  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.table.seats = 7  # type: ignore[misc]


def test_every_section_of_the_interface_is_known() -> None:
    assert set(SECTIONS) == {
        "table", "game", "shuffler", "shoe", "panel", "rng", "mqtt", "journal", "roster", "alarms",
        "time", "bench",
    }  # fmt: skip


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(UnreadableConfig, match="No such file"):
        read_text(tmp_path / "none.toml")
    with pytest.raises(UnreadableConfig, match="directory"):
        read_text(tmp_path)


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableConfig, match="not a regular file; name a table's or"):
        read_text(tmp_path / "pipe")


def test_the_largest_file_is_read_and_the_next_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(b"#" * FILE_OCTETS_MAX)
    assert len(read_text(file)) == FILE_OCTETS_MAX
    file.write_bytes(b"#" * (FILE_OCTETS_MAX + 1))
    with pytest.raises(UnreadableConfig, match="larger than"):
        read_text(file)


def test_an_octet_that_is_not_utf8_is_told_at_its_place() -> None:
    (problem,) = examine(b'[table]\nid = "t\xff"\n').problems
    assert (problem.place.line, problem.place.column) == (2, 8)
    assert "0xff is not UTF-8" in problem.text


def test_a_value_that_is_nested_too_deeply_is_told_and_does_no_harm() -> None:
    (problem,) = examine(b"x = " + b"[" * 30_000).problems
    assert "nested too deeply" in problem.text or "not TOML" in problem.text


def test_a_file_that_ends_too_early_is_told_at_its_end() -> None:
    (problem,) = examine(b'[table]\nid = """t').problems
    assert (problem.place.line, "not TOML" in problem.text) == (2, True)


@given(st.binary(max_size=200))
def test_whatever_octets_give_a_reading_and_never_an_exception(octets: bytes) -> None:
    assert examine(octets).problems


@given(st.data())
def test_whatever_damage_to_a_good_file_gives_a_reading(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOOD)))
    gone = data.draw(st.integers(0, 20))
    junk = data.draw(st.text('[]{}="#\n\\.,a1 ', max_size=8))
    examine((GOOD[:at] + junk + GOOD[at + gone :]).encode())


def test_a_secret_that_was_typed_into_the_file_is_not_repeated() -> None:
    text = GOOD.replace('source = "auto"', 'password = "hunter-2-canary"')
    text = text.replace('ca = "/run', 'ca = "canary/run')
    reading = examine(text.encode())
    assert reading.problems
    assert all("canary" not in problem.text for problem in reading.problems)


def test_a_number_that_python_does_not_read_is_a_mistake_of_the_file() -> None:
    assert examine(b"[table]\nseats = " + b"9" * 4300).problems
    (problem,) = examine(b"[table]\nseats = " + b"9" * 4301).problems
    assert problem.text == "a number has too many digits"


@pytest.mark.parametrize(
    ("number", "fits"),
    [("0x7FFFFFFFFFFFFFFF", True), ("0x8000000000000000", False), ("-9223372036854775808", True),
     ("-9223372036854775809", False), ("0x" + "F" * 9000, False)],
)  # fmt: skip
def test_a_number_beyond_those_of_toml_is_a_mistake_at_its_place(number: str, fits: bool) -> None:
    problems = examine(f"[table]\nseats = [1, {number}]".encode()).problems
    told = [problem.line("") for problem in problems]
    assert (":2:13: a number of more than 64 bits" in told) is not fits


def test_a_mistake_is_one_line_and_steers_no_terminal() -> None:
    problems = examine(b'"\\u001b[31mX" = 1\n[table]\n"a\\nb\\u202e" = 2\n').problems
    lines = [problem.line("t.toml") for problem in problems]
    assert all(line.isprintable() for line in lines)
    assert any(r"[\x1b[31mX]" in line for line in lines)
    assert any(r"a\nb\u202e" in line for line in lines)
