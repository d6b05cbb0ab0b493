"""`python -m tests.exploration GAME FAULTS`: every way with so many faults; prints what it saw."""

from __future__ import annotations

import sys
import time

from tests.exploration.explorer import Broken, explore


def main(game: str, faults: int) -> int:
    began = time.monotonic()
    try:
        seen = explore(game, faults)
    except Broken as fault:
        print(fault)
        return 1
    print(f"{game}, {faults} faults on a way: {seen} in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
