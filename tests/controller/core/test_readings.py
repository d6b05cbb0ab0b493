"""Readings of a profile: the usual word where it is silent, its own where it speaks."""

from __future__ import annotations

import pytest

from config.profiles import profile_document
from controller.core.profile import ProfileError, profile_of
from controller.core.readings import WORDS, Readings


def test_a_silent_profile_takes_the_first_word_of_every_question() -> None:
    assert {name: Readings().taken(name) for name in WORDS} == {
        name: words[0] for name, words in WORDS.items()
    }


def test_a_profile_that_names_a_word_takes_it() -> None:
    assert _with("exposed_draw", "use_next").taken("exposed_draw") == "use_next"


def test_a_word_that_a_question_does_not_know_is_a_mistake_of_the_profile() -> None:
    with pytest.raises(ProfileError, match=r"readings\.dealer_count\.value: is void or hold"):
        _with("dealer_count", "ignore")


def test_an_unknown_question_is_a_mistake_of_the_profile() -> None:
    with pytest.raises(ProfileError, match=r"readings\.weather: unknown key"):
        _with("weather", "fair")


def _with(name: str, word: str) -> Readings:
    document, _ = profile_document("dj-wild")
    leaf = {"value": word, "cite": "687a.13", "verified": True, "source": "test"}
    return profile_of({**document, "readings": {name: leaf}}).readings
