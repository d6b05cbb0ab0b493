"""The driver that docs/drivers.md writes, word by word: it works, and keeps what it promises."""

from __future__ import annotations

import ast
import re
import sys
import types
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hal import facts
from hal.protocols.message import Beat, Driver, Event, Junk, Message

PAGE = Path(__file__).parents[3] / "docs" / "drivers.md"


def written() -> Driver:
    """The driver of the page's one block of Python."""
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert ast.get_docstring(ast.parse(block))
    module = types.ModuleType("quick")
    sys.modules["quick"] = module
    try:
        exec(compile(block, str(PAGE), "exec"), module.__dict__)  # noqa: S102 - our own page
    finally:
        del sys.modules["quick"]
    driver = module.DRIVER
    assert isinstance(driver, Driver)
    return driver


QUICK = written()


def test_it_tells_what_the_page_says() -> None:
    decoder = QUICK.decoder("shuffler")
    assert decoder.feed(b"0007 S12;0008 E12;0009 H;what;") == [
        Event(0, 7, facts.CycleStarted(12, "shuffle")),
        Event(0, 8, facts.CycleEnded(12, "shuffle", "ok")),
        Beat(0, 9), Junk(4, "not_understood"),
    ]  # fmt: skip
    assert decoder.feed(b"000") == []
    assert decoder.line_idle() == [Junk(3, "broken_off")]


PIECES = (b"0007 S12;", b"0008 E12;", b"0009 H;", b";", b"x" * 20, b"\x00", b"0007 S")


@given(st.lists(st.sampled_from(PIECES), max_size=20), st.lists(st.integers(1, 9), max_size=60))
def test_any_chopping_gives_the_same(pieces: list[bytes], sizes: list[int]) -> None:
    octets = b"".join(pieces)
    decoder = QUICK.decoder("shuffler")
    found: list[Message] = []
    at = 0
    for size in sizes:
        found += decoder.feed(octets[at : at + size])
        at += size
    found += decoder.feed(octets[at:]) + decoder.line_idle()
    whole = QUICK.decoder("shuffler")
    assert found == whole.feed(octets) + whole.line_idle()


@given(st.binary(max_size=200))
def test_no_octets_do_harm(octets: bytes) -> None:
    QUICK.decoder("shuffler").feed(octets)
