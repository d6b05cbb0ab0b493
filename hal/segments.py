"""The seven-segment digit as a drawing: glyphs to segments and back, and the self-test's patterns.

Segments bear their usual letters: a top, b and c right (upper, lower), d bottom, e and f left
(lower, upper), g middle. The font is drawn below as it looks, so that a reader can check it.
"""

from __future__ import annotations

SEGMENTS = ("a", "b", "c", "d", "e", "f", "g")
BLANK = " "
DASH = "-"

# Five columns a glyph, three rows; a seven without the upper left bar, a one on the right.
_NAMES = "0123456789-"
_DRAWN = (
    " _         _    _         _    _    _    _    _        ",
    "| |    |   _|   _|  |_|  |_   |_     |  |_|  |_|   _   ",
    "|_|    |  |_    _|    |   _|  |_|    |  |_|   _|       ",
)
_COLUMNS_A_GLYPH = 5
# Row and column of each segment inside its glyph.
_PLACES = {
    "a": (0, 1), "f": (1, 0), "g": (1, 1), "b": (1, 2), "e": (2, 0), "d": (2, 1), "c": (2, 2),
}  # fmt: skip

Lit = frozenset[str]


def _parsed() -> dict[str, Lit]:
    font = {BLANK: frozenset[str]()}
    for position, name in enumerate(_NAMES):
        left = position * _COLUMNS_A_GLYPH
        font[name] = frozenset(
            segment
            for segment, (row, column) in _PLACES.items()
            if _DRAWN[row][left + column] in "_|"
        )
    return font


# The dash is drawn with a plain underline in the middle row, which is where segment g is.
FONT: dict[str, Lit] = _parsed()
_GLYPHS: dict[Lit, str] = {lit: glyph for glyph, lit in FONT.items()}

# Each segment alone finds a dead one and two that are joined; all and none find a stuck one.
SELF_TEST: tuple[Lit, ...] = (
    *(frozenset({segment}) for segment in SEGMENTS),
    frozenset(SEGMENTS),
    frozenset(),
)


def lit_for(glyph: str) -> Lit:
    """The segments that draw `glyph`. Raises KeyError for a glyph that is not in the font."""
    return FONT[glyph]


def glyph_of(lit: Lit) -> str | None:
    """The glyph that a person would read, or None where the segments draw none."""
    return _GLYPHS.get(lit)


def number_of(lit: Lit) -> int:
    """The number that a person would read; 0, which is never drawn, where it is no number."""
    glyph = glyph_of(lit)
    return int(glyph) if glyph is not None and glyph.isdigit() else 0
