"""`tablectl sim`: a simulated shuffler or shoe on a port, or a real one's line kept and played."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.cli.sim_port import OPEN_CHECK_S, end_of, until_open
from controller.errors import EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from hal.sim.device import SimDevice
    from hal.sim.script import Action
    from hal.sim.wire import End

# Repeats of the last event are over by then (three times 200 ms).
LINGER_S: Final = 0.8


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("device", nargs="?", choices=("shuffler", "shoe"))
    parser.add_argument(
        "--port",
        required=True,
        metavar="DEVICE",
        help="a serial port, tcp://HOST:PORT, or pty:PATH for a new pseudo-terminal at PATH",
    )
    parser.add_argument("--baud", type=int, default=115_200, help="default 115200")
    parser.add_argument(
        "--script", metavar="FILE", help="JSON lines of actions, - for standard input (docs/sim.md)"
    )
    parser.add_argument(
        "--fault", action="append", default=[], metavar="NAME", help="a fault of the menu"
    )
    parser.add_argument(
        "--reads", action="store_true", help="a shoe that reads the cards that are drawn face up"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="divides the device's work times, or those of a playback; default 1",
    )
    parser.add_argument("--seed", type=int, default=0, help="of cards and wire faults, default 0")
    parser.add_argument(
        "--capture", metavar="FILE", help="instead: keep what a real port says, with its times"
    )
    parser.add_argument(
        "--to", metavar="pty:PATH", help="with --capture: pass the line on to a host, both ways"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="N", help="with --capture: end after so long"
    )
    parser.add_argument(
        "--playback", metavar="FILE", help="instead: say what the device of a capture said"
    )
    parser.add_argument(
        "--at-once", action="store_true", help="with --playback: do not wait for a host"
    )


def run(args: argparse.Namespace) -> int:
    """Speak until the script ends; without one, until interrupted."""
    from hal.sim import faults

    if not args.speed > 0:
        raise UserError("--speed: expected a number above 0")
    if args.capture is not None or args.playback is not None:
        return _tape(args)
    if args.device is None:
        raise UserError("expected shuffler or shoe, or --capture FILE, or --playback FILE")
    for name in args.fault:
        if name not in faults.faults_of(args.device):
            known = " ".join(faults.faults_of(args.device))
            raise UserError(f"no fault {name!r} of a {args.device}; there are: {known}")
    if args.reads and args.device != "shoe":
        raise UserError("--reads: a shoe reads cards, a shuffler does not")
    actions = None if args.script is None else _actions(args.device, args.script)
    device, end = _device(args)
    for name in args.fault:
        faults.apply(name, device)
    asyncio.run(_serve(f"{args.device} on {args.port}", device, end, actions))
    return EXIT_OK


def _tape(args: argparse.Namespace) -> int:
    from controller.cli import sim_tape

    if args.device is not None:
        raise UserError(f"{args.device}: a capture or a playback simulates no device")
    if args.capture is not None and args.playback is not None:
        raise UserError("--capture and --playback: one of them")
    return sim_tape.playback(args) if args.capture is None else sim_tape.capture(args)


def _actions(device: str, script: str) -> list[Action]:
    """All lines, read before anything moves. Raises UserError with file and line."""
    from hal.errors import ScriptError
    from hal.sim.script import action_of

    try:
        text = sys.stdin.read() if script == "-" else Path(script).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{script}: {error}", EXIT_USAGE) from None
    actions: list[Action] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                actions.append(action_of(device, line))
            except ScriptError as error:
                raise UserError(f"{script}:{number}:1: {error}", EXIT_USAGE) from None
    return actions


def _device(args: argparse.Namespace) -> tuple[SimDevice, End]:
    from hal.sim.shoe import Shoe
    from hal.sim.shuffler import Shuffler

    end = end_of(args)
    if args.device == "shuffler":
        return Shuffler(end, args.speed, args.seed), end
    return Shoe(end, args.speed, args.seed, reads=args.reads), end


async def _serve(name: str, device: SimDevice, end: End, actions: list[Action] | None) -> None:
    from hal.sim.script import perform

    running = asyncio.create_task(device.run())
    try:
        await _until_open(end, running)
        sys.stderr.write(f"{name}: speaking; Ctrl-C ends it\n")
        if actions is None:
            await running
            return
        for action in actions:
            for _ in range(action.times):
                outcome = await perform(device, action)
                sys.stdout.write(json.dumps({"do": action.do, "outcome": outcome}) + "\n")
                sys.stdout.flush()
        await asyncio.sleep(LINGER_S)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _until_open(end: End, running: asyncio.Task[None]) -> None:
    """Wait for the port. Raises UserError when it cannot be opened."""
    from hal.sim.wire import PortEnd

    if isinstance(end, PortEnd):
        await until_open(end.link)
        return
    await asyncio.wait((running,), timeout=OPEN_CHECK_S)
    try:
        if running.done():
            running.result()
    except OSError as error:
        raise UserError(f"--port: {error}", EXIT_UNREACHABLE) from None
