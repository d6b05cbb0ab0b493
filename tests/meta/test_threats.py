"""Each threat of docs/threats.md has its test, and the test is there."""

import ast
import re
from pathlib import Path

import pytest

from tests.meta.sources import ROOT, tree_of

PAGE = (ROOT / "docs" / "threats.md").read_text()
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
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
    found = NAMED.findall(row)
    assert found, f"no test stands against it: {row}"
    for name, function in found:
        file = Path("tests") / name
        assert (ROOT / file).is_file(), f"{file} is gone"
        functions = {
            node.name
            for node in ast.walk(tree_of(file))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert function in functions, f"{file} has no {function}"
