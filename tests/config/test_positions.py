"""The finder agrees with the standard parser on every key, and points at the very character."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.positions import Path, Place, find_positions

NAMES = st.one_of(
    st.text("abcXYZ019_-", min_size=1, max_size=6),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
SCALARS = st.one_of(
    st.integers(-(2**60), 2**60).map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.just("1979-05-27 07:32:00Z"),
    st.just("1e3"),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(
        lambda value: json.dumps(value, ensure_ascii=False)
    ),
    st.text('ab #=[]{},."\\', max_size=6).map(lambda value: f"'{value}'"),
    st.text("ab\n#]=,'", max_size=6).map(lambda value: f'"""{value}"""'),
    st.just('"""two quotes ""\n at the end"""""'),
    st.just("'''it''s'''"),
)


def _key(name: str) -> str:
    bare = name and name.isascii() and all(char.isalnum() or char in "_-" for char in name)
    return name if bare else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> str:
    """One TOML value as text."""
    kind = draw(st.integers(0, 4)) if depth else 0
    if kind == 1:
        items = draw(st.lists(values(depth=depth - 1), max_size=3))
        return "[ " + ", # note ]\n ".join(items) + (" ,]" if items else "]")
    if kind == 2:
        names = draw(st.lists(NAMES, max_size=3, unique=True))
        return (
            "{ " + ", ".join(f"{_key(n)} = {draw(values(depth=depth - 1))}" for n in names) + " }"
        )
    return draw(SCALARS)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A TOML document with headers, arrays of tables, dotted keys, comments and blank lines."""
    lines: list[str] = []
    for number in range(draw(st.integers(0, 5))):
        # The number keeps tables apart, so that most documents are lawful; some still are not.
        own = draw(st.sampled_from(["shared", f"t{number}", f"t{number}"]))
        parts = [*draw(st.lists(NAMES, max_size=2)), own]
        dotted = " . ".join(map(_key, parts))
        shape = draw(st.sampled_from(["[{}]", "[[{}]]", "[ {} ] # [x]"]))
        lines.append(shape.format(dotted))
        for name in draw(st.lists(NAMES, max_size=3, unique=True)):
            tail = draw(st.sampled_from(["", " # c = 1", ".x", "  "]))
            dot = tail if tail == ".x" else ""
            note = "" if dot else tail
            lines.append(f"  {_key(name)}{dot} = {draw(values())}{note}")
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines)


def _paths(value: object, path: Path = ()) -> set[Path]:
    found: set[Path] = {path} if path else set()
    if isinstance(value, dict):
        for name, below in value.items():
            found |= _paths(below, (*path, name))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            found |= _paths(below, (*path, index))
    return found


@given(documents())
def test_every_key_of_the_parser_is_found_and_no_other(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = find_positions(text)
    assert set(found.keys) == _paths(document)


@given(documents())
def test_a_place_points_at_the_key_itself(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = text.replace("\r\n", "\n").split("\n")
    for path, place in find_positions(text).keys.items():
        rest = lines[place.line - 1][place.column - 1 :]
        if isinstance(path[-1], str):
            assert rest.startswith((path[-1], '"')) if path[-1] else rest.startswith('"')


def test_line_and_column_count_from_one() -> None:
    found = find_positions('a = 1\n[t]\n  "b c".d = [10,\n 20]\n')
    assert found.key(("a",)) == Place(1, 1)
    assert found.value(("a",)) == Place(1, 5)
    assert found.key(("t",)) == Place(2, 2)
    assert found.key(("t", "b c", "d")) == Place(3, 9)
    assert found.value(("t", "b c", "d", 1)) == Place(4, 2)


def test_an_array_of_tables_counts_its_tables() -> None:
    found = find_positions("[[p]]\nx = 1\n[[p]]\nx = 2\n[p.q]\ny = 3\n")
    assert found.key(("p", 0, "x")) == Place(2, 1)
    assert found.key(("p", 1, "x")) == Place(4, 1)
    assert found.key(("p", 1, "q", "y")) == Place(6, 1)


@pytest.mark.parametrize("path", [("missing",), ("t", "missing"), ("t", "missing", "deeper")])
def test_a_path_that_is_not_there_is_found_at_what_holds_it(path: Path) -> None:
    found = find_positions("\n[t]\nx = 1\n")
    assert found.key(path) == (Place(2, 2) if path[0] == "t" else Place(1, 1))
