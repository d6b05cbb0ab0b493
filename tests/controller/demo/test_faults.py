"""Demands are met in order, with their paragraph; every fault is one that can happen."""

from __future__ import annotations

import pytest

from controller.core.events import CATALOGUE
from controller.demo.demands import Demand, event, unmet
from controller.demo.faults import (
    FAULTS,
    OF_THE_BENCH,
    OF_THE_BROKER,
    OF_THE_DISK,
)
from hal.sim.faults import faults_of

VOID = {
    "type": "round.voided",
    "rule": "58 Pa. Code § 687a.13(f)",
    "data": {"code": "shoe_failed", "round": 2},
}
FAULT = {"type": "device.fault", "data": {"device": "shoe"}}


def test_a_demand_is_met_by_type_paragraph_and_members() -> None:
    assert event("round.voided", "687a.13(f)", code="shoe_failed").is_met_by(VOID)
    assert event("round.voided").is_met_by(VOID)


@pytest.mark.parametrize(
    "demand",
    [
        event("round.completed"),
        event("round.voided", "687a.13(c)"),
        event("round.voided", code="wrong_count"),
        event("round.voided", missing=None, code="other"),
    ],
)
def test_a_demand_is_not_met_by_another_event(demand: Demand) -> None:
    assert not demand.is_met_by(VOID)
    assert not demand.is_met_by({"type": demand.kind, "data": None})


def test_demands_are_met_in_order_and_others_may_stand_between() -> None:
    demands = (event("device.fault"), event("round.voided"))
    assert unmet(demands, [FAULT, FAULT, VOID]) is None
    assert unmet(demands, [VOID, FAULT]) == demands[1]
    assert unmet(demands, []) == demands[0]
    assert unmet((), []) is None


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_can_happen_and_demands_events_that_exist(name: str) -> None:
    fault = FAULTS[name]
    assert all(name in faults_of(device) for device in fault.devices)
    assert fault.devices or name in (
        *OF_THE_BENCH, *OF_THE_BROKER, *OF_THE_DISK, "power-cut",
    )  # fmt: skip
    for game in fault.games:
        kinds = {one.kind for one in fault.demanded(game)} | set(fault.forbidden)
        assert kinds, "a fault that nothing shows is no fault"
        assert kinds <= CATALOGUE.keys()


def test_the_menu_is_that_of_the_interfaces() -> None:
    """Section 5 names them for demo and sim alike; panel, broker, disk and supply the demo has."""
    of_devices = {*faults_of("shuffler"), *faults_of("shoe")}
    assert set(FAULTS) == {
        *of_devices, *OF_THE_BENCH, *OF_THE_BROKER, *OF_THE_DISK, "power-cut",
    }  # fmt: skip
