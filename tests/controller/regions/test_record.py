"""No record, no deal, and only a person lets play go on: `controller.regions.record`."""

import pytest

from controller.core.recording import Checkpoint
from controller.regions.record import CODE
from tests.play import Play

STATEMENT = {
    "journal": "j", "table": "t", "sequence": 5, "hash": "0" * 64, "inputs": 9, "effects": 1,
    "inputdigest": "1" * 64, "at": "2026-01-05T18:00:02.000Z", "key": "ab", "signature": "cd",
}  # fmt: skip


def test_no_record_no_deal_until_a_person_says_so() -> None:
    play = Play().ready()
    play.do("system", "storage", free_bytes=0, writable=False)
    play.refused("dealer", "no_more_bets", seats=[1])
    assert play.outputs.device_locks["shoe"]
    # Nobody can let go on what still cannot be recorded.
    play.refused("floorperson", "resume", reason="r")
    play.refused("floorperson", "decide", hold=play.hold, choice="resume", reason="r")
    play.do("system", "storage", free_bytes=1, writable=True)
    play.refused("dealer", "no_more_bets", seats=[1])
    play.floor("resume", reason="r")
    play.bets(1)


def test_storage_that_is_told_of_twice_asks_once() -> None:
    play = Play().ready()
    for _ in range(2):
        play.do("system", "storage", free_bytes=0, writable=False)
    assert [one.code for one in play.state.holds] == [CODE]


@pytest.mark.parametrize("code", ["full", "gone", "in_use", "foreign", "corrupt"])
def test_a_record_that_was_not_written_in_time_holds_a_round(code: str) -> None:
    play = Play().ready().bets(1)
    play.do("system", "unrecorded", code=code, reason="disk", lasted_ms=5)
    assert play.last("journal.trouble")["lasted_ms"] == 5
    assert play.last("alarm.raised")["severity"] == 4
    assert play.last("floor.decision_required")["choices"] == ["resume", "void"]
    play.refused("dealer", "raises_closed")
    play.floor("void", reason="r")


def test_a_slow_disk_is_an_alarm_and_no_hold() -> None:
    play = Play().ready()
    play.do("system", "unrecorded", code="slow", reason="7 s", lasted_ms=7_000)
    assert play.last("alarm.raised")["code"] == "storage_slow"
    play.bets(1)


def test_a_room_that_fills_is_an_alarm_while_it_lasts_and_no_hold() -> None:
    play = Play().ready()
    play.do("system", "record_filling")
    assert not play.of("alarm.raised")
    play.do("system", "record_filling", percent=80)
    assert play.last("alarm.raised")["code"] == "record_filling"
    assert play.last("alarm.raised")["severity"] == 3
    play.bets(1)
    play.floor("acknowledge", alarm="A1")
    # Nearer to the end a person is needed again.
    play.do("system", "record_filling", percent=95)
    assert play.last("alarm.raised")["alarm"] == "A2"
    play.do("system", "record_filling")
    play.floor("acknowledge", alarm="A2")
    assert play.outputs.alarms == {}


def test_a_closed_table_does_not_open_before_a_person_says_so() -> None:
    play = Play()
    play.do("system", "unrecorded", code="full", reason="disk")
    play.refused("floorperson", "open")
    play.floor("resume", reason="r")
    play.floor("open")


def test_a_state_of_other_software_waits_for_a_person() -> None:
    play = Play().ready()
    play.do("system", "taken_over", program="p", state="s", reason="input 7 differs")
    assert play.last("journal.taken_over")["program"] == "p"
    play.refused("dealer", "no_more_bets", seats=[1])
    play.floor("resume", reason="r")
    play.bets(1)


def test_a_checkpoint_is_an_event_with_the_statement_as_it_was_signed() -> None:
    play = Play()
    play.do("system", "checkpoint", checkpoint=STATEMENT, public_key="ef")
    said = play.last("journal.checkpoint")
    assert (said["checkpoint"], said["public_key"]) == (STATEMENT, "ef")
    assert set(STATEMENT) == set(Checkpoint.__dataclass_fields__)
