"""How long a crew plays: its rounds, and a few more for a fault that takes its time."""

from __future__ import annotations

from typing import Any

import pytest

from controller.demo.crew import MORE_S_MAX, ROUNDS_MORE_MAX, Crew
from controller.demo.view import TableView, View


def shown_state() -> TableView:
    """A round that is being dealt."""
    return TableView.model_validate({
        "sequence": 1,
        "phase": "deal",
        "prompt": {"step": "deal", "who": "dealer", "text": ""},
        "round": {"number": 2, "open": True},
        "methods": {"shuffle": "device", "deal": "auto_shoe", "start": "rng"},
    })  # fmt: skip


async def test_nobody_deals_while_no_record_can_be_written() -> None:
    """The floorperson is asked all the same: there is an alarm to take."""
    asked: list[str] = []

    class Person:
        def __init__(self, name: str) -> None:
            self._name = name

        async def act(self, state: TableView) -> bool:
            asked.append(self._name)
            return False

    dealer: Any = Person("dealer")
    floor: Any = Person("floor")
    crew = Crew(View(), dealer, floor, lambda n: None, lambda: False)
    state = shown_state()
    await crew._one_thing(state, 3)
    assert asked == ["floor", "dealer"]
    await crew._one_thing(state.model_copy(update={"recording": False}), 3)
    assert asked == ["floor", "dealer", "floor"]


@pytest.mark.parametrize(
    ("finished", "after_s", "waiting", "enough"),
    [
        (1, 0, False, False),
        (2, 0, False, True),
        (2, 0, True, False),
        (1 + ROUNDS_MORE_MAX, MORE_S_MAX, True, False),
        (2 + ROUNDS_MORE_MAX, MORE_S_MAX - 1, True, False),
        (2 + ROUNDS_MORE_MAX, MORE_S_MAX, True, True),
    ],
)
def test_a_crew_plays_a_few_rounds_more_for_what_has_not_come(
    finished: int, after_s: float, waiting: bool, enough: bool
) -> None:
    """A button that is stuck is one after 5 s, however quick the rounds are."""
    nobody: Any = None
    crew = Crew(View(), nobody, nobody, lambda n: None, lambda: False, lambda: waiting)
    crew.finished = 2
    crew._is_enough(2, 100.0)
    crew.finished = finished
    assert crew._is_enough(2, 100.0 + after_s) is enough
