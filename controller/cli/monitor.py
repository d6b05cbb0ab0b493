"""`tablectl monitor`: a web page of all tables, for the surveillance room; never on a board."""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import socket
import ssl
import sys
from importlib.util import find_spec
from pathlib import Path

from controller.broker_address import BadAddress, BrokerAddress, address_of
from controller.broker_port import BrokerAway
from controller.cli.broker_options import add_broker, broker_of, client_id, level_of, prefix_of
from controller.clock import SystemClock
from controller.errors import EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError
from controller.monitor.gate import LOOPBACK_NAMES, BadToken, Gate, is_loopback, token_of
from controller.monitor.room import Room
from controller.monitor.speaker import Speaker
from controller.monitor.wall import Wall

LISTEN = "127.0.0.1:8650"
_LISTEN = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})")
# Browsers that knock in the same moment.
BACKLOG = 64


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_broker(parser)
    parser.add_argument(
        "--as", dest="principal", metavar="PRINCIPAL",
        help="acknowledge alarms as this person; the table's roster decides whether he may. "
        "Without it the page only looks on",
    )  # fmt: skip
    parser.add_argument(
        "--commands-broker", metavar="URL",
        help="how that person logs in, where the user of --broker may only read",
    )  # fmt: skip
    parser.add_argument(
        "--table", default="*", metavar="GLOB", help="tables to show (default: all)"
    )
    parser.add_argument(
        "--listen", default=LISTEN, metavar="HOST:PORT",
        help="where the page is served (default: %(default)s); beyond this machine only with "
        "--token-file, --certificate and --key",
    )  # fmt: skip
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="what a browser has to enter first"
    )
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="of the page, PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="of the certificate, PEM")
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME",
        help="another name that browsers know the page by (a proxy's); repeat it for more",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; 2 unusable arguments or files, 3 the broker is away."""
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        raise UserError(
            "the monitor needs its extra packages: pip install 'table-controller[monitor]'",
            EXIT_USAGE,
        )
    address = broker_of(args)
    prefix = prefix_of(args)
    tables = level_of("--table", args.table)
    host, port = listen_of(args.listen)
    gate = gate_of(args, host)
    speaker = speaker_of(args, address, prefix)
    wall = Wall()
    room = Room(address, client_id("monitor"), prefix, tables, SystemClock(), wall, speaker)
    sock = _socket_of(host, port)
    try:
        return asyncio.run(_serve(args, wall, gate, speaker, room, sock))
    except BrokerAway as away:
        raise UserError(f"{address.shown}: {away}", EXIT_UNREACHABLE) from None
    finally:
        sock.close()


def listen_of(text: str) -> tuple[str, int]:
    """Host and port. Raises UserError, exit 2."""
    said = _LISTEN.fullmatch(text)
    if said is None or int(said[3]) > 0xFFFF:
        raise UserError("--listen: expected HOST:PORT, such as 127.0.0.1:8650", EXIT_USAGE)
    return said[1] or said[2], int(said[3])


def gate_of(args: argparse.Namespace, host: str) -> Gate:
    """Who may use the page that listens on `host`. Raises UserError, exit 2."""
    if (args.certificate is None) != (args.key is None):
        raise UserError("--certificate and --key: one is useless without the other", EXIT_USAGE)
    if args.certificate is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(args.certificate, args.key)
        except (OSError, ssl.SSLError) as error:
            raise UserError(f"--certificate, --key: {error}", EXIT_USAGE) from None
    if not is_loopback(host) and (args.token_file is None or args.certificate is None):
        raise UserError(
            f"--listen {host}: others can reach it, and the page shows every table: "
            "it needs --token-file, --certificate and --key",
            EXIT_USAGE,
        )
    try:
        token = None if args.token_file is None else token_of(args.token_file)
    except BadToken as error:
        raise UserError(f"--token-file {error}", EXIT_USAGE) from None
    names = frozenset((*LOOPBACK_NAMES, host, *args.host)) if is_loopback(host) else None
    return Gate(token, names)


def speaker_of(args: argparse.Namespace, address: BrokerAddress, prefix: str) -> Speaker | None:
    """Who acknowledges, if anybody. Raises UserError, exit 2."""
    if args.principal is None:
        if args.commands_broker is not None:
            raise UserError("--commands-broker: say with --as who that is", EXIT_USAGE)
        return None
    if args.commands_broker is not None:
        try:
            address = address_of(args.commands_broker)
            address.tls_context()
            address.secret()
        except BadAddress as error:
            raise UserError(f"--commands-broker: {error}", EXIT_USAGE) from None
    principal = level_of("--as", args.principal)
    return Speaker(address, client_id("monitor-as"), principal, prefix, SystemClock())


def _socket_of(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise UserError(f"--listen {host}:{port}: {error.strerror}", EXIT_USAGE) from None


async def _serve(
    args: argparse.Namespace, wall: Wall, gate: Gate, speaker: Speaker | None, room: Room,
    sock: socket.socket,
) -> int:  # fmt: skip
    from controller.monitor.server import MonitorServer

    secure = args.certificate is not None
    server = MonitorServer(wall, gate, speaker, SystemClock(), secure=secure)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end)
    ready = asyncio.Event()
    following = asyncio.create_task(room.run(ready))
    standing = asyncio.create_task(ready.wait())
    ended = asyncio.create_task(server.ended())
    try:
        await asyncio.wait((following, standing, ended), return_when=asyncio.FIRST_COMPLETED)
        if standing.done():
            sys.stderr.write(f"-- {_words(sock, secure, speaker)}; Ctrl-C ends\n")
            sys.stderr.flush()
            serving = asyncio.create_task(server.serve(sock, args.certificate, args.key))
            await asyncio.wait((following, serving), return_when=asyncio.FIRST_COMPLETED)
            server.end()
            await serving
        if following.done():
            await following
    except ExceptionGroup as group:  # of a task group; a person is told of the broker alone
        away, other = group.split(BrokerAway)
        if away is None or other is not None:
            raise
        raise BrokerAway(str(away.exceptions[0])) from None
    finally:
        for task in (following, standing, ended):
            task.cancel()
        await asyncio.gather(following, standing, ended, return_exceptions=True)
    return EXIT_OK


def _words(sock: socket.socket, secure: bool, speaker: Speaker | None) -> str:
    host, port = sock.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    who = "looks on only" if speaker is None else f"acknowledges as {speaker.principal}"
    return f"monitor: {'https' if secure else 'http'}://{host}:{port}/ ({who})"
