"""An answer read back is the answer that was given."""

from __future__ import annotations

import pytest

from controller.journal.answer import Answer, answer_of_record


@pytest.mark.parametrize(
    "answer",
    [
        Answer("accepted"),
        Answer("accepted", (3, 4)),
        Answer("refused", (), "58 Pa. Code § 687a.13(f)", "not now"),
        Answer("refused", (), None, "unknown"),
    ],
)
def test_an_answer_comes_back(answer: Answer) -> None:
    assert answer_of_record(answer.record()) == answer
