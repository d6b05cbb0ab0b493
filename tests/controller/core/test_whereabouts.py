"""Cards move and are counted; none comes, none goes, and what nobody knows is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.whereabouts import EVERYWHERE, IN_SIGHT, Place, Whereabouts

PLACES = st.sampled_from(EVERYWHERE)
COUNTS = st.integers(0, 60)
MOVES = st.tuples(
    st.just("moved"), st.lists(PLACES, min_size=1, max_size=3, unique=True), PLACES,
    st.none() | COUNTS,
)  # fmt: skip
STATED = st.tuples(st.just("counted"), PLACES, COUNTS)


@given(st.lists(MOVES | STATED, max_size=30))
def test_whatever_moves_and_is_counted_the_sum_stays(steps: list[tuple[object, ...]]) -> None:
    cards = Whereabouts(table=53)
    for verb, *rest in steps:
        if verb == "moved":
            sources, to, count = rest
            cards = cards.moved(tuple(sources), to, count)  # type: ignore[arg-type]
        else:
            place, count = rest
            cards = cards.counted(place, count)  # type: ignore[arg-type]
        assert cards.total == 53
        assert all(cards.at(place) >= 0 for place in EVERYWHERE)


@pytest.mark.parametrize(("count", "lacking", "left"), [(3, 0, 0), (4, 1, 0), (0, 0, 3)])
def test_no_more_cards_leave_a_place_than_lie_there(count: int, lacking: int, left: int) -> None:
    cards = Whereabouts(shoe=3, hands=50)
    assert cards.lacking(("shoe",), count) == lacking
    after = cards.moved(("shoe",), "hands", count)
    assert (after.shoe, after.total) == (left, 53)


def test_what_a_place_lacks_comes_from_the_unknown() -> None:
    cards = Whereabouts(shoe=3, unknown=4, hands=46)
    assert cards.lacking(("shoe",), 5) == 0
    assert cards.moved(("shoe",), "hands", 5) == Whereabouts(unknown=2, hands=51)


def test_cards_leave_the_first_place_named_first() -> None:
    cards = Whereabouts(layout=5, shoe=48)
    assert cards.moved(("layout", "shoe"), "hands", 7) == Whereabouts(shoe=46, hands=7)


def test_gathered_cards_are_one_heap_and_the_unknown_is_among_them() -> None:
    cards = Whereabouts(shoe=3, unknown=4, hands=40, rack=4, shuffler=2)
    assert cards.moved(IN_SIGHT, "table") == Whereabouts(table=51, shuffler=2)


@pytest.mark.parametrize(
    ("count", "fits", "there", "unknown"),
    [(9, False, 9, 4), (10, True, 10, 3), (13, True, 13, 0), (14, False, 13, 0)],
)
def test_a_count_fits_between_what_is_known_and_what_may_be(
    count: int, fits: bool, there: int, unknown: int
) -> None:
    cards = Whereabouts(stub=10, unknown=3, hands=40)
    assert cards.can_hold("stub", count) is fits
    after = cards.counted("stub", count)
    assert (after.stub, after.unknown, after.total) == (there, unknown, 53)


def test_the_unknown_itself_can_be_moved_to_and_from() -> None:
    cards = Whereabouts(shoe=53)
    places: tuple[Place, ...] = ("shoe",)
    lost = cards.moved(places, "unknown")
    assert lost == Whereabouts(unknown=53)
    assert lost.moved(("unknown",), "stack") == Whereabouts(stack=53)
