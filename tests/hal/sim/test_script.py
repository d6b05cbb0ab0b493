"""A script states actions strictly, and a refusal of the device is an outcome."""

import pytest

from hal.errors import ScriptError
from hal.sim.script import TIMES_MAX, Action, action_of, perform
from hal.sim.shuffler import Shuffler
from tests.hal.sim.test_wire import Tin


def test_an_action_is_read_with_its_members() -> None:
    line = '{"do": "load", "batch": "A", "cards": 53, "times": 2}'
    assert action_of("shuffler", line) == Action("load", {"batch": "A", "cards": 53}, 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[" * 999, "no JSON"),
        ("[]", "expected an object"),
        ("{}", "do: expected one of"),
        ('{"do": "dispense", "cards": 5}', "do: expected one of"),
        ('{"do": "load", "batch": "A"}', "member cards is missing"),
        ('{"do": "load", "batch": "A", "cards": true}', "load.cards: expected int"),
        ('{"do": "load", "batch": "A", "cards": -1}', "expected 0 to"),
        ('{"do": "eject", "x": 1}', "unknown member x"),
        ('{"do": "eject", "times": 0}', "times: expected 1"),
        ('{"do": "fault", "name": "shoe-jam"}', "fault.name: expected one of"),
        (" " * 1001, "longer than"),
    ],
)
def test_a_wrong_line_says_what_would_be_right(line: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        action_of("shuffler", line)


@pytest.mark.parametrize(("times", "lawful"), [(TIMES_MAX, True), (TIMES_MAX + 1, False)])
def test_repetition_is_bounded(times: int, lawful: bool) -> None:
    line = f'{{"do": "eject", "times": {times}}}'
    if lawful:
        assert action_of("shuffler", line).times == times
    else:
        with pytest.raises(ScriptError):
            action_of("shuffler", line)


async def test_actions_move_the_device_and_refusals_are_outcomes() -> None:
    shuffler = Shuffler(Tin(), speed=1000)
    script = [
        ('{"do": "fault", "name": "short-deck"}', "done"),
        ('{"do": "load", "batch": "A", "cards": 53}', "done"),
        ('{"do": "cycle"}', "ok"),
        ('{"do": "eject"}', "52"),
        ('{"do": "eject"}', "refused: shuffler: cannot eject while IDLE"),
        ('{"do": "door", "is_open": true}', "done"),
        ('{"do": "lift"}', "done"),
        ('{"do": "wait", "ms": 1}', "done"),
    ]
    for line, outcome in script:
        assert await perform(shuffler, action_of("shuffler", line)) == outcome
