"""`tablectl send`: one command to a table, and its answer."""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import typing
from collections.abc import Mapping

from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Plan, Received
from controller.cli.broker_options import add_broker, broker_of, client_id, level_of, prefix_of
from controller.clock import SystemClock
from controller.core.codec import canonical
from controller.core.inputs import BY_SOURCE, ROLES
from controller.core.stamp import stamp_of
from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError
from controller.messages import Json, Outgoing, Topics
from controller.mqtt import connect

# A table answers within one commit; a slow disk takes seconds, an absent table for ever.
WAIT_S = 10.0


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_broker(parser)
    parser.add_argument("--table", required=True, metavar="ID", help="the table")
    parser.add_argument(
        "--as",
        required=True,
        dest="principal",
        metavar="PRINCIPAL",
        help="who you are at the broker",
    )
    parser.add_argument("--id", metavar="ID", help="the command's id; the same again acts once")
    parser.add_argument(
        "--wait", type=float, default=WAIT_S, metavar="SECONDS", help="for the answer (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="print the answer as it came")
    parser.add_argument("type", metavar="TYPE", help="what to ask or state, such as order_shuffle")
    parser.add_argument("members", nargs="*", metavar="key=value", help="its members")


def run(args: argparse.Namespace) -> int:
    """Send and wait; 0 accepted, 1 refused, 2 unusable arguments, 3 no broker or no answer."""
    members = members_of(args.type, args.members)
    for option, level in (("--table", args.table), ("--as", args.principal), ("TYPE", args.type)):
        level_of(option, level)
    prefix_of(args)
    address = broker_of(args)
    try:
        answer = asyncio.run(_send(args, address, members))
    except BrokerAway as away:
        raise UserError(f"{address.shown}: {away}", EXIT_UNREACHABLE) from None
    if args.json:
        sys.stdout.write(canonical(answer).decode() + "\n")
    else:
        sys.stdout.write(_words(answer) + "\n")
    return EXIT_OK if answer.get("result") == "accepted" else EXIT_FOUND


def members_of(type_name: str, pairs: list[str]) -> dict[str, Json]:
    """Members from `key=value`: texts stay texts, the rest is JSON where it reads as JSON.

    Raises UserError, exit 2.
    """
    members: dict[str, Json] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or not key:
            raise UserError(f"{pair!r}: expected key=value", EXIT_USAGE)
        if key in members:
            raise UserError(f"{key}: given twice", EXIT_USAGE)
        members[key] = _value(_hint(type_name, key), text)
    try:
        canonical(members)
    except ValueError as error:
        # Octets of the command line that are not UTF-8, or a number beyond all bounds.
        raise UserError(f"key=value: {error}", EXIT_USAGE) from None
    return members


def _hint(type_name: str, key: str) -> object:
    """The declared type of a member, without its bounds; None where it is not known here."""
    for kind in (kind for role in ROLES for kind in BY_SOURCE[role]):
        if getattr(kind, "TYPE", None) == type_name:
            return typing.get_type_hints(kind).get(key)
    return None


def _value(hint: object, text: str) -> Json:
    if hint is str or hint == str | None:
        return text
    if typing.get_origin(hint) is tuple and not text.startswith("["):
        return [_value(None, part) for part in text.split(",") if part]
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


async def _send(
    args: argparse.Namespace, address: BrokerAddress, members: dict[str, Json]
) -> Mapping[str, object]:
    topics = Topics(args.prefix, args.table)
    replies = topics.below("replies", args.principal)
    identifier = args.id or secrets.token_hex(8)
    answered: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()

    def hear(received: Received) -> None:
        answer = _answer(received.payload)
        if answer.get("id") == identifier and not received.retain and not answered.done():
            answered.set_result(answer)

    async with connect(Plan(address, client_id("send")), hear) as connection:
        if await connection.subscribe([replies]):
            raise UserError(f"the broker does not let {args.principal} read {replies}", EXIT_FOUND)
        issued_at = stamp_of(SystemClock().wall_ms())
        payload = canonical({**members, "id": identifier, "issued_at": issued_at})
        topic = topics.below("commands", args.principal, args.type)
        delivery = await connection.publish(Outgoing(topic, payload, content="application/json"))
        if delivery.refused:
            raise UserError(f"the broker refuses the command: {delivery.reason}", EXIT_FOUND)
        try:
            async with asyncio.timeout(args.wait):
                return await answered
        except TimeoutError:
            raise BrokerAway(f"table {args.table} does not answer within {args.wait:g} s") from None


def _answer(payload: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _words(answer: Mapping[str, object]) -> str:
    if answer.get("result") == "accepted":
        caused = answer.get("sequences")
        numbers = ", ".join(str(one) for one in caused) if isinstance(caused, list) else ""
        return f"accepted; events {numbers}" if numbers else "accepted"
    rule = answer.get("rule")
    cited = f" [{rule}]" if rule else ""
    return f"{answer.get('result')}: {answer.get('reason')}{cited}"
