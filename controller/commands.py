"""What arrives below `commands/`: a command of a person with a role, or the reason why not. Pure.

Everything here is written by strangers: each bound has its test, and nothing raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from controller.core.codec import Unreadable, canonical, item_of
from controller.core.inputs import ROLES, Malformed
from controller.core.stamp import BadStamp, milliseconds_of
from controller.messages import Json, Outgoing, Topics

# Interfaces, section 4.
PAYLOAD_OCTETS_MAX = 16 * 1024
ISSUED_MS_MAX = 30_000
# An answer must never be larger than what a broker lets in: one that is cut off for it is handed
# the same command again, for ever. Correlation data are ids; 1 KiB is the largest worth an echo.
CORRELATION_OCTETS_MAX = 1024
# The deepest lawful input has three levels; text beyond this is no command but an attack.
DEPTH_MAX = 16
# Bounds of the journal's words, see `core.inputs.Malformed`.
CLAIMED_CHARACTERS_MAX = 32
REASON_CHARACTERS_MAX = 400
UNKNOWN = "unknown"

_PRINCIPAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_ID = re.compile(r"[!-~]{1,64}")


@dataclass(frozen=True, slots=True)
class Order:
    """What the broker handed over below `commands/`."""

    topic: str
    payload: bytes
    retain: bool
    response_topic: str | None = None
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Wall clock in ms since the epoch, and whether it may be trusted."""

    at_ms: int
    synchronised: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A readable command; `id` is unique for its principal `by`, `source` his role."""

    source: str
    by: str
    id: str
    item: object


@dataclass(frozen=True, slots=True)
class Rejection:
    """A command that is refused before the rules see it.

    `source` is the principal's role or `unknown`; `by` None where the topic names nobody lawful;
    `stale` tells the one reason that an answer given earlier overrules.
    """

    source: str
    by: str | None
    id: str | None
    claimed: str
    reason: str
    stale: bool = False

    @property
    def item(self) -> Malformed:
        """The input that is recorded and becomes `input.refused`."""
        return Malformed(self.claimed, self.reason)


class _Rejected(Exception):
    def __init__(self, reason: str, stale: bool = False) -> None:
        super().__init__(reason)
        self.stale = stale


def parse(
    topics: Topics, roster: Mapping[str, str], order: Order, now: Moment
) -> Command | Rejection:
    """Read one message below `commands/`; `roster` maps a principal to his role.

    Never raises. Who speaks comes from the topic, which the broker's ACL guards, and from the
    roster; a payload that names a speaker of its own is refused.
    """
    principal, claimed = _levels(topics, order.topic)
    source = roster.get(principal, UNKNOWN) if principal is not None else UNKNOWN
    if source not in ROLES:
        source = UNKNOWN
    identifier: str | None = None
    try:
        _refuse_long_correlation(order)
        members = _members(order)
        identifier = _identifier(members)
        if principal is None:
            raise _Rejected("the topic does not name a principal and a type")
        if source == UNKNOWN:
            raise _Rejected(f"{principal} is not in the roster of this table")
        # Before anything about the content: a retained command is not a person's act of now.
        if order.retain:
            raise _Rejected("retained commands are refused: publish it without the retain flag")
        _refuse_own_speaker(members)
        _refuse_stale(members, now)
        rest = {name: value for name, value in members.items() if name not in ("id", "issued_at")}
        item = item_of(source, claimed, rest)
        return Command(source, principal, identifier, item)
    except _Rejected as rejected:
        return _rejection(source, principal, identifier, claimed, rejected, rejected.stale)
    except (Unreadable, BadStamp) as error:
        return _rejection(source, principal, identifier, claimed, error)


def reply(
    topics: Topics, order: Order, principal: str, identifier: str | None, answer: Mapping[str, Json]
) -> Outgoing:
    """The answer for `principal`, with the correlation data of his command where it is in bounds.

    A response topic is honoured only at or below the principal's own `replies/<principal>`:
    a hostile one must not make the controller publish anywhere else.
    """
    own = topics.below("replies", principal)
    asked = order.response_topic
    lawful = asked is not None and (
        asked == own or (asked.startswith(own + "/") and len(asked) <= 2 * 64 + len(own))
    )
    topic = asked if lawful and asked is not None and not set("+#\0") & set(asked) else own
    payload = canonical({"id": identifier, **answer})
    correlation = None if _correlation_is_long(order) else order.correlation
    return Outgoing(topic, payload, content="application/json", correlation=correlation)


def _levels(topics: Topics, topic: str) -> tuple[str | None, str]:
    """Principal and type of a topic; the principal None where it is no lawful name."""
    levels = topic.removeprefix(topics.below("commands", "")).split("/")
    claimed = _word(levels[-1], CLAIMED_CHARACTERS_MAX)
    if len(levels) != 2 or not _PRINCIPAL.fullmatch(levels[0]):
        return None, claimed
    return levels[0], claimed


def _members(order: Order) -> dict[str, object]:
    if len(order.payload) > PAYLOAD_OCTETS_MAX:
        raise _Rejected(
            f"{len(order.payload)} bytes of payload; at most {PAYLOAD_OCTETS_MAX} are read"
        )
    try:
        text = order.payload.decode()
    except UnicodeDecodeError:
        raise _Rejected("the payload is not UTF-8") from None
    if _depth(text) > DEPTH_MAX:
        raise _Rejected(f"JSON nested deeper than {DEPTH_MAX} levels")
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise _Rejected(f"the payload is not JSON: {error.msg} at {place}") from None
    except ValueError:
        # A number of thousands of digits, which Python refuses to read.
        raise _Rejected("the payload is not JSON: a number out of reach") from None
    if not isinstance(value, dict):
        raise _Rejected("the payload is not a JSON object")
    return value


def _depth(text: str) -> int:
    """Deepest nesting of brackets outside strings; never less than a JSON reader would meet."""
    deepest = depth = 0
    in_text = escaped = False
    for char in text:
        if in_text:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_text = False
        elif char == '"':
            in_text = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        # Two readers would take different ones: what was meant is not known.
        raise _Rejected("a member is given twice")
    return members


def _no_constant(name: str) -> object:
    raise _Rejected(f"the payload is not JSON: {name}")


def _identifier(members: Mapping[str, object]) -> str:
    given = members.get("id")
    if given is None:
        raise _Rejected("id: member is missing")
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise _Rejected("id: expected 1 to 64 printable ASCII characters without a space")
    return given


def _correlation_is_long(order: Order) -> bool:
    return order.correlation is not None and len(order.correlation) > CORRELATION_OCTETS_MAX


def _refuse_long_correlation(order: Order) -> None:
    if _correlation_is_long(order):
        raise _Rejected(f"correlation data: at most {CORRELATION_OCTETS_MAX} bytes are echoed")


def _refuse_own_speaker(members: Mapping[str, object]) -> None:
    for name in ("from", "by"):
        if name in members:
            raise _Rejected(f"{name}: who speaks comes from the topic and the roster")


def _refuse_stale(members: Mapping[str, object], now: Moment) -> None:
    if "issued_at" not in members:
        raise _Rejected("issued_at: member is missing")
    try:
        issued_ms = milliseconds_of(members["issued_at"])
    except BadStamp as error:
        raise _Rejected(f"issued_{error}") from None
    if not now.synchronised:
        return
    age_ms = now.at_ms - issued_ms
    if abs(age_ms) > ISSUED_MS_MAX:
        side = "old" if age_ms > 0 else "in the future"
        raise _Rejected(
            f"issued_at: {abs(age_ms)} ms {side}; at most {ISSUED_MS_MAX} ms are accepted", True
        )


def _rejection(
    source: str, by: str | None, identifier: str | None, claimed: str, error: Exception,
    stale: bool = False,
) -> Rejection:  # fmt: skip
    reason = _word(str(error), REASON_CHARACTERS_MAX)
    return Rejection(source, by, identifier, claimed, reason, stale)


def _word(text: str, most: int) -> str:
    return "".join(char if " " <= char <= "~" else "?" for char in text[:most])
