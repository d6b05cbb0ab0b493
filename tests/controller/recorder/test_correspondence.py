"""One letter a table and second, repeated where it may not have come through."""

from __future__ import annotations

import json

import pytest

from controller.messages import Outgoing
from controller.recorder.archive import Loaded
from controller.recorder.correspondence import REFUSED_MS, Correspondence
from controller.recorder.examiner import Examiner
from controller.recorder.inquiries import ANSWER_S, STILL_S
from controller.recorder.keys import KeyRing
from controller.room_copy import BEYOND, DIFFERS, OTHER_JOURNAL
from tests.controller.recorder.chains import bodies


def there(table: str) -> bool:
    return table == "T1"


class Room:
    """An examiner that holds events 1 to 3 of T1, durably, and its letters."""

    def __init__(self) -> None:
        self.examiner = Examiner(KeyRing({}), Loaded([], [], [], 0))
        self.letters = Correspondence("tables", "eye-1", self.examiner)
        self.hold(*bodies(3))

    def hold(self, *payloads: bytes) -> None:
        for payload in payloads:
            self.examiner.take_event("T1", payload, 0)
        for head in self.examiner.take_batch(0).heads.values():
            self.letters.holds(head)

    def confirmations(self, now_ms: int = 0) -> list[dict[str, object]]:
        return [json.loads(one.payload) for one in self.letters.confirmations(there, now_ms)]

    def answer(self, letter: dict[str, object], **members: object) -> None:
        self.letters.answered(json.dumps({"id": letter["id"], **members}).encode(), 0)

    @property
    def kinds(self) -> list[str]:
        return [finding.kind for finding in self.examiner.findings.open]


def test_a_table_is_told_once_up_to_where_the_room_holds_its_record() -> None:
    room = Room()
    (told,) = room.confirmations()
    assert (told["journal"], told["sequence"]) == ("j", 3)
    assert room.confirmations() == []
    room.hold(*bodies(4)[3:])
    assert [one["sequence"] for one in room.confirmations()] == [4]


def test_it_is_told_again_where_the_word_may_have_been_lost() -> None:
    room = Room()
    room.confirmations()
    room.letters.table_knows("T1", 3)
    assert room.confirmations() == []
    room.letters.table_knows("T1", 2)
    assert len(room.confirmations()) == 1
    room.letters.table_is_back("T1")
    assert len(room.confirmations()) == 1
    room.letters.begin_anew()
    assert len(room.confirmations()) == 1


def test_of_some_tables_no_other_is_told_or_asked() -> None:
    room = Room()
    room.hold(*bodies(6)[5:])
    for now_s in (0.0, STILL_S):
        assert room.letters.requests(there, now_s, 0, ["T2", "T3"]) == []
    assert room.letters.confirmations(there, 0, ["T2"]) == []
    room.letters.requests(there, 0.0, 0, ["T2", "T1"])
    assert len(room.letters.requests(there, STILL_S, 0, ["T1"])) == 1
    assert len(room.letters.confirmations(there, 0, ["T2", "T1"])) == 1


def test_a_table_that_is_away_or_disputed_is_told_nothing() -> None:
    room = Room()
    assert room.letters.confirmations(lambda _: False, 0) == []
    room.examiner.dispute("j", "differs", 3, "x", 0)
    room.hold()
    assert room.confirmations() == []


@pytest.mark.parametrize(
    ("rule", "kinds"),
    [(DIFFERS, ["differs"]), (BEYOND, ["rolled_back"]), (OTHER_JOURNAL, []), (None, ["refused"])],
)
def test_what_the_table_answers_is_understood(rule: str | None, kinds: list[str]) -> None:
    room = Room()
    (told,) = room.confirmations()
    room.answer(told, result="refused", rule=rule, reason="x")
    assert room.kinds == kinds
    room.answer(told, result="refused", rule=DIFFERS, reason="said twice")
    assert room.kinds == kinds


def test_a_table_that_takes_the_commands_again_ends_the_alarm() -> None:
    room = Room()
    (told,) = room.confirmations()
    room.answer(told, result="refused", rule=None, reason="not in the roster")
    room.hold(*bodies(4)[3:])
    room.letters.begin_anew()
    assert room.confirmations(REFUSED_MS - 1) == []
    (told,) = room.confirmations(REFUSED_MS)
    room.answer(told, result="accepted", sequences=[])
    assert room.kinds == []


def test_two_lives_never_share_an_id() -> None:
    ids = {str(Room().confirmations()[0]["id"]) for _ in range(3)}
    assert len(ids) == 3
    assert all(len(one) <= 64 for one in ids)


def test_a_gap_is_asked_for_becomes_an_alarm_and_is_over_when_it_is_filled() -> None:
    room, asked = Room(), list[Outgoing]()
    room.hold(*bodies(6)[5:])
    for now_s in (0.0, STILL_S, STILL_S + ANSWER_S, STILL_S + ANSWER_S + 1):
        asked += room.letters.requests(there, now_s, 0)
    assert [json.loads(one.payload)["first"] for one in asked] == [4, 4]
    assert room.kinds == ["gap"]
    room.hold(*bodies(5)[3:])
    room.letters.requests(there, 99, 0)
    assert room.kinds == []


def test_what_the_table_no_longer_has_is_passed_over() -> None:
    room = Room()
    room.hold(*bodies(7)[5:])
    now_s = 0.0
    for _ in range(4):
        if room.letters.requests(there, now_s, 0):
            room.letters.inquiries.heard("j", 6, now_s)
        now_s += STILL_S
    room.letters.requests(there, now_s, 0)
    assert "lost" in room.kinds
    assert room.examiner.followers["j"].reached == 7
