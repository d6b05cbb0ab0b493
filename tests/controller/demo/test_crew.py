"""How long a crew plays: its rounds, and a few more for a fault that takes its time."""

from __future__ import annotations

from typing import Any

import pytest

from controller.demo.crew import ROUNDS_MORE_MAX, Crew
from controller.demo.view import View


@pytest.mark.parametrize(
    ("finished", "waiting", "enough"),
    [
        (1, False, False),
        (2, False, True),
        (2, True, False),
        (1 + ROUNDS_MORE_MAX, True, False),
        (2 + ROUNDS_MORE_MAX, True, True),
    ],
)
def test_a_crew_plays_a_few_rounds_more_for_what_has_not_come(
    finished: int, waiting: bool, enough: bool
) -> None:
    """A button that is stuck is one after 5 s, however quick the rounds are."""
    nobody: Any = None
    crew = Crew(View(), nobody, nobody, lambda n: None, lambda: False, lambda: waiting)
    crew.finished = finished
    assert crew._is_enough(2) is enough
