"""Profiles read strictly; law, machine, seats and stamps: `controller.core`."""

import copy
import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.profiles import games, profile_document
from controller.core.events import Refusal
from controller.core.law import Ask, Lawful, broken
from controller.core.leaves import ProfileError
from controller.core.machine import nothing, row, verdict_of
from controller.core.profile import profile_of
from controller.core.seats import counter_clockwise_from, highest_printed
from controller.core.stamp import BadStamp, milliseconds_of, stamp_of
from controller.core.table import new_state
from controller.core.view import Table
from tests.play import Play


def document() -> dict[str, Any]:
    return copy.deepcopy(profile_document("dj-wild")[0])


@pytest.mark.parametrize("game", games())
def test_every_shipped_profile_is_readable(game: str) -> None:
    assert profile_of(profile_document(game)[0]).id.game == game


@pytest.mark.parametrize(
    ("group", "leaf", "value", "place"),
    [
        ("deal", "stack_cards", {"value": 5}, "deal.stack_cards"),
        ("deal", "stack_cards", 5, "deal.stack_cards"),
        ("deal", "extra", {"value": 5}, "deal.extra"),
        ("deal", "stack_cards",
         {"value": "5", "cite": "c", "verified": True, "source": "s"}, "deal.stack_cards.value"),
        ("deal", "stack_cards",
         {"value": True, "cite": "c", "verified": True, "source": "s"}, "deal.stack_cards.value"),
        ("deal", "stack_cards",
         {"value": 5, "cite": "", "verified": True, "source": "s"}, "deal.stack_cards.cite"),
        ("deal", "stack_cards",
         {"value": 5, "cite": "c", "verified": "yes", "source": "s"}, "deal.stack_cards"),
        ("deal", "methods",
         {"value": "hand", "cite": "c", "verified": True, "source": "s"}, "deal.methods.value"),
        ("id", "chapter", 687, "id.chapter"),
        ("irregularities", "face_up", "void", "irregularities.face_up"),
    ],
)  # fmt: skip
def test_a_leaf_without_its_paragraph_is_not_law(
    group: str, leaf: str, value: object, place: str
) -> None:
    changed = document()
    changed[group][leaf] = value
    with pytest.raises(ProfileError) as error:
        profile_of(changed)
    assert error.value.place == place


def test_a_group_that_is_missing_or_unknown_is_named() -> None:
    for change, place in (("deal", "deal"), ("x", "x")):
        changed = document()
        if change in changed:
            del changed[change]
        else:
            changed[change] = {}
        with pytest.raises(ProfileError) as error:
            profile_of(changed)
        assert error.value.place == place
    with pytest.raises(ProfileError):
        profile_of({**document(), "cards": 3})


def test_a_duty_of_verified_text_refuses_and_one_of_unread_text_asks() -> None:
    read = broken(Lawful(10, "1.2", True, "s"), "too shallow", "w")
    assert read == Refusal("58 Pa. Code § 1.2", "too shallow")
    unread = broken(Lawful(10, "1.2", False, "s"), "too shallow", "w")
    assert unread == Ask("58 Pa. Code § 1.2", "too shallow", "w")


def test_guards_answer_left_to_right_and_a_waived_duty_is_silent() -> None:
    play = Play()
    arrived = play.say("dealer", "done").arrived
    table = Table(play.book, new_state(play.book), arrived)
    ask, refusal = Ask("r", "unread", "w"), Refusal("r", "no")
    one = row(lambda _t, _i: None, lambda _t, _i: ask, lambda _t, _i: refusal, then=nothing)
    assert verdict_of(one, table, None) is ask
    table.put(waived=("w",))
    assert verdict_of(one, table, None) is refusal


def test_rings_and_printed_numbers() -> None:
    assert counter_clockwise_from(3, 7) == (3, 2, 1, 7, 6, 5, 4)
    assert highest_printed((2, 5), "from_dealer_left") == 5
    assert highest_printed((2, 5), "from_dealer_right") == 2


@given(
    st.datetimes(
        min_value=datetime.datetime(1970, 1, 1),  # noqa: DTZ001  # zone is added
        max_value=datetime.datetime(9998, 12, 31),  # noqa: DTZ001  # zone is added
    )
)  # zone is added
def test_a_stamp_gives_its_milliseconds_back(moment: datetime.datetime) -> None:
    at_ms = (moment.replace(tzinfo=datetime.UTC) - datetime.datetime(
        1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(milliseconds=1)  # fmt: skip
    assert milliseconds_of(stamp_of(at_ms)) == at_ms


@pytest.mark.parametrize(
    "text", [None, 5, "", "yesterday", "2026-01-05T18:00:00", "1969-12-31T23:59:59.999Z",
             "9999-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2" * 41],
)  # fmt: skip
def test_what_is_no_time_says_what_would_be(text: object) -> None:
    with pytest.raises(BadStamp, match="2026-01-05"):
        milliseconds_of(text)


def test_another_zone_is_the_same_moment() -> None:
    assert stamp_of(milliseconds_of("2026-01-05T13:00:02-05:00")) == "2026-01-05T18:00:02.000Z"


def test_a_way_of_dealing_changes_its_own_leaves_and_no_others() -> None:
    whole = profile_of(profile_document("dj-wild")[0])
    hand = whole.dealt_by("hand")
    assert hand.deal.first.cite == "687a.9(c)"
    assert hand.deal.methods is whole.deal.methods
    assert hand.stub.bad is not None
    assert not hand.stub.bad.verified
    assert hand.irregularities["face_up"] is whole.irregularities["face_up"]
    assert hand.irregularities["stub_mismatch"].cite == "687a.9(f)"
    assert whole.dealt_by("auto_shoe") is whole


@pytest.mark.parametrize(
    "place", ["method.hand.deal.unknown", "method.hand.unknown", "method.hand.stub.first"]
)
def test_an_unknown_leaf_of_a_way_of_dealing_is_named_with_its_path(place: str) -> None:
    whole = document()
    *groups, name = place.split(".")
    group: Any = whole
    for key in groups:
        group = group[key]
    group[name] = {"value": 1, "cite": "c", "verified": True, "source": "s"}
    with pytest.raises(ProfileError) as caught:
        profile_of(whole)
    assert caught.value.place == place
