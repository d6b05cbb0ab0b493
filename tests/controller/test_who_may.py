"""Each role and each thing that can be stated, as the interfaces' section 2 has them."""

from __future__ import annotations

import json

import pytest

from controller.commands import Moment, Order, Rejection, parse
from controller.core.codec import items_of
from controller.core.inputs import BY_SOURCE, ROLES
from controller.messages import Topics

TOPICS = Topics("tables", "T1")
NOW = Moment(1_767_636_000_000, True)

DEALER_WORDS = """
    sign_in inspected spread washed stacked shuffle_started shuffled player_arrived player_left
    cut_refused cut_made cover_inserted loaded first_card burned no_more_bets shaken dice
    shaker_reset start_marked delivered extra_card raises_closed cover_card_out face_up_card
    drawn_in_error wrong_count revealed stub deck_counted misdeal wagers_returned bonuses_settled
    round_done idle asked_face_up asked_spread covered call_floor done"""
FLOOR_WORDS = """
    open opening_verified preshuffled close order_shuffle order_recut feathered confirm_void
    withdraw declare_unusable return_to_service set_method decide resume void new_deck
    acknowledge"""
DEALER, FLOOR = frozenset(DEALER_WORDS.split()), frozenset(FLOOR_WORDS.split())
READERS = frozenset(("annotate", "replay"))
# What this product added: a recorder confirms what it holds, a code is shown on the panel.
MAY = {
    "dealer": DEALER,
    "floorperson": DEALER | FLOOR,
    "pit_manager": DEALER | FLOOR,
    "shift_manager": DEALER | FLOOR,
    "surveillance": READERS | {"recorded"},
    "technician": READERS | {"show_code"},
    "inspector": READERS | {"show_code"},
}
EVERYTHING = sorted({name for source in BY_SOURCE for name in items_of(source)})


def test_every_role_of_the_product_is_asked_about() -> None:
    assert set(MAY) == set(ROLES)
    assert set().union(*MAY.values()) < set(EVERYTHING)


@pytest.mark.parametrize("role", [*ROLES, "device", "clock", "system", "panel", "shuffler"])
def test_a_role_may_state_what_is_written_for_it_and_nothing_else(role: str) -> None:
    found = set()
    for number, kind in enumerate(EVERYTHING):
        payload = json.dumps({"id": f"c{number}", "issued_at": "2026-01-05T18:00:00.000Z"})
        order = Order(TOPICS.below("commands", "who", kind), payload.encode(), False)
        answer = parse(TOPICS, {"who": role}, order, NOW)
        # Lawful for the role, whatever else is missing of its members.
        foreign = isinstance(answer, Rejection) and (
            "is not something" in answer.reason or "is not in the roster" in answer.reason
        )
        if not foreign:
            found.add(kind)
    assert found == MAY.get(role, frozenset())
