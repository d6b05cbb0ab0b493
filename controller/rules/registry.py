"""The catalogue of rules: one function a duty, its paragraphs in the decorator. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule: its id, the paragraphs that it obeys, and the function's place."""

    id: str
    cites: tuple[str, ...]
    module: str
    function: str
    line: int
    summary: str


RULES: dict[str, Entry] = {}


def rule(identity: str, cites: tuple[str, ...]) -> Callable[[Function], Function]:
    """Enter a function into the catalogue. Asserts a new id, a docstring and a citation."""

    def enter(function: Function) -> Function:
        assert identity not in RULES, f"two rules are called {identity}"
        assert cites, f"{identity} obeys no paragraph"
        assert function.__doc__, f"{identity} has no docstring"
        code = function.__code__
        RULES[identity] = Entry(
            id=identity,
            cites=cites,
            module=function.__module__,
            function=code.co_name,
            line=code.co_firstlineno,
            summary=function.__doc__.strip().splitlines()[0],
        )
        return function

    return enter
