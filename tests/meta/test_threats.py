"""Each threat of docs/threats.md has its test, and the test is there."""

import re

import pytest

from tests.meta.named_tests import wrong_names
from tests.meta.sources import ROOT

PAGE = (ROOT / "docs" / "threats.md").read_text()
# A row of a table with three columns that is neither its head nor its rule.
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.count("|") == 4 and not re.match(r"\| (threat|---)|\|---", line)
]


def test_there_are_rows_to_look_at() -> None:
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:60])
def test_a_threat_names_tests_that_exist(row: str) -> None:
    wrong = wrong_names(row)
    assert wrong is None, f"{row}: {wrong}"
