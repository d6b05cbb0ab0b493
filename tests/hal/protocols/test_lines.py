"""Lines of text become numbered facts, in any chopping; what is not understood is junk."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.driver_file import examine_driver
from hal import facts
from hal.protocols.lines import (
    ENDINGS,
    Decoder,
    Encoder,
    Ending,
    FactRule,
    LineTalk,
    driver_of,
)
from hal.protocols.message import Beat, Event, Hello, Junk, Message

FILE = Path(__file__).parents[3] / "config" / "drivers" / "example-shuffler.toml"
BOOT = 0x1A2B


def talk(**changes: object) -> LineTalk:
    found = examine_driver(FILE.read_bytes()).talk
    assert found is not None
    return dataclasses.replace(found, **changes)  # type: ignore[arg-type]


TALK = talk()


def heard(octets: bytes, of: LineTalk = TALK) -> list[Message]:
    decoder = Decoder(of, BOOT)
    return decoder.feed(octets) + decoder.line_idle()


def said(octets: bytes, of: LineTalk = TALK) -> list[object]:
    return [one.fact for one in heard(octets, of) if isinstance(one, Event)]


def test_a_run_of_the_example_is_told_in_order_and_numbered() -> None:
    assert heard(b"SHUFFLING\r\nSHUFFLED  53 CARDS\r\nOUT 53\r\n") == [
        Event(BOOT, 0, facts.ShufflerLoaded("A")),
        Event(BOOT, 1, facts.CycleStarted(1, "shuffle")), Beat(BOOT, 2),
        Event(BOOT, 2, facts.CycleEnded(1, "shuffle", "ok", 53, "A")), Beat(BOOT, 3),
        Event(BOOT, 3, facts.Ejected("A", 53)), Beat(BOOT, 4),
    ]  # fmt: skip


def test_runs_are_counted_where_the_device_does_not() -> None:
    run = b"SHUFFLING\r\nSHUFFLED 53 CARDS\r\n"
    cycles = [fact.cycle for fact in said(run * 2) if isinstance(fact, facts.CycleEnded)]
    assert cycles == [1, 2]


def test_a_greeting_names_the_device_and_the_file_by_which_it_was_understood() -> None:
    hello = heard(b"QUINCE Q9 #77 V1.2\r\n")[0]
    assert hello == Hello(BOOT, 0, facts.Identity("Quince", "Q9", "77", "1.2", TALK.digest))
    assert len(TALK.digest) == 64


def test_a_level_that_is_asked_for_again_and_again_is_told_when_it_changes() -> None:
    found = said(b"LAMP G\r\nLAMP G\r\nLAMP R\r\nLAMP R\r\nLAMP G\r\n")
    assert found == [facts.Lamp("green"), facts.Lamp("red"), facts.Lamp("green")]


def test_two_equal_events_in_a_row_are_two() -> None:
    assert said(b"ABORTED\r\nABORTED\r\n") == [facts.CycleEnded(0, "shuffle", "aborted")] * 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"HELLO", "unknown_line"),
        (b"shuffling", "unknown_line"),
        (b"LAMP X", "unknown_word"),
        (b"OUT 10000", "out_of_range"),
        (b"OUT \xff", "unprintable"),
        (b"OUT 5\x00", "unprintable"),
        (b"O" * 81, "too_long"),
        (b"O" * 500, "too_long"),
    ],
)
def test_what_is_not_understood_is_counted_with_its_reason(line: bytes, reason: str) -> None:
    assert heard(line + b"\r\nSORTING\r\n")[0] == Junk(len(line), reason)
    assert said(line + b"\r\nSORTING\r\n")[-1] == facts.CycleStarted(1, "sort")


def test_a_line_of_the_longest_length_is_read_and_one_octet_more_is_not() -> None:
    assert heard(b"MISSING ".ljust(80, b"K") + b"\r\n") == [Beat(BOOT, 0)]
    assert heard(b"MISSING ".ljust(81, b"K") + b"\r\n") == [Junk(81, "too_long")]


def test_silence_in_the_middle_of_a_line_gives_it_up() -> None:
    decoder = Decoder(TALK, BOOT)
    assert decoder.feed(b"SHUFF") == []
    assert decoder.line_idle() == [Junk(5, "broken_off")]
    assert decoder.line_idle() == []


def test_cards_that_are_named_reach_nothing() -> None:
    found = heard(b"MISSING AS KH 9D\r\n")
    assert found == [Beat(BOOT, 0)]


def test_half_a_line_of_facts_is_none() -> None:
    # The second fact of this line does not fit: the first one is not told either.
    (rule,) = [rule for rule in TALK.rules if rule.template.source.startswith("SHUFFLED")]
    jam = FactRule(facts.Jam, {"zone": ("z" * 33,)})
    both = dataclasses.replace(rule, facts=(*rule.facts, jam))
    assert heard(b"SHUFFLED 53 CARDS\r\n", talk(rules=(both,))) == [Junk(17, "bad_text")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_ending_ends_a_line(ending: Ending) -> None:
    of = talk(ending=ending)
    octets = ENDINGS[ending].join((b"SORTING", b"SORTED 53 CARDS", b"", b"  ", b""))
    assert [type(fact) for fact in said(octets, of)] == [
        facts.ShufflerLoaded, facts.CycleStarted, facts.CycleEnded,
    ]  # fmt: skip


PIECES = st.lists(st.sampled_from((
    b"SHUFFLING\r\n", b"SHUFFLED  53 CARDS\r\n", b"LAMP R\r\n", b"\r", b"\n", b"\r\n", b"OUT 5",
    b"x" * 79, b"\xff", b"JAM ZONE 2 (3)\r\n", b"MISSING AS\r\n",
)), max_size=30)  # fmt: skip


@settings(deadline=None)
@given(PIECES, st.lists(st.integers(1, 50), max_size=60))
def test_any_chopping_gives_the_same(pieces: list[bytes], sizes: list[int]) -> None:
    octets = b"".join(pieces)
    decoder = Decoder(TALK, BOOT)
    found: list[Message] = []
    at = 0
    for size in sizes:
        found += decoder.feed(octets[at : at + size])
        assert decoder.held_octets <= TALK.line_octets_max + 1
        at += size
    found += decoder.feed(octets[at:])
    assert found + decoder.line_idle() == heard(octets)


@given(st.binary(max_size=400))
def test_no_octets_do_harm(octets: bytes) -> None:
    for one in heard(octets):
        assert isinstance(one, Event | Beat | Hello | Junk)


def test_the_host_says_what_the_file_has_and_acknowledges_nothing() -> None:
    encoder = Encoder(TALK)
    assert encoder.acknowledge(BOOT, 1) == b""
    assert encoder.ask_status() == b"V\r\n?\r\n"
    assert encoder.hold_locked(True) == b"L\r\n"
    assert encoder.hold_locked(False) == b"U\r\n"
    dumb = Encoder(talk(at_open=(), poll=None, lock=None, unlock=None))
    assert dumb.ask_status() == dumb.hold_locked(True) == dumb.question() == b""


def test_the_driver_asks_as_often_as_the_file_says() -> None:
    driver = driver_of(TALK, BOOT)
    assert (driver.poll, driver.poll_ms, driver.silence_ms_max) == (b"?\r\n", 1000, 3500)
    assert driver.frame_octets_max == 82
    assert driver.decoder("shuffler").feed(b"LAMP G\r\n")[-1] == Beat(BOOT, 1)
