"""Sizes that a reader can hold in the head (style page, "Shape")."""

from pathlib import Path

import pytest

from tests.meta.sources import PACKAGES, functions, python_files, text_of

line_characters_max = 100
function_lines_max = 50
function_lines_stop = 70
file_lines_max = 300
file_lines_stop = 400
# The limits below the hard stops are for nearly all: one in twenty may have a reason to exceed.
share_above_max = 0.05

PRODUCT = python_files(*PACKAGES)
ALL = python_files(*PACKAGES, "tests")

# Files that are one list, where a split would hide what belongs together; each with its reason.
LISTS = {
    Path("controller/core/inputs.py"): "the inputs of interfaces.md section 2, one class each",
}


@pytest.mark.parametrize("file", ALL, ids=str)
def test_a_file_fits(file: Path) -> None:
    lines = text_of(file).splitlines()
    long = [n for n, line in enumerate(lines, start=1) if len(line) > line_characters_max]
    assert not long, f"{file}:{long[0]}: longer than {line_characters_max} characters"
    if file not in LISTS:
        assert len(lines) <= file_lines_stop, f"{file}: {len(lines)} lines; split it by noun"


@pytest.mark.parametrize("file", ALL, ids=str)
def test_its_functions_fit(file: Path) -> None:
    long = [f for f in functions(file) if f.lines > function_lines_stop]
    told = [f"{f.file}:{f.line}: {f.name} has {f.lines} lines" for f in long]
    assert not told, "; ".join(told) + f"; the hard stop is {function_lines_stop}"


def test_nearly_all_files_and_functions_stay_below_the_stops() -> None:
    files = [f"{f}: {n}" for f in PRODUCT if (n := text_of(f).count("\n")) > file_lines_max]
    every = [function for file in PRODUCT for function in functions(file)]
    long = [f"{f.file}:{f.line} {f.name}: {f.lines}" for f in every if f.lines > function_lines_max]
    assert len(files) <= share_above_max * len(PRODUCT), files
    assert len(long) <= share_above_max * len(every), long


def test_a_list_that_may_be_long_is_still_there() -> None:
    assert all(file in PRODUCT for file in LISTS)
