"""A case of `tests/scenarios` as sentences, one after the other, with what the rules alone gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from unittest import mock

from controller.core.inputs import LINE
from controller.core.setup import Setup
from controller.core.view import Turn
from tests.play import Play
from tests.scenarios.reading import Case, Scenario, Step, _members, begun, document_with, scenarios


@dataclass(slots=True)
class Sentence:
    """Who says what. `gave` are the events of the rules alone; `step` what the file demands."""

    source: str
    kind: str
    by: str | None
    members: dict[str, object]
    gave: list[str] = field(default_factory=list)
    refused: bool = False
    step: Step | None = None

    def __str__(self) -> str:
        words = (f"{key}={value}" for key, value in self.members.items())
        return " ".join((self.source, self.kind, *words))


@dataclass(frozen=True, slots=True)
class Script:
    """What is said from a closed table on; `setup` is the house, `roster` person to role, `law` the
    profile where it is another than the shipped one."""

    sentences: list[Sentence]
    setup: Setup
    roster: dict[str, str]
    law: dict[str, object] | None = None


@cache
def scripts() -> dict[str, Script]:
    """Every case of `tests/scenarios`, by its name."""
    return {name: script_of(one, case) for name, one, case in scenarios()}


def script_of(one: Scenario, case: Case) -> Script:
    """Play the case by the rules alone and keep what was said, beginning included."""
    said: list[Sentence] = []
    with mock.patch.object(Play, "say", _listening(said)):
        play = begun(case, one.game)
        for step in case.step:
            source, kind, *members = step.say.split(" ")
            person, _, source = source.rpartition(":")
            play.say(source, kind, person or None, **_members(members))
            said[-1].step = step
    law = document_with(one.game, case.profile) if case.profile else None
    return Script(said, play.book.setup, _roster(said), law)


def _listening(said: list[Sentence]) -> Callable[..., Turn]:
    plain = Play.say

    def say(play: Play, source: str, kind: str, by: str | None = None, **members: object) -> Turn:
        turn = plain(play, source, kind, by, **members)
        gave = [event.type for event in turn.events]
        refused = turn.refusal is not None
        said.append(Sentence(source, kind, turn.arrived.by, members, gave, refused))
        return turn

    return say


def _roster(said: list[Sentence]) -> dict[str, str]:
    """Each person once. Who speaks in two roles has the higher one: it may say all of the lower."""
    roles: dict[str, str] = {}
    for sentence in said:
        if sentence.by is None:
            continue
        before = roles.get(sentence.by, sentence.source)
        higher = before in LINE and sentence.source in LINE
        if not higher or LINE.index(sentence.source) >= LINE.index(before):
            roles[sentence.by] = sentence.source
        else:
            roles[sentence.by] = before
    return roles
