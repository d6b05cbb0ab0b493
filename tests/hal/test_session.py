"""One event once, in order, gaps declared, silence said: whatever happened to the octets."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hal import facts
from hal.protocols.message import Beat, Event, Hello
from hal.protocols.tdp1 import Decoder
from hal.session import (
    NUMBERS,
    REPEATS_MS_MAX,
    SILENCE_MS_MAX,
    WAITING_MAX,
    AcknowledgeAgain,
    AskStatus,
    DeviceSession,
    LockSeen,
    Number,
    Pin,
    Say,
    Word,
)
from tests.hal.wires import beat, event, hello

BOOT = 0x1A2B
ME = facts.Identity("M", "X", "S1", "1")


def stack(seq: int, boot: int = BOOT) -> Event:
    return Event(boot, seq % NUMBERS, facts.StackDispensed(seq % 10000, 5))


def said(words: list[Word]) -> list[object]:
    return [word.fact for word in words if isinstance(word, Say)]


def heard_from(next_seq: int) -> DeviceSession:
    """A session that knows its device and expects event `next_seq`."""
    session = DeviceSession()
    session.listen(0)
    session.hear([Hello(BOOT, next_seq, ME)], 0)
    return session


def numbers(words: list[Word]) -> list[int]:
    return [fact.number for fact in said(words) if isinstance(fact, facts.StackDispensed)]


def test_the_first_contact_brings_the_link_up_and_the_identity_once() -> None:
    session = DeviceSession()
    session.listen(0)
    assert said(session.hear([Hello(BOOT, 0, ME)], 5)) == [facts.Link(True), ME]
    assert said(session.hear([Hello(BOOT, 0, ME)], 9)) == []


def test_a_repeat_is_swallowed_and_acknowledged_again_only_when_it_is_durable() -> None:
    session = heard_from(7)
    (word,) = session.hear([stack(7)], 10)
    assert word == Say(facts.StackDispensed(7, 5), Number(BOOT, 7))
    assert session.hear([stack(7)], 210) == []
    assert session.made_durable(Number(BOOT, 7))
    assert session.hear([stack(7)], 410) == [AcknowledgeAgain(Number(BOOT, 7))]


def test_equal_events_with_two_numbers_are_two_events() -> None:
    session = heard_from(0)
    card = facts.CardDrawn(1, "down")
    words = session.hear([Event(BOOT, 0, card), Event(BOOT, 1, card)], 1)
    assert said(words) == [card, card]


def test_numbers_wrap() -> None:
    session = heard_from(0xFFFE)
    words = session.hear([stack(seq) for seq in (0xFFFE, 0xFFFF, 0x10000, 0x10001)], 1)
    assert [word.number for word in words if isinstance(word, Say)] == [
        Number(BOOT, seq) for seq in (0xFFFE, 0xFFFF, 0, 1)
    ]


def test_a_missing_event_that_comes_with_its_repeat_is_given_in_order() -> None:
    session = heard_from(0)
    assert numbers(session.hear([stack(0), stack(2)], 0)) == [0]
    assert said(session.tick(REPEATS_MS_MAX - 1)) == []
    assert numbers(session.hear([stack(1)], REPEATS_MS_MAX - 1)) == [1, 2]
    assert session.counters["missing"] == 0


def test_a_missing_event_is_declared_when_its_repeats_are_over() -> None:
    session = heard_from(0)
    session.hear([stack(0), stack(3)], 0)
    assert said(session.tick(REPEATS_MS_MAX)) == [
        facts.FactsMissing(2), facts.StackDispensed(3, 5)
    ]  # fmt: skip
    # Too late: its place is taken, and it was said to be missing.
    assert session.hear([stack(1)], REPEATS_MS_MAX + 1) == []


def test_a_heartbeat_proves_a_gap_after_the_repeats_time() -> None:
    session = heard_from(0)
    assert said(session.hear([Beat(BOOT, 2)], 100)) == []
    assert session.due_ms() == 100 + REPEATS_MS_MAX
    assert said(session.tick(100 + REPEATS_MS_MAX - 1)) == []
    assert said(session.tick(100 + REPEATS_MS_MAX)) == [facts.FactsMissing(2)]
    assert numbers(session.hear([stack(2)], 2000)) == [2]


@pytest.mark.parametrize(("waiting", "declared"), [(WAITING_MAX, False), (WAITING_MAX + 1, True)])
def test_what_waits_behind_a_gap_is_bounded(waiting: int, declared: bool) -> None:
    session = heard_from(0)
    words = session.hear([stack(seq) for seq in range(1, waiting + 1)], 0)
    assert (facts.FactsMissing(1) in said(words)) is declared


def test_a_new_boot_is_a_restart_and_its_predecessor_is_not_another_one() -> None:
    session = heard_from(5)
    words = session.hear([Hello(0xBEEF, 0, ME)], 100)
    assert said(words) == [facts.Restarted(), ME]
    assert AskStatus() in words
    # A copy of the old boot that was still under way.
    assert session.hear([stack(5)], 101) == []
    assert numbers(session.hear([stack(0, 0xBEEF)], 102)) == [0]


def test_a_gap_of_the_old_boot_is_settled_before_the_restart() -> None:
    session = heard_from(0)
    session.hear([stack(1)], 0)
    assert said(session.hear([Beat(0xBEEF, 0)], 10)) == [
        facts.FactsMissing(1), facts.StackDispensed(1, 5), facts.Restarted()
    ]  # fmt: skip


def test_a_receipt_for_an_ended_boot_is_not_to_be_acknowledged() -> None:
    session = heard_from(0)
    session.hear([stack(0)], 0)
    session.hear([Hello(0xBEEF, 0, ME)], 10)
    assert not session.made_durable(Number(BOOT, 0))


def test_numbers_that_keep_running_backwards_are_a_restart_under_the_old_boot() -> None:
    session = heard_from(9)
    for at in range(500, 500 + SILENCE_MS_MAX, 500):
        assert said(session.hear([Beat(BOOT, 0)], at)) == []
    words = session.hear([Beat(BOOT, 0)], 500 + SILENCE_MS_MAX)
    assert said(words) == [facts.Restarted()]


def test_one_late_copy_of_an_older_heartbeat_is_no_restart() -> None:
    session = heard_from(0)
    session.hear([stack(0), Beat(BOOT, 0), Beat(BOOT, 1)], 400)
    assert said(session.hear([Beat(BOOT, 0)], 500 + SILENCE_MS_MAX)) == []


@pytest.mark.parametrize(("at", "silent"), [(SILENCE_MS_MAX - 1, False), (SILENCE_MS_MAX, True)])
def test_three_missed_heartbeats_are_silence(at: int, silent: bool) -> None:
    session = heard_from(0)
    # An event keeps no pulse: only a snapshot tells that nothing else was lost.
    session.hear([stack(0)], 1000)
    words = session.tick(at)
    assert said(words) == ([facts.Link(False)] if silent else [])
    assert session.up is not silent


def test_a_device_that_was_never_heard_is_said_to_be_down_once_and_then_up() -> None:
    session = DeviceSession()
    session.listen(100)
    assert said(session.tick(100 + SILENCE_MS_MAX)) == [facts.Link(False)]
    assert session.due_ms() is None
    assert said(session.tick(9999)) == []
    assert said(session.hear([Beat(BOOT, 3)], 10_000)) == [facts.Link(True)]


def test_an_unplugged_port_is_down_at_once_and_what_was_missed_is_counted_on_return() -> None:
    session = heard_from(0)
    assert said(session.port_lost(10)) == [facts.Link(False)]
    assert said(session.port_lost(11)) == []
    session.port_opened()
    assert said(session.hear([Beat(BOOT, 4)], 5000)) == [facts.Link(True)]
    assert said(session.tick(5000 + REPEATS_MS_MAX)) == [facts.FactsMissing(4)]


def test_another_device_on_the_port_is_not_believed() -> None:
    session = heard_from(0)
    stranger = facts.Identity("M", "X", "S2", "1")
    assert said(session.hear([Hello(0xBEEF, 0, stranger)], 10)) == [
        facts.IdentityChanged("M", "X", "S2"), facts.Link(False)
    ]  # fmt: skip
    assert said(session.hear([stack(0, 0xBEEF), Beat(0xBEEF, 1)], 20)) == []
    # Back again it says who it is once more: the table forgot it meanwhile.
    assert said(session.hear([Hello(BOOT, 0, ME)], 30)) == [facts.Link(True), ME]
    assert numbers(session.hear([stack(0)], 40)) == [0]


def test_a_configured_identity_is_pinned_before_the_first_word() -> None:
    session = DeviceSession(pin=Pin("M", "X", "S9"))
    session.listen(0)
    assert said(session.hear([Hello(BOOT, 0, ME)], 0))[0] == facts.IdentityChanged("M", "X", "S1")


def test_a_daemon_that_starts_again_tells_a_repeat_from_a_new_event() -> None:
    session = DeviceSession(resume=Number(BOOT, 7))
    session.listen(0)
    words = session.hear([stack(7), stack(8)], 5)
    assert numbers(words) == [8]
    assert AcknowledgeAgain(Number(BOOT, 7)) in words


def test_a_lock_that_a_heartbeat_shows_is_handed_on() -> None:
    session = heard_from(0)
    assert session.hear([Beat(BOOT, 0, locked=True)], 5) == [LockSeen(True)]


# ---- session and decoder together, on a wire that does its worst --------------------------------
def _line(total: int, chance: random.Random, harm: int) -> tuple[list[tuple[int, bytes]], bool]:
    """Frames with their times as a lossy, noisy, repeating wire gives them; whether each came."""
    at, planned, sent_at = 0, [(0, hello(0), -1)], []
    for seq in range(total):
        at += chance.choice((0, 5, 90, 250))
        sent_at.append(at)
        planned += [(at + 200 * again, event(seq), seq) for again in range(4)]
    end = at + 1200
    for time in range(500, end, 500):
        planned.append((time, beat(sum(1 for when in sent_at if when <= time)), -1))
    planned.sort(key=lambda item: item[0])
    came: set[int] = set()
    line = [(0, hello(0))]
    for time, frame, seq in planned:
        fate = chance.randrange(100)
        if fate < harm:
            spoiled = bytearray(frame)
            spoiled[chance.randrange(len(spoiled) - 2)] ^= 1 << chance.randrange(8)
            line.append((time, chance.choice((b"", bytes(spoiled), frame[: chance.randrange(9)]))))
        else:
            noise = chance.randbytes(chance.randrange(30)) if fate % 5 == 0 else b""
            line.append((time, noise + frame * chance.choice((1, 1, 3))))
            came.add(seq)
    # A quiet end: heartbeats come through and prove what is missing.
    line += [(end + 500 * again, beat(total)) for again in range(4)]
    return line, came >= set(range(total))


def _run(line: list[tuple[int, bytes]], chance: random.Random) -> list[object]:
    session, decoder = DeviceSession(), Decoder("shoe")
    session.listen(0)
    words: list[Word] = []
    for time, octets in line:
        due = session.due_ms()
        if due is not None and due < time:
            words += session.tick(due)
        cut = chance.randrange(len(octets) + 1)
        for chunk in (octets[:cut], octets[cut:]):
            words += session.hear(decoder.feed(chunk), time)
    return said(words)


def _account(found: list[object], total: int) -> int:
    """Follow the facts; gives how many events were declared missing. Fails on any false fact."""
    expected = missing = 0
    for fact in found:
        if isinstance(fact, facts.FactsMissing):
            expected += fact.count
            missing += fact.count
        elif isinstance(fact, facts.StackDispensed):
            assert fact == facts.StackDispensed(expected, 5)
            expected += 1
        else:
            assert isinstance(fact, (facts.Noise, facts.Link, facts.Identity)), fact
    assert expected == total
    return missing


def _try_line(seed: int, total: int, harm: int) -> None:
    chance = random.Random(seed)
    line, all_came = _line(total, chance, harm)
    missing = _account(_run(line, chance), total)
    if all_came:
        assert missing == 0


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 2**32), some.integers(1, 25), some.integers(0, 90))
def test_no_wire_makes_a_false_fact(seed: int, total: int, harm: int) -> None:
    _try_line(seed, total, harm)


@pytest.mark.heavy
def test_no_wire_makes_a_false_fact_in_many_tries() -> None:
    for seed in range(5_000):
        _try_line(seed, 1 + seed % 30, seed % 95)


@settings(max_examples=60, deadline=None)
@given(some.lists(some.binary(max_size=300), max_size=20))
def test_octets_of_nobody_state_nothing_but_noise(chunks: list[bytes]) -> None:
    session, decoder = DeviceSession(), Decoder("shoe")
    session.listen(0)
    for time, chunk in enumerate(chunks):
        for fact in said(session.hear(decoder.feed(chunk), time * 100)):
            assert isinstance(fact, (facts.Noise, facts.Link))
            assert fact != facts.Link(True)
