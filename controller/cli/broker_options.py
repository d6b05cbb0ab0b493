"""The broker options that several verbs share."""

from __future__ import annotations

import argparse
import os

from controller.broker_address import BadAddress, BrokerAddress, address_of
from controller.errors import EXIT_USAGE, UserError


def add_broker(parser: argparse.ArgumentParser) -> None:
    """Declare `--broker` and `--prefix`."""
    parser.add_argument(
        "--broker",
        required=True,
        metavar="URL",
        help="mqtt://[user@]host[:port] or mqtts://…; after a ?: cafile=, cert=, key=, "
        "password-file=, version=3.1.1",
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


def client_id(verb: str) -> str:
    """Own for each process, so that two people may watch at once."""
    return f"tablectl-{verb}-{os.getpid()}"
