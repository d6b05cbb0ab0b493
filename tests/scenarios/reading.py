"""Reads a scenario file: sentences in, what must follow from each; unknown keys are mistakes."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.profiles import profile_document
from controller.core.events import Event
from controller.core.profile import GameProfile, profile_of
from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from tests.play import Play
from tests.shoe_play import CARDS, ShoePlay

FOLDER = Path(__file__).parent
CODE = "58 Pa. Code § "


@dataclass(frozen=True)
class Step:
    """One input; `gives` are events that it must bring in this order, `refused` a paragraph."""

    say: str
    gives: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    refused: str | None = None
    prompt: str | None = None
    phase: str | None = None


@dataclass(frozen=True)
class Case:
    name: str
    begin: str
    step: tuple[Step, ...]
    house: dict[str, object] = dataclasses.field(default_factory=dict)
    profile: dict[str, object] = dataclasses.field(default_factory=dict)
    rounds_before: int = 0


@dataclass(frozen=True)
class Scenario:
    paragraph: str
    game: str
    duty: str
    case: tuple[Case, ...]
    question: str = ""
    fined: tuple[str, ...] = ()


def scenarios() -> list[tuple[str, Scenario, Case]]:
    """Every case of every file beside this one, with a name for the test."""
    found = []
    for file in sorted(FOLDER.glob("*.toml")):
        one = scenario(file)
        found += [(f"{file.stem}: {case.name}", one, case) for case in one.case]
    return found


def scenario(file: Path) -> Scenario:
    """One file. Raises TypeError for an unknown or missing key."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    cases = tuple(
        Case(**{**case, "step": tuple(_step(step) for step in case["step"])})
        for case in document.pop("case")
    )
    if "fined" in document:
        document["fined"] = tuple(document["fined"])
    return Scenario(**document, case=cases)


def _step(members: dict[str, object]) -> Step:
    lists = {
        key: tuple(members[key])  # type: ignore[call-overload]
        for key in ("gives", "never")
        if key in members
    }
    return Step(**{**members, **lists})  # type: ignore[arg-type]


# ---- beginnings ----------------------------------------------------------------------------------
def begun(case: Case, game: str) -> Play:
    """A table at the beginning that a case names. Raises LookupError for a leaf that is not."""
    kind = ShoePlay if game in CARDS else Play
    play = kind(game, profile_with(game, case.profile), **house_of(case.house))
    ways = list(WAYS[case.begin])
    if case.rounds_before:
        assert _seats in ways, "rounds before are played by games dealt in stacks, bets closed"
        ways[1:1] = [_whole_round] * case.rounds_before
    for way in ways:
        way(play)
    return play


def house_of(members: dict[str, object]) -> dict[str, object]:
    """Members of the house's setup; `shuffler.counts` is a member of its shuffler, "unset" none."""
    members = {key: None if value == "unset" else value for key, value in members.items()}
    inner = {key.removeprefix("shuffler."): members[key] for key in members if "." in key}
    house = {key: members[key] for key in members if "." not in key}
    if inner:
        house["shuffler"] = ShufflerSetup(**inner)  # type: ignore[arg-type]
    return house


def profile_with(game: str, answers: dict[str, object]) -> GameProfile:
    """The game's profile with some leaves answered otherwise, each counted as read."""
    return profile_of(document_with(game, answers))


def document_with(game: str, answers: dict[str, object]) -> dict[str, Any]:
    """The same before it is read."""
    document: dict[str, Any] = profile_document(game)[0]
    for place, value in answers.items():
        *groups, leaf = place.split(".")
        inner = document
        for group in groups:
            inner = inner.setdefault(group, {})
        cite = inner.get(leaf, {"cite": document["id"]["chapter"]})["cite"]
        inner[leaf] = {"value": value, "cite": cite, "verified": True, "source": "a scenario"}
    return document


