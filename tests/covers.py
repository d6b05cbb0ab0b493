"""`@covers("CUT-DEPTH")`: a test names the rule it pins; an unknown rule is a mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import controller.games  # noqa: F401  # importing the games enters every rule
from controller.rules.registry import RULES

Function = TypeVar("Function", bound=Callable[..., object])


def covers(*rules: str) -> Callable[[Function], Function]:
    """Mark a test; refuses rules that the catalogue does not have."""
    unknown = [rule for rule in rules if rule not in RULES]
    assert not unknown, f"no rule is called {unknown}"

    def mark(function: Function) -> Function:
        return function

    return mark
