"""A round is void for a code of the fixed list only: `controller.rules.irregularities`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import controller
from controller.rules.irregularities import CODE_OF_QUESTION, code_of_question
from tests.play import Play

ROOMS = [Path(controller.__file__).parent / name for name in ("rules", "regions", "games")]
# The list that machines outside of this program know.
CODES = frozenset(
    (
        "face_up", "drawn_in_error", "wrong_count", "revealed", "shuffler_failed", "shoe_failed",
        "stub_mismatch", "early_card", "out_of_order", "unauthorised_third_card",
        "burn_mismatch", "count_mismatch", "no_token",
    )
)  # fmt: skip
# Questions that are asked only outside of a round, or offer no void.
NEVER_VOID = frozenset(
    ("broker", "chamber", "cover_differs", "other_deck", "rounds_after_cover", "wager_names")
)
# Where the code of a question stands in a call, and of an irregularity.
QUESTIONS = {"hold": 1, "Ask": 2, "broken": 2, "_not_known": 1}
IRREGULARITIES = {"unread": 0, "Ruling": 0}


def codes_said(places: dict[str, int]) -> Iterator[str]:
    """The constant codes in all calls of these functions."""
    for room in ROOMS:
        for file in sorted(room.glob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                    continue
                place = places.get(node.func.id)
                if place is None or len(node.args) <= place:
                    continue
                code = _constant(tree, node.args[place])
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    yield code.value


def _constant(tree: ast.Module, given: ast.expr) -> ast.expr:
    """The value itself, where the call names a constant of its module."""
    for one in tree.body:
        if isinstance(one, ast.Assign) and isinstance(given, ast.Name):
            target = one.targets[0]
            if isinstance(target, ast.Name) and target.id == given.id:
                return one.value
    return given


def test_every_question_has_a_code_of_the_list() -> None:
    asked = set(codes_said(QUESTIONS)) - NEVER_VOID
    assert len(asked) > 15
    assert {code for code in asked if code_of_question(code) not in CODES} == set()
    assert set(CODE_OF_QUESTION) <= asked, "a question that nobody asks"


def test_every_irregularity_has_a_code_of_the_list() -> None:
    raised = set(codes_said(IRREGULARITIES))
    assert raised <= CODES
    assert len(raised) > 8


def power(play: Play) -> None:
    play.do("system", "started", version="1", digest="d", profile_digest="p", journal="j")


def overrun(play: Play) -> None:
    play.do("system", "overrun", lost=3)


def facts_missing(play: Play) -> None:
    play.do("shoe", "facts_missing", count=2)


def silent(play: Play) -> None:
    play.do("clock", "timer", name="dispense")


def lost(play: Play) -> None:
    play.do("shoe", "link", up=False)


def other_shoe(play: Play) -> None:
    play.do("shoe", "identity_changed", make="m", model="x", serial="s2")


def other_shuffler(play: Play) -> None:
    play.do("shuffler", "identity_changed", make="m", model="x", serial="s2")


def residue(play: Play) -> None:
    play.do("shuffler", "residue", cards=2)


def in_shuffler(play: Play) -> None:
    play.do("shuffler", "loaded", batch="A")


@pytest.mark.parametrize(
    ("strike", "code"),
    [
        (power, "count_mismatch"),
        (overrun, "count_mismatch"),
        (facts_missing, "count_mismatch"),
        (residue, "count_mismatch"),
        (silent, "shoe_failed"),
        (lost, "shoe_failed"),
        (other_shoe, "shoe_failed"),
        (other_shuffler, "shuffler_failed"),
        (in_shuffler, "no_token"),
    ],
)
def test_a_question_that_ends_in_a_void_names_the_nearest_irregularity(
    strike: object, code: str
) -> None:
    play = Play(dispense_timeout_ms=9_000).ready().bets(1)
    assert callable(strike)
    strike(play)
    play.floor("decide", hold=play.hold, choice="void", reason="cannot be proved")
    assert play.last("irregularity.raised")["code"] == code
    play.voided()
    assert play.last("round.voided")["code"] == code


def test_a_digit_that_cannot_be_trusted_leaves_the_order_of_the_deal_in_doubt() -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(3)
    play.do("rng", "shown", number=3, readback=4)
    play.floor("decide", hold=play.hold, choice="void", reason="nobody saw the number")
    play.voided()
    assert play.last("round.voided")["code"] == "out_of_order"
