"""`python -m tests.exploration GAME MISTAKES [STATES]`: all ways; prints what it saw."""

from __future__ import annotations

import sys
import time

from tests.exploration.explorer import STATES_MAX, Broken, explore
from tests.exploration.small import small_book

# Every so manieth merged state is compared with the first of its key.
CHECKED = 100


def main(game: str, mistakes: int, states_max: int = STATES_MAX) -> int:
    began = time.monotonic()
    try:
        seen = explore(small_book(game), mistakes, states_max=states_max, checked=CHECKED)
    except Broken as fault:
        print(fault)
        return 1
    print(f"{game}, {mistakes} mistakes on a way: {seen}, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
