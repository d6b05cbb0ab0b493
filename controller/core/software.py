"""What may be said of the program itself, and the code by which a digit shows which one runs. Pure.

The code proves that the program which answers was read from the files that the code was made for.
It proves nothing against a program that was written to lie; that is what the record outside is for.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated, ClassVar

from hal.member_types import Range, Text, Word

# One guess in 7^10 (282 million) is right, and a person can read ten digits off a lamp without
# losing count. The digits are those of a drawn number, 1 to 7: the digit has no others to show.
CODE_DIGITS = 10
CODE_BASE = 7
FILES_TOLD_MAX = 8
# What is said of one file: its name and what is wrong with it.
FILE_NAME_MAX = 200
FileName = Annotated[str, Text(FILE_NAME_MAX)]


@dataclass(frozen=True, slots=True)
class SoftwareChanged:
    """The program is not the one of its manifest: `count` files differ, `files` are the first."""

    TYPE: ClassVar[str] = "software_changed"
    count: Annotated[int, Range(1, 0x7FFFFFFF)]
    files: Annotated[tuple[FileName, ...], Range(1, FILES_TOLD_MAX)]


@dataclass(frozen=True, slots=True)
class ShowCode:
    """Let the digit show the code that only this program and `nonce` give, digit by digit."""

    TYPE: ClassVar[str] = "show_code"
    nonce: Word


def short_code(nonce: str, build: str) -> str:
    """The CODE_DIGITS last digits, base 7 and each one higher, of HMAC-SHA-256, keyed with `nonce`,
    over the build's digest."""
    tag = int.from_bytes(hmac.digest(nonce.encode(), build.encode(), "sha256"))
    digits = []
    for _ in range(CODE_DIGITS):
        tag, digit = divmod(tag, CODE_BASE)
        digits.append(str(digit + 1))
    return "".join(reversed(digits))
