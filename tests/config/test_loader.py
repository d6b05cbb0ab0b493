"""Every mistake in a table's file is told at its place, in words, all at once."""

import dataclasses
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import FILE_OCTETS_MAX, ConfigError, UnreadableConfig, examine, load, read_text
from config.sections import SECTIONS
from config.settings import SECTIONS_OF_RULES

EXAMPLES = sorted((Path(__file__).parents[2] / "config" / "examples").glob("*.toml"))
GOOD = (EXAMPLES[0].parent / "fortune-asia-poker.toml").read_text(encoding="utf-8")

# One row: what a person wrote instead of a line of the good file, and what must be said about it.
# The place is checked too: the line is the one that was changed unless a third value names another.
BROKEN: list[tuple[str, str, str]] = [
    ('id = "t-7"', 'id = "t 7"', "[table] id cannot be 't 7'; use 1 to 32 letters, digits and `-`"),
    ('id = "t-7"', "id = 7", "[table] id must be a text in quotes"),
    ('id = "t-7"', 'idd = "t-7"', "unknown key [table] idd; did you mean 'id'?"),
    ('id = "t-7"', f'id = "{"x" * 33}"', "[table] id cannot be"),
    ("seats = 6", "seats = 0", "[table] seats must be at least 1, not 0"),
    ("seats = 6", "seats = 17", "[table] seats must be at most 16, not 17"),
    ("seats = 6", "seats = 6.0", "[table] seats must be a whole number, not 6.0"),
    ("seats = 6", "seats = true", "[table] seats must be a whole number, not true"),
    ("seats = 6", 'seats = "6"', "[table] seats must be a whole number, not '6'"),
    ('numbering = "from_dealer_left"', 'numbering = "left"', "'from_dealer_left' or"),
    ('name = "fortune-asia-poker"', 'name = "fortune-asia"', "did you mean 'fortune-asia-poker'?"),
    ('name = "fortune-asia-poker"', 'name = "chess"', "known are blackjack, chapter-680a"),
    ("decks = 1", "decks = 9", "[game] decks must be at most 8, not 9"),
    ("decks = 1", "deck = 1", "unknown key [game] deck; did you mean 'decks'?"),
    ("deck_cards = 53", "deck_cards = 51", "[game] deck_cards must be at least 52, not 51"),
    ('deal = "auto_shoe"', 'deal = "auto"', "[game] deal must be 'auto_shoe', 'manual_shoe' or"),
    ('start = "rng"', 'start = "dice"', "[game] start must be 'rng' or 'shaker', not 'dice'"),
    ("idle_after_s = 900", "idle_after_s = 0", "[game] idle_after_s must be at least 1, not 0"),
    ("idle_after_s = 900", "idle_after = 900", "did you mean 'idle_after_s'?"),
    ("idle_after_s = 900", "batches = 3", "[game] batches must be at most 2, not 3"),
    ("idle_after_s = 900", "rounds_after_cover = 2", "must be at most 1, not 2"),
    ("idle_after_s = 900", 'approved_device = ""', "approved_device cannot be ''; use 1 to 64"),
    ("cycle_s_min = 20", "cycle_s_min = 91", "cycle_s_max must not be below cycle_s_min, which is"),
    ("counts = true", "counts = 1", "[shuffler] counts must be true or false, not 1"),
    ("counts = true", 'counts = "yes"', "[shuffler] counts must be true or false, not 'yes'"),
    ("counts = true", "count = true", "unknown key [shuffler] count; did you mean 'counts'?"),
    ("counts = true", "baud = 9601", "[shuffler] baud must be 4800, 9600"),
    ("counts = true", "identity = 5", "[shuffler] identity must be a table, with keys of its own"),
    ("counts = true", 'identity = { make = "A", model = "B" }', "serial is missing"),
    ("counts = true", 'identity = { mark = "A" }', "did you mean 'make'?"),
    ("/dev/table/t-7-shoe", "COM3", "[shoe] port cannot be 'COM3'; write a device such as"),
    ("/dev/table/t-7-shoe", "tcp://moxa", "[shoe] port cannot be 'tcp://moxa'"),
    ("/dev/table/t-7-shoe", "tcp://moxa:0", "[shoe] port must end with 1 to 65535"),
    ("/dev/table/t-7-shoe", "tcp://moxa:65536", "[shoe] port must end with 1 to 65535"),
    ("/dev/table/t-7-shoe", "/dev/table/t-7-shuffler", "[shoe] port is that of the shuffler"),
    ('factory = "lgpio"', 'factory = "gpiod"', "[panel] factory must be 'lgpio', 'rpigpio'"),
    ("common_anode = true", "common_anod = true", "did you mean 'common_anode'?"),
    ("common_anode = true", "stable_ms = 19", "[panel] stable_ms must be at least 20, not 19"),
    ("common_anode = true", "stable_ms = 51", "[panel] stable_ms must be at most 50, not 51"),
    ('key_id = "K-21"', 'key_id = "K-22"', "key_id is 'K-22', but nobody in [roster] carries"),
    ("rng = 4", "rnd = 4", "unknown purpose [panel.pins] rnd; did you mean 'rng'?"),
    ("rng = 4", "rng = 5\nseat_1 = 4", "[panel.pins] done: line 5 serves rng already"),
    ("rng = 4", "rng = 28", "[panel.pins] rng must be at most 27, not 28"),
    ("rng = 4", "rng = 4\nseat_7 = 15", "[panel.pins] seat_7: the table has 6 seats"),
    ("segment_d = 10", "", "a digit needs all of its segments; missing: segment_d"),
    ("segment_d = 10", "segment_d = 10\nsense_a = 15", "missing: sense_b, sense_c"),
    ('source = "auto"', 'source = "urandom"', "[rng] source cannot be 'urandom'"),
    ('host = "broker.pit.example"', 'host = "mqtts://x"', "[mqtt] host cannot be 'mqtts://x'"),
    ('host = "broker.pit.example"', 'broker = "x"', "unknown key [mqtt] broker"),
    ('host = "broker.pit.example"', 'host = "b"\nport = 0', "[mqtt] port must be at least 1, not"),
    ('host = "broker.pit.example"', 'host = "b"\nport = 65536', "must be at most 65535, not 65536"),
    ('host = "broker.pit.example"', 'host = "b"\nprotocol = 5', "must be '5' or '3.1.1', not 5"),
    ('host = "broker.pit.example"', 'host = "b"\nprefix = "a/#"', "[mqtt] prefix cannot be 'a/#'"),
    ('host = "broker.pit.example"', 'host = "b"\nprefix = "/a"', "[mqtt] prefix cannot be '/a'"),
    ('host = "broker.pit.example"', 'host = "b"\nkeepalive_s = 4', "must be at least 5, not 4"),
    ('host = "broker.pit.example"', 'host = "b"\npasswd = "x"', "did you mean 'password_file'?"),
    ('host = "broker.pit.example"', 'host = "b"\npassword_file = "/p"', "needs username"),
    ('host = "broker.pit.example"', 'host = "b"\npassword_file = "p"', "a path must be absolute"),
    ('host = "broker.pit.example"', 'host = "b"\nstore = "nobody"', "[roster] with the role surv"),
    ('host = "broker.pit.example"', 'host = "b"\nstore = "chen"', "[roster] with the role surv"),
    ('ca = "/run', 'cafile = "/run', "[mqtt.tls] cafile; known are ca, certificate, key"),
    ('path = "/var', 'path = "var', "[journal] path is wrong: a path must be absolute"),
    ("seal.key", "journal.sqlite", "[journal] key and path name the same file"),
    ('chen = { role = "dealer" }', 'chen = { role = "boss" }', "[roster.chen] role must be"),
    ('chen = { role = "dealer" }', 'chen = { rol = "dealer" }', "did you mean 'role'?"),
    ('chen = { role = "dealer" }', 'chen = "dealer"', "must be a table, with keys of its own"),
    ('chen = { role = "dealer" }', '"c h" = { role = "dealer" }', "[roster] c h cannot be 'c h'"),
    ('{ role = "dealer" }', '{ role = "dealer", key = "K-3" }', "a key is a floorperson's"),
    ('{ role = "pit_manager" }', '{ role = "pit_manager", key = "K-21" }', "has the key of haddad"),
    ("[rng]", "[alarms]\nescalate_pit_s = 20\n[rng]", "must be above escalate_floor_s (20)"),
    ("[rng]", "[time]\nstepped_ms_min = 99\n[rng]", "[time] stepped_ms_min must be at least 100"),
    ("[rng]", "[rgn]", "unknown section [rgn]; did you mean 'rng'?"),
    ("[rng]", "[panel]", "not TOML: cannot declare ('panel',) twice"),
    ("seats = 6", "seats = ", "not TOML: invalid value"),
    ("seats = 6", "seats 6", "not TOML: expected '=' after a key"),
    ("seats = 6", "seats = 6\nseats = 7", "not TOML: cannot overwrite a value"),
]  # fmt: skip


