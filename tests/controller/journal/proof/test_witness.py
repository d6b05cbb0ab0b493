"""What a witness knows is compared in order, whatever it lacks."""

from __future__ import annotations

import pytest

from controller.journal.proof.report import Wrong
from controller.journal.proof.witness import Known, Witness


def knows(*sequences: int, journal: str = "j", hashed: str = "h") -> list[Known]:
    return [Known(journal, "T-1", one, f"{hashed}{one}") for one in sequences]


def test_what_both_know_the_same_agrees_to_the_last() -> None:
    witness = Witness()
    assert witness.add(knows(2, 3, 5), "room") == 3
    testimony = witness.about("j", "T-1", 1)
    for sequence in range(1, 8):
        testimony.hear(sequence, f"h{sequence}")
    testimony.end(7)
    assert testimony.agreed == 5
    witness.close()


def test_it_is_told_where_a_record_differs_and_up_to_where_both_agree() -> None:
    witness = Witness()
    witness.add(knows(2, 4), "room")
    testimony = witness.about("j", "T-1", 1)
    testimony.hear(2, "h2")
    testimony.hear(3, "x")
    with pytest.raises(Wrong, match=r"event 4: fork: .* room knows .* agree up to event 2"):
        testimony.hear(4, "x")


def test_a_record_that_ends_too_early_is_told_the_newest_that_is_known() -> None:
    witness = Witness()
    witness.add(knows(4, 9, 7), "room")
    testimony = witness.about("j", "T-1", 1)
    testimony.hear(4, "h4")
    with pytest.raises(Wrong, match=r"event 5: truncated: .* ends at event 4.* event 9"):
        testimony.end(4)


def test_what_is_older_than_a_pruned_record_is_passed_over() -> None:
    witness = Witness()
    witness.add(knows(1, 2, 3), "room")
    testimony = witness.about("j", "T-1", 3)
    testimony.hear(3, "h3")
    testimony.end(3)


def test_two_witnesses_who_contradict_each_other_are_told_apart() -> None:
    witness = Witness()
    witness.add(knows(1, 2), "room")
    assert witness.add(knows(2, 2), "pit") == 2
    with pytest.raises(Wrong, match=r"night: event 2: fork: .* h2 in room"):
        witness.add(knows(2, hashed="x"), "night")


def test_a_journal_that_it_does_not_know_is_foreign() -> None:
    witness = Witness()
    witness.add(knows(1), "room")
    with pytest.raises(Wrong, match="foreign: is journal k; the witness knows journal j of"):
        witness.about("k", "T-1", 1)
    with pytest.raises(Wrong, match="foreign: is journal k; the witness knows no record of"):
        witness.about("k", "T-2", 1)
