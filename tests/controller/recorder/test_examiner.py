"""What is kept, what is compared, what is an alarm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.journal.record import Chain, seal
from controller.journal.seal import Sealer
from controller.recorder import examiner as module
from controller.recorder.archive import Check, Loaded
from controller.recorder.examiner import Examiner
from controller.recorder.keys import KeyRing
from tests.controller.recorder.chains import bodies


def fresh() -> Examiner:
    return Examiner(KeyRing({}), Loaded([], [], [], 0))


def kinds(one: Examiner) -> list[str]:
    return [finding.kind for finding in one.findings.open]


def fed(one: Examiner, payloads: list[bytes], table: str = "T1") -> None:
    for payload in payloads:
        one.take_event(table, payload, 0)


def test_a_batch_has_the_records_and_where_the_row_stands() -> None:
    one = fresh()
    fed(one, bodies(3))
    batch = one.take_batch(5)
    assert [record.sequence for record in batch.records] == [1, 2, 3]
    assert (batch.heads["j"].reached, batch.received_ms) == (3, 5)
    assert not one.has_work


def test_a_copy_that_has_less_than_was_confirmed_says_so_once() -> None:
    one = fresh()
    fed(one, bodies(3))
    for confirmed in (0, 2, 3):
        one.remember("T1", "j", confirmed, 0)
    one.remember("T1", "other", 9, 0)
    one.remember("T2", "j", 9, 0)
    assert kinds(one) == []
    for _ in range(2):
        one.remember("T1", "j", 4, 0)
    (finding,) = one.findings.open
    assert (finding.kind, finding.severity, finding.sequence) == ("forgotten", 4, 4)
    assert "holds event 4; this copy holds 3" in finding.text
    # The record itself is not in doubt: what is missing is asked for as ever.
    assert not one.followers["j"].disputed


def test_a_repeat_is_compared_by_the_archive_and_a_difference_is_a_fork() -> None:
    one = fresh()
    fed(one, [*bodies(3), bodies(3)[1]])
    check = one.take_batch(0).checks[0]
    assert check.sequence == 2
    one.differing([check], 0)
    assert kinds(one) == ["fork"]
    fed(one, bodies(4))
    batch = one.take_batch(0)
    assert [record.sequence for record in batch.beside] == [4]
    assert (batch.records, batch.heads["j"].disputed) == ([], True)


def test_a_broken_link_is_kept_beside_the_record() -> None:
    one = fresh()
    fed(one, bodies(2))
    fed(one, bodies(1, prevhash="f" * 64, start=3))
    assert kinds(one) == ["broken_chain"]
    assert [record.sequence for record in one.take_batch(0).beside] == [3]


def test_damage_on_the_way_is_an_alarm_and_the_true_record_still_comes_in() -> None:
    one, true = fresh(), bodies(2)
    fed(one, [true[0], true[1].replace(b'"n":2', b'"n":3'), true[1]])
    assert kinds(one) == ["bad_record"]
    assert one.take_batch(0).heads["j"].reached == 2


def test_another_journal_is_an_alarm_and_is_recorded() -> None:
    one = fresh()
    fed(one, bodies(1))
    fed(one, bodies(2, journal="k"))
    assert kinds(one) == ["journal_changed"]
    assert one.current["T1"] == "k"
    assert one.take_batch(0).heads["k"].reached == 2
    one.announce("T1", "j", 1, 0)
    assert one.current["T1"] == "j"


def test_a_journal_belongs_to_one_table() -> None:
    one = fresh()
    fed(one, bodies(1))
    fed(one, bodies(1, table="T2"), "T2")
    one.announce("T3", "j", 4, 0)
    assert kinds(one) == ["bad_record", "bad_record"]
    assert one.current == {"T1": "j"}


def test_an_idle_tables_word_alone_shows_what_is_missing() -> None:
    one = fresh()
    one.announce("T1", "j", 9, 0)
    assert one.followers["j"].gap() == (1, 9)


def test_what_no_table_has_any_more_is_an_alarm_unless_the_room_is_new() -> None:
    new, known = fresh(), fresh()
    fed(new, bodies(5)[3:])
    new.pass_over(new.followers["j"], 4, 0)
    assert kinds(new) == []
    fed(known, [bodies(5)[0], *bodies(5)[3:]])
    known.pass_over(known.followers["j"], 4, 0)
    assert kinds(known) == ["lost"]
    batch = known.take_batch(0)
    assert (batch.holes, batch.heads["j"].reached) == ([("j", 2, 3)], 5)


def test_one_journal_too_many_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JOURNALS_MAX", 1)
    one = fresh()
    fed(one, bodies(1))
    fed(one, bodies(1, journal="k"))
    assert list(one.followers) == ["j"]


def test_a_checkpoint_is_compared_with_what_is_held(tmp_path: Path) -> None:
    sealer = Sealer.from_file(tmp_path / "key")
    chain = Chain("j", "T1")
    payloads = []
    for number in (1, 2):
        statement = json.loads(sealer.checkpoint(chain, 0))
        data = {"checkpoint": statement, "public_key": sealer.public_key.hex()}
        arrived = Arrived(number, 0, 0, 1, True, "system", None, Open())
        turn = seal(chain, arrived, (Event("journal.checkpoint", data),), ())
        chain = turn.chain
        payloads += [event.body for event in turn.events]
    one = fresh()
    fed(one, payloads)
    batch = one.take_batch(0)
    assert kinds(one) == []
    assert [(check.sequence, check.record) for check in batch.checks] == [(1, None)]
    assert [key.trust for key in batch.keys] == ["first use"]
    one.differing([Check("j", 1, "f" * 64)], 0)
    assert kinds(one) == ["fork"]
