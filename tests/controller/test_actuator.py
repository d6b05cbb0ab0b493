"""Levels are applied when they differ, and what is decided ahead may only tighten."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from controller.actuator import Actuator, Levels, stricter
from controller.core.effects import CancelTimer, DrawNumber
from controller.core.outputs import Outputs
from tests.controller.bench import NotedDevice, NotedPanel, NotedSource

Notes = list[tuple[str, ...]]
OPEN = Outputs(lamps={"green": "on"}, digit="-", device_locks={"shoe": False})
SHUT = Outputs(lamps={"red": "on"}, digit=" ", device_locks={"shoe": True})
SHOWN = dataclasses.replace(OPEN, digit="5")


def rig() -> tuple[Actuator, Notes, NotedSource]:
    notes: Notes = []
    source = NotedSource()
    actuator = Actuator(NotedPanel(notes), {"shoe": NotedDevice("shoe", notes)}, source)
    return actuator, notes, source


def test_a_level_is_applied_once_however_often_it_is_held() -> None:
    actuator, notes, _ = rig()
    for _ in range(3):
        actuator.tighten(OPEN)
        actuator.hold(OPEN)
    opened: Notes = [("shoe", "unlocked"), ("lamps", "off", "off", "on"), ("digit", "-")]
    assert [note for note in notes if note in opened] == opened
    assert len(notes) == 7


def test_what_is_decided_ahead_tightens_at_once_and_loosens_nothing() -> None:
    actuator, notes, _ = rig()
    actuator.tighten(OPEN)
    assert ("shoe", "unlocked") not in notes
    actuator.hold(OPEN)
    notes.clear()
    actuator.tighten(SHUT)
    assert notes == [("shoe", "locked"), ("lamps", "on", "off", "off"), ("digit", " ")]
    notes.clear()
    actuator.hold(OPEN)
    assert notes == []
    actuator.hold(SHUT)
    actuator.tighten(OPEN)
    assert notes == []


def test_a_number_is_not_shown_ahead() -> None:
    actuator, notes, _ = rig()
    actuator.hold(OPEN)
    notes.clear()
    actuator.tighten(SHOWN)
    assert notes == []
    actuator.hold(SHOWN)
    assert notes == [("digit", "5")]


def test_all_is_locked_before_the_first_state_and_after_a_failure() -> None:
    actuator, notes, _ = rig()
    actuator.lock_all()
    assert notes[:3] == [("shoe", "locked"), ("lamps", "on", "off", "off"), ("digit", " ")]
    actuator.hold(OPEN)
    notes.clear()
    actuator.lock_all()
    assert ("shoe", "locked") in notes
    assert ("digit", " ") in notes


LAMPS = ("off", "on", "blink")


@pytest.mark.parametrize(("held", "ahead"), [*itertools.product(LAMPS, LAMPS)])
def test_stricter_never_puts_red_out_nor_green_on(held: str, ahead: str) -> None:
    both = stricter(
        Levels(red=held, green=held, locked=frozenset()),
        Levels(red=ahead, green=ahead, locked=frozenset({"shoe"})),
    )
    assert (both.red == "off") == (held == ahead == "off")
    assert (both.green == "off") == ("off" in (held, ahead))
    assert both.locked == {"shoe"}


def test_a_draw_is_asked_for_once() -> None:
    actuator, _, source = rig()
    actuator.perform(DrawNumber("E1", 4))
    actuator.perform(CancelTimer("E2", "idle"))
    actuator.draw(4)
    actuator.draw(5)
    assert source.asked == [4, 5]


def test_a_table_without_panel_and_generator_holds_its_devices() -> None:
    notes: Notes = []
    actuator = Actuator(None, {"shoe": NotedDevice("shoe", notes)}, None)
    actuator.hold(OPEN)
    actuator.perform(DrawNumber("E1", 1))
    assert notes == [("shoe", "unlocked")]
