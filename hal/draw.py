"""From octets to a number of 1 to 7 without bias, by rejection. Pure.

252 is the largest multiple of 7 below 256: 252 octet values give 36 chances to each number, the
4 above it are thrown away. `octet % 7` alone would favour 1 to 4 by more than one percent.
"""

from __future__ import annotations

NUMBER_MIN = 1
NUMBER_MAX = 7
ACCEPTED_BELOW = 252


def number_in(octets: bytes | bytearray | memoryview) -> int | None:
    """The number that the first accepted octet gives, or None where every one is rejected.

    One number a call: what follows the accepted octet is never used (58 Pa. Code § 659a.5(g)(2)
    asks for a number from 1 to 7, each equally likely).
    """
    for octet in octets:
        if octet < ACCEPTED_BELOW:
            return octet % NUMBER_MAX + NUMBER_MIN
    return None
