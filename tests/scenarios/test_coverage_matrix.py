"""Every lettered and numbered paragraph that was read: a rule, a test, and its events really said.

The rows are the coverage matrix of the rule catalogue, section 13, in the words of the events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller import catalogue
from controller.catalogue import Paragraph, paragraphs_of
from controller.core.events import Event
from controller.rules.registry import RULES
from tests.scenarios.reading import CODE, begun, event_fits, play_step, scenarios

TESTS = Path(__file__).parents[1]
CHAPTERS = ("627a", "633a", "659a", "687a")
# Paragraph, the events that its scenarios must give, and the step that is locked until it is done
# (an empty one: nothing waits for it).
ROWS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("633a.5(a)", ("shuffle.required", "shuffle.started", "shuffle.completed"), "deal"),
    ("633a.5(b)", ("cut.offered", "cut.refused", "cut.made"), "load"),
    ("633a.5(c)(1)", ("cut.offered origin=first_arrival",), ""),
    ("633a.5(c)(2)", ("cut.offered origin=cover_seat",), ""),
    ("633a.5(c)(3)", ("cut.offered origin=cover_dealer",), ""),
    ("633a.5(c)(4)", ("cut.offered origin=floor",), ""),
    ("633a.5(d)", ("cut.made", "cover.inserted", "shoe.loaded"), "load"),
    ("633a.5(e)", ("cut.recut_ordered",), "load"),
    ("633a.5(f)", ("shoe.cover_card_out", "round.last_of_shoe", "shuffle.required"), "deal"),
    ("633a.5(g)", ("idle.spread", "idle.inspected"), "deal"),
    ("633a.5(g)(1)", ("idle.ended path=manual",), "deal"),
    ("633a.5(g)(2)", ("batch.swapped", "idle.ended path=stored_batch"), "deal"),
    ("633a.5(h)", ("config.mode mode=continuous", "config.mode mode=ordinary"), "deal"),
    ("627a.5(a)", ("shuffle.required", "shuffle.completed", "floor.feather_check"), "cut"),
    ("627a.5(b)", ("cut.offered", "cut.refused", "cut.made"), "load"),
    ("627a.5(c)", ("cut.made",), "load"),
    ("627a.5(d)", ("cover.inserted", "shoe.loaded"), "load"),
    ("627a.5(e)", ("cut.recut_ordered",), "load"),
    ("627a.5(f)", ("burn.required", "burn.completed", "burn.mismatch"), "bets"),
    ("627a.5(g)", ("idle.spread", "idle.inspected"), "deal"),
    ("659a.5(a)", ("shuffle.required", "shuffle.started", "shuffle.completed"), "deal"),
    ("659a.5(b)(1)", ("shuffle.completed", "token.made"), ""),
    ("659a.5(b)(2)", ("shuffle.completed method=manual", "cut.offered"), "start"),
    ("659a.5(c)", ("cut.made cutter=dealer", "shoe.loaded"), "start"),
    ("659a.5(d)", ("cut.recut_ordered cutter=dealer",), "deal"),
    ("659a.5(e)", ("idle.spread", "idle.inspected", "idle.ended"), "deal"),
    ("659a.5(f)", ("config.mode mode=continuous", "config.mode mode=ordinary"), "deal"),
    ("659a.5(g)", ("startpos.determined",), "deal"),
    ("659a.5(g)(1)(i)", ("startpos.determined method=shaker",), "deal"),
    ("659a.5(g)(1)(ii)", ("startpos.determined method=shaker",), "deal"),
    ("659a.5(g)(1)(iii)", ("startpos.determined method=shaker",), "deal"),
    ("659a.5(g)(1)(iv)", ("startpos.shaker_reset",), ""),
    ("659a.5(g)(2)", ("startpos.determined method=rng", "rng.failed"), "deal"),
    ("659a.5(h)", ("startpos.marked",), ""),
    ("687a.10(a)", ("round.no_more_bets", "irregularity.raised code=early_card"), "deal"),
    ("687a.10(b)", ("round.deal_progress to=1 cards=5",), ""),
    ("687a.10(c)", ("round.deal_progress to=dealer", "round.dealt"), "deal"),
    ("687a.10(d)", ("stub.count_due", "stub.count_result"), "settle"),
    ("687a.10(e)", ("stub.count_result ok=true",), ""),
    (
        "687a.10(f)",
        (
            "stub.count_result ok=false", "irregularity.raised code=stub_mismatch",
            "wager.disposition", "round.voided code=stub_mismatch", "deck.removed",
        ),
        "settle",
    ),
    ("687a.13(a)", ("irregularity.raised code=face_up", "round.voided code=face_up"), "deal"),
    ("687a.13(b)", ("irregularity.raised code=drawn_in_error",), ""),
    ("687a.13(c)", ("irregularity.raised code=wrong_count", "round.voided code=wrong_count"),
     "deal"),
    ("687a.13(d)", ("wager.disposition", "round.voided code=revealed"), "deal"),
    ("687a.13(e)", ("shuffle.failed", "shuffle.required"), "load"),
    ("687a.13(f)", ("device.fault device=shoe", "round.voided code=shoe_failed"), "deal"),
    ("687a.13(g)", ("device.out_of_service", "device.cover_confirmed", "method.changed"),
     "method"),
)  # fmt: skip
IDS = [row[0] for row in ROWS]
# What says of whatever paragraph that it waits, is asked about or was not obeyed.
OF_ANY_PARAGRAPH = (
    "lock.", "alarm.", "floor.decision_required", "floor.authorization", "input.refused",
)  # fmt: skip


@dataclass
class Played:
    """What the scenarios of one paragraph gave: their events, the steps ever locked."""

    events: list[Event] = field(default_factory=list)
    locked: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def played() -> dict[str, Played]:
    """Every scenario, played once; by paragraph."""
    found: dict[str, Played] = {}
    for _, one, case in scenarios():
        here = found.setdefault(one.paragraph, Played())
        play = begun(case, one.game)
        before = len(play.turns)
        here.locked |= set(play.outputs.locks)
        for step in case.step:
            play_step(play, step)
            here.locked |= set(play.outputs.locks)
        here.events += [event for turn in play.turns[before:] for event in turn.events]
    return found


@pytest.fixture(scope="module")
def tested() -> dict[str, tuple[str, ...]]:
    """Rule -> the tests that name it."""
    return catalogue.tests_by_rule(TESTS)


def paragraph(cite: str) -> Paragraph:
    chapter = cite.partition(".")[0]
    (found,) = (one for one in paragraphs_of(chapter) if one.cite == cite)
    return found


@pytest.mark.parametrize("cite", IDS)
def test_the_paragraph_has_a_rule_and_the_rule_a_test_or_a_reason_is_given(
    cite: str, tested: dict[str, tuple[str, ...]]
) -> None:
    one = paragraph(cite)
    obeyed = [entry.id for entry in RULES.values() if cite in entry.cites]
    assert one.status == "seed"
    assert obeyed or (one.disposition != "rule" and one.reason), f"{cite}: no rule, no reason"
    assert all(tested.get(rule) for rule in obeyed)


@pytest.mark.parametrize(("cite", "events", "locked"), ROWS, ids=IDS)
def test_the_scenarios_of_the_paragraph_say_its_events_and_lock_what_waits_for_it(
    cite: str, events: tuple[str, ...], locked: str, played: dict[str, Played]
) -> None:
    here = played.get(cite, Played())
    missing = [want for want in events if not any(event_fits(one, want) for one in here.events)]
    assert not missing, f"{cite}: {missing} in none of its scenarios"
    assert not locked or locked in here.locked, f"{cite}: {locked} is never locked"


@pytest.mark.parametrize("cite", IDS)
def test_every_event_that_the_paragraph_names_is_said_in_a_scenario(
    cite: str, played: dict[str, Played]
) -> None:
    given = {event.type for here in played.values() for event in here.events}
    assert set(paragraph(cite).events) <= given


def test_every_event_that_cites_the_paragraph_stands_in_its_row(
    played: dict[str, Played],
) -> None:
    said: dict[str, set[str]] = {}
    for here in played.values():
        for event in here.events:
            if event.rule is not None and not event.type.startswith(OF_ANY_PARAGRAPH):
                said.setdefault(event.rule.removeprefix(CODE), set()).add(event.type)
    lacking = {cite: said.get(cite, set()) - set(paragraph(cite).events) for cite in IDS}
    assert {cite: types for cite, types in lacking.items() if types} == {}


def test_no_paragraph_that_was_read_in_full_is_left_out() -> None:
    read = {
        one.cite for chapter in CHAPTERS for one in paragraphs_of(chapter) if one.status == "seed"
    }
    assert read == set(IDS)
    assert len(IDS) == len(set(IDS)) == 47
