"""Whose signature counts: the pinned key, or the first that was seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.journal.record import Chain
from controller.journal.seal import Sealer
from controller.recorder.keys import KEYS_MAX, Key, KeyRing, Statement, Unsigned, key_name


@pytest.fixture
def sealer(tmp_path: Path) -> Sealer:
    return Sealer.from_file(tmp_path / "seal.key")


def statement(sealer: Sealer, table: str = "T1") -> dict[str, object]:
    signed = sealer.checkpoint(Chain("j", table, sequence=7, prevhash="a" * 64), 0)
    return {"checkpoint": json.loads(signed), "public_key": sealer.public_key.hex()}


def test_the_first_key_is_noted_and_holds(sealer: Sealer, tmp_path: Path) -> None:
    ring = KeyRing({})
    assert ring.check("T1", statement(sealer)) == Statement("j", 7, "a" * 64)
    assert [key.trust for key in ring.take_fresh()] == ["first use"]
    other = Sealer.from_file(tmp_path / "other.key")
    with pytest.raises(Unsigned, match="not with") as caught:
        ring.check("T1", statement(other))
    assert caught.value.kind == "unknown_key"
    assert ring.take_fresh() == []


def test_a_pinned_key_is_stronger_than_one_of_first_use(sealer: Sealer, tmp_path: Path) -> None:
    other = Sealer.from_file(tmp_path / "other.key")
    ring = KeyRing({"T1": sealer.public_key})
    ring.restore([Key("T1", other.key_id, other.public_key.hex(), "first use")])
    assert ring.check("T1", statement(sealer)).sequence == 7
    assert [key.trust for key in ring.take_fresh()] == ["pinned"]
    with pytest.raises(Unsigned):
        ring.check("T1", statement(other))


def test_a_changed_statement_does_not_verify(sealer: Sealer) -> None:
    for first in (True, False):
        ring = KeyRing({} if first else {"T1": sealer.public_key})
        data = statement(sealer)
        checkpoint = data["checkpoint"]
        assert isinstance(checkpoint, dict)
        checkpoint["sequence"] = 8
        with pytest.raises(Unsigned, match="does not verify"):
            ring.check("T1", data)
        assert [key.trust for key in ring.take_fresh()] == ([] if first else ["pinned"])


@pytest.mark.parametrize("data", [{}, {"checkpoint": {}}, {"checkpoint": {}, "public_key": "zz"}])
def test_what_states_nothing_is_unsigned(data: dict[str, object]) -> None:
    with pytest.raises(Unsigned):
        KeyRing({}).check("T1", data)


def test_another_tables_statement_does_not_count(sealer: Sealer) -> None:
    with pytest.raises(Unsigned, match="something else"):
        KeyRing({}).check("T2", statement(sealer))


def test_the_name_is_that_of_the_journal(sealer: Sealer) -> None:
    assert key_name(sealer.public_key) == sealer.key_id
    assert KEYS_MAX > 300
