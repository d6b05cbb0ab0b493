"""A number with its paragraph, and the three answers of a rule: lawful, refused, ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from controller.core.events import Refusal

T = TypeVar("T")
CODE = "58 Pa. Code § "


@dataclass(frozen=True, slots=True)
class Lawful(Generic[T]):
    """One leaf of a profile: its value, the paragraph, whether the text was read, and where."""

    value: T
    cite: str
    verified: bool
    source: str

    @property
    def rule(self) -> str:
        """The full citation, as events carry it."""
        return CODE + self.cite


@dataclass(frozen=True, slots=True)
class Ask:
    """An unread text would decide against the play: hold, and ask the floorperson.

    `waiver` names the duty that the floorperson may waive with `continue`; the input is then
    stated again and passes.
    """

    rule: str
    reason: str
    waiver: str
    choices: tuple[str, ...] = ("continue", "void")


Verdict = Refusal | Ask | None


def broken(leaf: Lawful[Any], reason: str, waiver: str) -> Refusal | Ask:
    """The answer when a duty is not met: verified text refuses, unread text holds and asks."""
    if leaf.verified:
        return Refusal(leaf.rule, reason)
    return Ask(leaf.rule, reason, waiver)
