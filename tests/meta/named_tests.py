"""The tests that a page names for each of its rows, as `file.py::test_name` below `tests/`."""

import ast
import re
from pathlib import Path

from tests.meta.sources import ROOT, tree_of

NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def wrong_names(row: str) -> str | None:
    """What is wrong with the tests that a row names; None where there are some and all exist."""
    found = NAMED.findall(row)
    if not found:
        return "no test stands against it"
    for name, function in found:
        file = Path("tests") / name
        if not (ROOT / file).is_file():
            return f"{file} is gone"
        functions = {
            node.name
            for node in ast.walk(tree_of(file))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        if function not in functions:
            return f"{file} has no {function}"
    return None
