"""The cases of `tests/scenarios` through real bytes, pins, daemon and broker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.broker_address import BrokerAddress
from tests.hil.bench import Figures, broker_for, play_case
from tests.hil.sentences import Script, scripts
from tests.hil.unsayable import why_not
from tests.hil.virtual import Nursery, VirtualRig

SCRIPTS = scripts()
PLAYABLE = {name: script for name, script in SCRIPTS.items() if why_not(script) is None}


def kinds_of(script: Script) -> set[tuple[str, str]]:
    """Every sort of frame, press and cut that is in it; what people say goes one way, by role."""
    return {
        (sentence.source, sentence.kind if sentence.by is None else "")
        for sentence in script.sentences
    }


def few() -> set[str]:
    """So many that each sort of sentence is said, the richest of the rest each time."""
    wanted = set(itertools.chain(*map(kinds_of, PLAYABLE.values())))
    chosen: set[str] = set()
    while wanted:
        best = max(PLAYABLE, key=lambda name: len(kinds_of(PLAYABLE[name]) & wanted))
        chosen.add(best)
        wanted -= kinds_of(PLAYABLE[best])
    return chosen


FEW = few()
# Of 283. More would mean that something that a rig could say was given up.
NOT_SAID_MAX = 17


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    one = Nursery()
    yield one
    one.close()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerAddress]:
    with broker_for(tmp_path_factory.mktemp("broker")) as address:
        yield address


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in FEW else pytest.mark.heavy) for name in PLAYABLE],
)
async def test_the_case_ends_on_the_rig_as_its_file_says(
    name: str, tmp_path: Path, nursery: Nursery, broker: BrokerAddress
) -> None:
    script = PLAYABLE[name]
    table = f"t-{list(PLAYABLE).index(name)}"

    def make() -> VirtualRig:
        return VirtualRig(tmp_path, script, broker, nursery, table)

    player = await play_case(script, make, Figures())
    assert not player.differences, "the rules alone gave other events"


def test_the_cases_of_the_common_run_have_every_sort_of_sentence() -> None:
    said = set(itertools.chain(*(kinds_of(PLAYABLE[name]) for name in FEW)))
    assert said == set(itertools.chain(*map(kinds_of, PLAYABLE.values())))


def test_what_no_rig_can_say_is_counted_and_has_a_place_where_it_is_tried() -> None:
    reasons = [why for script in SCRIPTS.values() if (why := why_not(script)) is not None]
    assert len(reasons) + len(PLAYABLE) == len(SCRIPTS)
    assert len(reasons) <= NOT_SAID_MAX
    for why in set(reasons):
        named = [word.strip(",") for word in why.split() if word.startswith("tests/")]
        assert named, why
        assert all(Path(name).exists() for name in named), why
