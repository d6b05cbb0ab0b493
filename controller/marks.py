"""How far each device was heard, kept as a cursor of the journal: a mark as a number and back."""

from __future__ import annotations

# A mark is `BBBB:SSSS`, boot and sequence of 16 bits each; 0 is a cursor that was never set.
FIRST = 1 << 32


def cursor_of(device: str) -> str:
    """The name under which the journal keeps the mark of a device."""
    return f"heard.{device}"


def number_of_mark(mark: str) -> int:
    """The cursor's value for a mark such as `1A2B:0007`."""
    boot, _, seq = mark.partition(":")
    return FIRST | int(boot, 16) << 16 | int(seq, 16)


def mark_of_number(number: int) -> str | None:
    """The mark that `number_of_mark` was given; None for a device that was never heard."""
    if number < FIRST:
        return None
    return f"{number >> 16 & 0xFFFF:04X}:{number & 0xFFFF:04X}"
