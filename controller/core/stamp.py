"""UTC milliseconds to RFC 3339 text and back, without a clock. Pure."""

from __future__ import annotations

import datetime
import functools

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class BadStamp(ValueError):
    """A time that is not RFC 3339 with a zone; the message says what would be."""


@functools.lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    return (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def stamp_of(at_ms: int) -> str:
    """`2026-01-05T18:00:02.000Z` of milliseconds since 1970."""
    return f"{_second(at_ms // 1000)}.{at_ms % 1000:03d}Z"


def milliseconds_of(text: object) -> int:
    """Milliseconds since 1970 of an RFC 3339 time. Raises BadStamp."""
    if not isinstance(text, str) or len(text) > 40:
        raise BadStamp("at: expected a time such as 2026-01-05T18:00:02.000Z")
    try:
        moment = datetime.datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("no zone")
        # strftime pads years below 1000 differently from one C library to the next.
        if not 1970 <= moment.year <= 9998:
            raise ValueError("year out of range")
        return (moment - EPOCH) // datetime.timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        raise BadStamp(
            f"at: {text[:40]!r} is no time; expected one such as 2026-01-05T18:00:02.000Z"
        ) from None
