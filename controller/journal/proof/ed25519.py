"""Checks Ed25519 signatures (RFC 8032, 5.1.7) and makes none, with integers alone.

Slow (some 2 ms a signature) and not in constant time: there is no secret here to be timed.
Strict where the RFC leaves room: a number or a point is taken in its one shortest form only, and a
key of small order, for which one signature fits many messages, is no key.
"""

from __future__ import annotations

import functools
import hashlib

PRIME = 2**255 - 19
# The order of the base point.
ORDER = 2**252 + 27742317777372353535851937790883648493
KEY_OCTETS = 32
SIGNATURE_OCTETS = 64
_D = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
_ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)
_SIGN = 1 << 255
# A month has some two thousand checkpoints, signed by one key or two.
_KEYS_KEPT_MAX = 8

# x, y, z and t of extended coordinates: x/z and y/z are the point's, t = xy/z.
Point = tuple[int, int, int, int]
# By place and digit.
Multiples = tuple[tuple[Point, ...], ...]
_NEUTRAL: Point = (0, 1, 1, 0)


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the holder of the key signed `message`; False for whatever is malformed."""
    if len(public_key) != KEY_OCTETS or len(signature) != SIGNATURE_OCTETS:
        return False
    multiples = _multiples_of_minus(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    # A larger one of the same rest would be a second signature of the same message.
    if multiples is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    return _encode(_add(_times(scalar, _BASE), _times(challenge, multiples))) == signature[:32]


def is_key(public_key: bytes) -> bool:
    """Whether these are the 32 octets of a point that may be somebody's key."""
    return len(public_key) == KEY_OCTETS and _multiples_of_minus(public_key) is not None


@functools.lru_cache(maxsize=_KEYS_KEPT_MAX)
def _multiples_of_minus(public_key: bytes) -> Multiples | None:
    point = _decode(public_key)
    if point is None:
        return None
    eightfold = _double(_double(_double(point)))
    if _encode(eightfold) == _encode(_NEUTRAL):
        return None
    x, y, z, t = point
    return _multiples((PRIME - x, y, z, PRIME - t))


def _decode(octets: bytes) -> Point | None:
    number = int.from_bytes(octets, "little")
    y, odd = number & (_SIGN - 1), number >> 255
    if y >= PRIME:
        return None
    above, below = (y * y - 1) % PRIME, (_D * y * y + 1) % PRIME
    # The root of above/below in one power, RFC 8032, 5.1.3.
    x = above * pow(below, 3, PRIME) * pow(above * pow(below, 7, PRIME), (PRIME - 5) // 8, PRIME)
    x %= PRIME
    if below * x * x % PRIME != above:
        x = x * _ROOT_OF_MINUS_ONE % PRIME
    if below * x * x % PRIME != above or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


def _encode(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, PRIME - 2, PRIME)
    return ((y * inverse % PRIME) | (x * inverse % PRIME & 1) << 255).to_bytes(32, "little")


def _add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % PRIME
    b = (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c = 2 * p[3] * q[3] * _D % PRIME
    d = 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _double(p: Point) -> Point:
    a, b = p[0] * p[0] % PRIME, p[1] * p[1] % PRIME
    h = a + b
    e = h - (p[0] + p[1]) ** 2 % PRIME
    g = a - b
    f = 2 * p[2] * p[2] + g
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _multiples(point: Point) -> Multiples:
    """For each of a scalar's 64 hexadecimal digits, from the last, what each digit is worth."""
    table = []
    for _ in range(64):
        row = [_NEUTRAL, point]
        for _ in range(14):
            row.append(_add(row[-1], point))
        table.append(tuple(row))
        point = _add(row[-1], point)
    return tuple(table)


def _times(scalar: int, multiples: Multiples) -> Point:
    total = _NEUTRAL
    for place in multiples:
        if digit := scalar & 15:
            total = _add(total, place[digit])
        scalar >>= 4
    return total


def _base_point() -> Point:
    point = _decode((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))
    assert point is not None, "the base point is on the curve"
    return point


_BASE = _multiples(_base_point())
