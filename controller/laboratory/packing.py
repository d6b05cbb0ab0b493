"""Numbers of 1 to 7 in the forms that other tools read: octets, text, and bits by rejection. Pure.

`octets`  each number an octet of 1 to 7
`text`    each number a digit on a line of its own
`bits`    three numbers are one of 343 values; below 256 that is an octet, else they are passed
          over: even bits from even numbers, for `ent`, `rngtest`, `dieharder` and the NIST suite
"""

from __future__ import annotations

from hal.draw import NUMBER_MAX

FORMS = ("octets", "text", "bits")
NUMBERS_A_GROUP = 3
OCTET_VALUES = 256


def packed(numbers: bytes, form: str) -> bytes:
    """`numbers` in one of FORMS; `bits` drops what does not fill a group of three."""
    if form == "octets":
        return numbers
    if form == "text":
        return b"".join(b"%d\n" % number for number in numbers)
    assert form == "bits", f"no form {form!r}"
    return _bits(numbers)


def _bits(numbers: bytes) -> bytes:
    out = bytearray()
    for one, two, three in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=False):
        value = ((one - 1) * NUMBER_MAX + two - 1) * NUMBER_MAX + three - 1
        if value < OCTET_VALUES:
            out.append(value)
    return bytes(out)
