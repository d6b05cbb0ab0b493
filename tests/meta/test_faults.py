"""Each fault of docs/faults.md has its test, and the test is there."""

import re

import pytest

from tests.meta.named_tests import wrong_names
from tests.meta.sources import ROOT

PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([MSGT]\d\d) \|.*$", re.MULTILINE)
ROWS = {found[1]: found[0] for found in ROW.finditer(PAGE)}
# The faults that were collected, by kind; the missing numbers were set aside when they were.
FAULTS = (
    *(f"M{n:02}" for n in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 20)),
    *(f"S{n:02}" for n in (1, 2, 3, 5, 6, 7, 8, 10, 11)),
    *(f"G{n:02}" for n in (1, 2, 4, 5)),
    *(f"T{n:02}" for n in range(1, 11)),
)


def test_every_fault_has_its_row() -> None:
    assert tuple(ROWS) == FAULTS


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_tests_that_exist(fault: str) -> None:
    wrong = wrong_names(ROWS[fault])
    assert wrong is None, f"{fault}: {wrong}"
