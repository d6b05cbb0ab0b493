"""The broker options that several verbs share."""

from __future__ import annotations

import argparse
import os
import re

from controller.broker_address import BadAddress, BrokerAddress, address_of
from controller.errors import EXIT_USAGE, UserError

# What one level of a topic may be on the command line: no wildcard, no separator, nothing unseen.
_LEVEL = re.compile(r"[!-\"$-*,-.0-~]{1,64}")


def add_broker(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Declare `--broker` and `--prefix`."""
    parser.add_argument(
        "--broker",
        required=required,
        metavar="URL",
        help="mqtt://[user@]host[:port] or mqtts://…; after a ?: cafile=, cert=, key=, "
        "password-file=, version=3.1.1; plaintext=yes for a broker elsewhere without TLS",
    )
    parser.add_argument(
        "--prefix", default="tables", help="first level of the topics (default: %(default)s)"
    )


def broker_of(args: argparse.Namespace) -> BrokerAddress:
    """The address that was given. Raises UserError, exit 2."""
    try:
        address = address_of(args.broker)
        address.tls_context()
        address.secret()
    except BadAddress as error:
        raise UserError(str(error), EXIT_USAGE) from None
    return address


def level_of(option: str, text: str) -> str:
    """`text` where it can be one level of a topic. Raises UserError, exit 2."""
    if not _LEVEL.fullmatch(text):
        raise UserError(
            f"{option}: expected 1 to 64 printable ASCII characters without `+`, `#` and `/`",
            EXIT_USAGE,
        )
    return text


def prefix_of(args: argparse.Namespace) -> str:
    """The first levels of the topics. Raises UserError, exit 2."""
    return "/".join(level_of("--prefix", one) for one in str(args.prefix).split("/"))


def client_id(verb: str) -> str:
    """Own for each process, so that two people may watch at once."""
    return f"tablectl-{verb}-{os.getpid()}"
