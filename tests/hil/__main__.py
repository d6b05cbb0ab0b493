"""Plays every case of `tests/scenarios` on a rig and prints how many and how long.

python -m tests.hil                          # the virtual rig, all cases
python -m tests.hil 687a.13 fined            # those whose names have one of these words
python -m tests.hil --rig tests/hil/bench.yaml   # real wires
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from controller.broker_address import BrokerAddress
from tests.hil.bench import LOOPBACK, Figures, broker_for, play_case
from tests.hil.rig import Rig
from tests.hil.rigfile import RigFile, RigMistake, rig_of
from tests.hil.sentences import Script, scripts
from tests.hil.unsayable import why_not, why_not_here
from tests.hil.virtual import Nursery, VirtualRig
from tests.hil.wires import WiredRig

Make = Callable[[Script, BrokerAddress, str], Rig]


async def play_all(words: list[str], at_once: int, make: Make, wiring: RigFile | None) -> int:
    """Play, print, and give how many failed."""
    figures, gate, failed = Figures(), asyncio.Semaphore(at_once), []

    async def play(name: str, script: Script, number: int, broker: BrokerAddress) -> None:
        async with gate:
            try:
                one = partial(make, script, broker, f"t-{number}")
                await play_case(script, one, figures)
            except (AssertionError, OSError) as error:
                failed.append(name)
                print(f"FAILED {name}\n  {error}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        seen_at = LOOPBACK if wiring is None else wiring.broker
        with broker_for(Path(folder), seen_at) as address:
            async with asyncio.TaskGroup() as tasks:
                for number, (name, script) in enumerate(scripts().items()):
                    if words and not any(word in name for word in words):
                        continue
                    why = why_not(script) if wiring is None else why_not_there(script, wiring)
                    if why is None:
                        tasks.create_task(play(name, script, number, address))
                    else:
                        figures.reasons[why] += 1
    print(figures)
    return len(failed)


def why_not_there(script: Script, wiring: RigFile) -> str | None:
    """Why the rig of this file cannot say all of the script."""
    return why_not_here(script, False, frozenset(wiring.jumpers))


def main() -> int:
    """0 where all that can be played ends as its file says, 1 where not, 2 for a wrong rig file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="*", help="only cases whose name has one of these words")
    parser.add_argument("--rig", type=Path, metavar="FILE", help="a rig of real wires")
    parser.add_argument("--at-once", type=int, default=2, help="tables beside each other (2)")
    args = parser.parse_args()
    if args.rig is not None:
        try:
            wiring = rig_of(args.rig)
        except RigMistake as mistake:
            print(mistake, file=sys.stderr)
            return 2
        # One board, one pair of adapters: one table at a time.
        make: Make = partial(WiredRig, wiring)
        return bool(asyncio.run(play_all(args.word, 1, make, wiring)))
    nursery = Nursery()
    with tempfile.TemporaryDirectory() as folder:

        def virtual(script: Script, broker: BrokerAddress, table: str) -> Rig:
            home = Path(folder) / table
            home.mkdir()
            return VirtualRig(home, script, broker, nursery, table)

        try:
            return bool(asyncio.run(play_all(args.word, args.at_once, virtual, None)))
        finally:
            nursery.close()


if __name__ == "__main__":
    sys.exit(main())
