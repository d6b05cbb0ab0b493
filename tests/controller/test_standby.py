"""What a table that cannot begin its record says of it; its life is in tests/system."""

from __future__ import annotations

import pytest

from controller.core.recording import Unrecorded
from controller.journal.answer import Answer
from controller.journal.replay import Difference, Diverged
from controller.journal.trouble import CorruptJournal, ForeignJournal, StorageFull, StorageGone
from controller.standby import NoJournal, ShutDoor, unrecorded_of


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (StorageFull("j", "x" * 500), "full"),
        (StorageGone("j", "no disk"), "gone"),
        (ForeignJournal("j", "of another"), "foreign"),
        (CorruptJournal("j", "torn"), "corrupt"),
        (Diverged(Difference("input 3", b"a", b"b" * 900)), "corrupt"),
    ],
)
def test_each_trouble_has_its_code_and_a_bounded_reason(
    trouble: StorageFull | Diverged, code: str
) -> None:
    said = unrecorded_of(trouble)
    assert isinstance(said, Unrecorded)
    assert said.code == code
    assert 0 < len(said.reason) <= 200


def test_a_command_to_a_shut_door_may_be_sent_again() -> None:
    told: list[Answer] = []
    door = ShutDoor()
    door.offer_item("system", object())
    assert not door.offer_command("floorperson", "ann", object(), "c1", told.append)
    assert told[0].result == "busy"


async def test_where_there_is_no_journal_nothing_was_heard_and_nothing_is_to_be_sent() -> None:
    journal = NoJournal()
    await journal.set_cursor("broker", 7)
    assert (journal.cursor("broker"), await journal.events_after(0)) == (0, [])
