"""What people see of a table: the newest state, and that it changed."""

from __future__ import annotations

import asyncio
import json

from controller.core.setup import DEFAULTS
from controller.demo.floor import choice_of
from controller.demo.view import Hold, TableView, View
from controller.messages import Topics, levels_of
from tests.controller.demo.tables import first_outputs


def shown(sequence: int, **changed: object) -> bytes:
    state = {
        "sequence": sequence,
        "phase": "deal",
        "prompt": {"step": "deal", "who": "dealer", "text": "Stack 1 to seat 2", "since": "x"},
        "round": {"number": 3, "open": True, "order": [2, "dealer"], "dealt": 1, "other": 1},
        "methods": {"shuffle": "device", "deal": "auto_shoe", "start": "rng"},
    }
    return json.dumps({**state, **changed}).encode()


def test_what_the_controller_publishes_can_be_read() -> None:
    topics = Topics("tables", "t")
    for game in ("dj-wild", "fortune-asia-poker"):
        payload = levels_of(topics, first_outputs(DEFAULTS[game]), 7)[topics.below("state")]
        state = TableView.model_validate_json(payload)
        assert (state.sequence, state.step, state.is_between_rounds) == (7, "open", True)


async def test_a_change_is_waited_for_and_a_burst_taken_as_one() -> None:
    view = View()
    view.take(shown(1))
    waiting = asyncio.create_task(view.changed(view.version, 2))
    for sequence in (2, 3, 4):
        await asyncio.sleep(0.005)
        view.take(shown(sequence))
    assert await waiting
    assert view.state is not None
    assert view.state.sequence == 4


async def test_without_a_change_the_wait_ends() -> None:
    view = View()
    view.take(shown(1))
    assert not await view.changed(view.version, 0.02)


def test_what_cannot_be_read_is_no_state() -> None:
    view = View()
    view.take(b"\xff")
    view.take(b"{}")
    assert (view.state, view.version) == (None, 0)


def test_a_lost_broker_leaves_no_state_behind() -> None:
    view = View()
    view.take(shown(1))
    view.link(False)
    assert view.state is None


def test_a_floorperson_answers_with_a_choice_that_is_offered() -> None:
    state = TableView.model_validate_json(shown(1))
    assert choice_of(Hold(id="H1", code="power", choices=("resume", "void")), state) == "resume"
    assert choice_of(Hold(id="H1", code="shoe_lost", choices=("void", "continue")), state) == (
        "continue"
    )
    assert choice_of(Hold(id="H1", code="x", choices=("use_next",)), state) == "use_next"


def test_where_cards_went_unseen_the_floorperson_does_not_go_on() -> None:
    missed = {"id": "H2", "code": "facts_missing", "choices": ["void", "continue"]}
    state = TableView.model_validate_json(shown(1, holds=[missed]))
    assert choice_of(Hold(id="H1", code="shoe_lost", choices=("void", "continue")), state) == "void"