def _changed_lines(before: str, after: str) -> set[int]:
    """Line numbers of `after` that the change touched."""
    old, new = before.split("\n"), after.split("\n")
    first = next(n for n, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1])
    return set(range(first + 1, first + 1 + max(1, len(new) - len(old) + 1)))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_example_has_no_mistake_and_no_warning(file: Path) -> None:
    assert examine(file.read_bytes()).problems == []


@pytest.mark.parametrize(("line", "instead", "said"), BROKEN)
def test_a_mistake_is_told_in_words(line: str, instead: str, said: str) -> None:
    assert line in GOOD
    reading = examine(GOOD.replace(line, instead, 1).encode())
    assert reading.settings is None
    assert any(said in problem.text for problem in reading.problems), reading.problems


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    # Rows about two places, or about something that is not there any more, name the other place.
    [row for row in BROKEN if row[1] and "cycle_s_min" not in row[0] and "rng = 5" not in row[1]],
)
def test_a_mistake_is_told_at_the_line_where_it_was_made(
    line: str, instead: str, said: str
) -> None:
    text = GOOD.replace(line, instead, 1)
    places = [p.place.line for p in examine(text.encode()).problems if said in p.text]
    # A text that the parser cannot read is told where the parser gave up: there or on the next.
    touched = _changed_lines(GOOD, text)
    assert set(places) & (touched | {max(touched) + 1 if "not TOML" in said else 0})


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


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_key_that_is_renamed_is_refused(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    # Names of people are free; everything else that stands before a `=` is a key.
    body, roster, tail = text.partition("[roster]")
    for found in re.finditer(r"^(\w+)(?= = )", body, re.MULTILINE):
        renamed = f"{body[: found.start()]}x{body[found.start() :]}{roster}{tail}"
        assert examine(renamed.encode()).settings is None, found[1]


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
    ("line", "instead", "warned"),
    [
        ("/dev/table/t-7-shoe", "/dev/ttyUSB0", "may be another device after a reboot"),
        ("/dev/table/t-7-shoe", "/dev/ttyACM12", "may be another device after a reboot"),
        ("idle_after_s = 900", "rounds_after_cover = 0", "has no effect in fortune-asia-poker"),
        ('host = "broker.pit.example"', 'host = "b"\nallow_plaintext = true', "has no effect"),
        ("/dev/table/t-7-shoe", 'tcp://moxa:4001"\nbaud = 9600#', "its server sets it"),
    ],
)
def test_what_is_likely_not_meant_is_a_warning(line: str, instead: str, warned: str) -> None:
    reading = examine(GOOD.replace(line, instead, 1).encode())
    assert reading.settings is not None
    (problem,) = reading.problems
    assert problem.warning
    assert warned in problem.text
    assert ": warning: " in problem.line("t.toml")


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
    with pytest.raises(UnreadableConfig, match="not a regular file; name a table's file"):
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


def test_a_mistake_is_one_line_and_steers_no_terminal() -> None:
    problems = examine(b'"\\u001b[31mX" = 1\n[table]\n"a\\nb\\u202e" = 2\n').problems
    lines = [problem.line("t.toml") for problem in problems]
    assert all(line.isprintable() for line in lines)
    assert any(r"[\x1b[31mX]" in line for line in lines)
    assert any(r"a\nb\u202e" in line for line in lines)
