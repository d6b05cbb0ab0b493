"""Ring geometry: seat 1 is at the dealer's left, dealing runs clockwise. Pure.

Printed numbers are an attribute of the layout and never enter here (spec: seat geometry).
"""

from __future__ import annotations

DEALER = "dealer"
Place = int | str


def positions(seats: int) -> tuple[Place, ...]:
    """Every position clockwise from the dealer's left, the dealer last."""
    return (*range(1, seats + 1), DEALER)


def clockwise_from(start: Place, seats: int) -> tuple[Place, ...]:
    """Every position once, clockwise, beginning at `start`."""
    ring = positions(seats)
    at = ring.index(start)
    return ring[at:] + ring[:at]


def counter_clockwise_from(start: int, seats: int) -> tuple[int, ...]:
    """Every seat once, counter-clockwise, beginning at `start`; the dealer is not among them."""
    return tuple(range(start, 0, -1)) + tuple(range(seats, start, -1))


def highest_printed(occupied: tuple[int, ...], numbering: str) -> int:
    """The occupied seat with the highest number on the layout."""
    return max(occupied) if numbering == "from_dealer_left" else min(occupied)


def counted(number: int, seats: int) -> tuple[int, Place]:
    """Count positions counter-clockwise with the dealer as one until `number` is reached.

    Returns the count within one lap and the position: 659a.5(g)(1)(iii), wrapping as A1 reads it.
    """
    lap = (number - 1) % (seats + 1) + 1
    return lap, DEALER if lap == 1 else seats + 2 - lap


def printed(seat: int, seats: int, numbering: str) -> int:
    """The number on the layout for a seat counted from the dealer's left, and back."""
    return seat if numbering == "from_dealer_left" else seats + 1 - seat