def _seats(play: Play) -> None:
    if play.game in CARDS:
        play.bets(2, 5)
    elif play.game == "dj-wild":
        play.bets(1, 3, progressive=[3], trips=[1])
    else:
        play.bets(1, 3)


def _shuffled(play: Play) -> None:
    if isinstance(play, ShoePlay):
        play.seated(5, 2)
    play.shuffled(play.book.setup.batch_cards)


def _ready(play: Play) -> None:
    play.opened()
    _shuffled(play)
    if isinstance(play, ShoePlay):
        play.cut().in_shoe().burned()
    else:
        play.loaded()


def _whole_round(play: Play) -> None:
    """One round to its end, and a shuffle that gives no count."""
    _seats(play)
    _start(play)
    _dealt(play)
    if play.state.phase is Phase.EXTRA:
        play.dealer("extra_card")
    if play.state.phase is Phase.STUB:
        play.dealer("stub", cards=stub_of(play))
    if play.state.phase is Phase.DECISIONS:
        play.dealer("raises_closed")
    play.dealer("round_done")
    play.shuffled(None)
    play.loaded()


def stub_of(play: Play) -> int:
    """What the stub must be: the number that the last `stub.count_due` named."""
    expected = play.last("stub.count_due")["expected"]
    assert isinstance(expected, int)
    return expected


def _start(play: Play) -> None:
    if play.game == "fortune-asia-poker":
        play.draw(3)


def _dealt(play: Play) -> None:
    play.dealt()


def _decide(play: Play) -> None:
    play.dealer("extra_card")


WAYS = {
    "closed": (),
    "open": (Play.opened,),
    "shuffled": (Play.opened, _shuffled),
    "bets open": (_ready,),
    "bets closed": (_ready, _seats),
    "dealing": (_ready, _seats, _start),
    "dealt": (_ready, _seats, _start, _dealt),
    "decisions": (_ready, _seats, _dealt, _decide),
}


# ---- playing -------------------------------------------------------------------------------------
def play_step(play: Play, step: Step) -> None:
    """Say the sentence and look at what followed."""
    source, kind, *members = step.say.split(" ")
    person, _, source = source.rpartition(":")
    turn = play.say(source, kind, person or None, **_members(members))
    if step.refused is not None:
        assert turn.refusal is not None, f"{step.say}: was not refused"
        rule = (turn.refusal.rule or "").removeprefix(CODE)
        assert rule == step.refused, f"{step.say}: refused by {rule!r}: {turn.refusal.reason}"
        return
    assert turn.refusal is None, f"{step.say}: refused: {turn.refusal}"
    look_at_events(step, turn.events)
    if step.prompt is not None:
        assert step.prompt in str(play.outputs.prompt["text"])
    if step.phase is not None:
        assert play.state.phase == step.phase


def look_at_events(step: Step, events: Sequence[Event]) -> None:
    """Whether `gives` came in its order, others between, and nothing of `never`."""
    left = list(events)
    for wanted in step.gives:
        while left and not event_fits(left[0], wanted):
            left.pop(0)
        assert left, f"{step.say}: {wanted} is not among {[_shown(one) for one in events]}"
        left.pop(0)
    for unwanted in step.never:
        assert not any(event_fits(one, unwanted) for one in events), f"{step.say}: {unwanted}"


def event_fits(event: Event, wanted: str) -> bool:
    """Whether an event is of this type and has these members."""
    kind, *members = wanted.split(" ")
    if event.type != kind:
        return False
    for key, value in _members(members).items():
        found = (event.rule or "").removeprefix(CODE) if key == "rule" else event.data.get(key)
        if found != value:
            return False
    return True


def _shown(event: Event) -> str:
    return f"{event.type} {event.data}"


def _members(words: list[str]) -> dict[str, object]:
    """`cards=5 to=dealer seats=[1,3]`: JSON where it is JSON, text elsewhere."""
    found: dict[str, object] = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            found[key] = json.loads(value)
        except json.JSONDecodeError:
            found[key] = value
    return found
