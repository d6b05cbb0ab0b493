"""A changed program plays nothing; the code of the program on the digit, outside of play alone."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from controller.core.software import CODE_DIGITS, short_code
from controller.regions.software import DARK_MS, LIT_MS
from tests.play import Play

BUILD = "5f" * 32
START = {"version": "1", "digest": "d", "profile_digest": "p", "journal": "j", "build": BUILD}
CHANGED = {"count": 2, "files": ["hal/link.py: changed"]}
NONCE = "4711"


def started(play: Play) -> Play:
    play.do("system", "started", **START)
    return play


def shown(play: Play) -> str:
    """What the digit shows from now on, one glyph a step of its timer."""
    glyphs = ""
    while "code" in play.state.timers:
        glyphs += play.outputs.digit
        play.do("clock", "timer", name="code")
    return glyphs


# ---- the code ------------------------------------------------------------------------------------
def test_the_code_is_the_tag_of_the_build_under_the_nonce() -> None:
    tag = hmac.new(NONCE.encode(), BUILD.encode(), hashlib.sha256).hexdigest()
    code = short_code(NONCE, BUILD)
    assert set(code) <= set("1234567")
    assert int("".join(str(int(one) - 1) for one in code), 7) == int(tag, 16) % 7**CODE_DIGITS
    assert short_code("4712", BUILD) != code
    assert short_code(NONCE, "5e" * 32) != code


@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat"])
@pytest.mark.parametrize("role", ["inspector", "technician"])
def test_it_is_shown_digit_by_digit_with_a_pause_between(game: str, role: str) -> None:
    play = started(Play(game))
    turn = play.do(role, "show_code", by="i1", nonce=NONCE)
    code = short_code(NONCE, BUILD)
    (event,) = turn.events
    assert event.type == "software.code_shown"
    assert {name: event.data[name] for name in ("nonce", "code", "digest")} == {
        "nonce": NONCE, "code": code, "digest": BUILD,
    }  # fmt: skip
    assert shown(play) == " ".join(code)
    assert play.outputs.digit == " "
    assert LIT_MS > DARK_MS


def test_the_digits_own_answers_are_no_fault_of_a_number() -> None:
    play = started(Play("fortune-asia-poker"))
    play.do("inspector", "show_code", by="i1", nonce=NONCE)
    first = int(play.outputs.digit)
    turn = play.do("rng", "shown", number=first, readback=first)
    assert turn.events == ()
    assert play.state.rng.in_service


@pytest.mark.parametrize("role", ["dealer", "floorperson", "surveillance"])
def test_it_is_for_those_who_look_after_the_machine(role: str) -> None:
    started(Play()).refused(role, "show_code", nonce=NONCE)


def test_it_is_never_shown_where_it_could_be_taken_for_a_number() -> None:
    play = started(Play("fortune-asia-poker").opened().shuffled().loaded())
    play.bets(1)
    play.refused("inspector", "show_code", by="i1", nonce=NONCE)


def test_a_round_that_begins_ends_it() -> None:
    play = Play("fortune-asia-poker")
    started(play)
    play.ready()
    play.do("inspector", "show_code", by="i1", nonce=NONCE)
    play.bets(1)
    assert play.outputs.digit == "-"
    play.do("clock", "timer", name="code")
    assert play.state.services.code is None
    assert "code" not in play.state.timers


def test_asked_again_it_begins_again() -> None:
    play = started(Play())
    play.do("inspector", "show_code", by="i1", nonce=NONCE)
    play.do("clock", "timer", name="code")
    play.do("inspector", "show_code", by="i1", nonce="other")
    assert shown(play) == " ".join(short_code("other", BUILD))


def test_a_restart_ends_it() -> None:
    play = started(Play())
    play.do("inspector", "show_code", by="i1", nonce=NONCE)
    started(play)
    assert (play.outputs.digit, play.state.services.code) == (" ", None)


def test_a_program_that_does_not_know_itself_shows_nothing() -> None:
    Play().refused("inspector", "show_code", by="i1", nonce=NONCE)


# ---- a changed program ---------------------------------------------------------------------------
def test_a_changed_program_opens_no_table_and_names_the_file() -> None:
    play = started(Play())
    play.do("system", "software_changed", **CHANGED)
    assert play.last("software.changed")["files"] == ["hal/link.py: changed"]
    assert play.last("alarm.raised")["severity"] == 5
    assert "hal/link.py: changed and 1 more" in str(play.last("alarm.raised")["reason"])
    play.refused("floorperson", "open")
    assert play.turns[-1].refusal is not None
    assert "hal/link.py" in play.turns[-1].refusal.reason
    assert all("the program was changed" in rules for rules in play.outputs.locks.values())
    assert play.outputs.lamps["red"] == "blink"


def test_an_open_table_can_be_closed_and_nothing_else_is_played() -> None:
    play = started(Play().ready())
    play.do("system", "software_changed", **CHANGED)
    play.refused("dealer", "no_more_bets", seats=[1])
    assert play.outputs.device_locks == {"shuffler": True, "shoe": True}
    play.floor("close")
    play.refused("floorperson", "open")


def test_a_round_is_voided_not_dealt_on() -> None:
    play = started(Play().ready().bets(1))
    play.do("system", "software_changed", **CHANGED)
    play.floor("void", reason="r")
    play.dealer("wagers_returned")
    play.floor("confirm_void")
    play.floor("close")


def test_the_approved_program_in_its_place_opens_again() -> None:
    play = started(Play())
    play.do("system", "software_changed", **CHANGED)
    play.floor("acknowledge", alarm=play.state.alarms[0].id)
    assert play.state.alarms, "it lasts"
    started(play)
    assert play.state.alarms == ()
    play.opened()
