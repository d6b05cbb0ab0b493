"""One published event of each type, as bytes.

`python -m tests.controller.contract.golden` adds those that are missing. What stands there is never
written again: it is what subscribers once got.
"""

from __future__ import annotations

import sys
from pathlib import Path

from controller.core.codec import canonical
from tests.controller.contract.samples import day_events, rare_events, scenario_events

FOLDER = Path(__file__).parent / "golden"


def main() -> int:
    """Write what is missing; print what was written."""
    FOLDER.mkdir(exist_ok=True)
    for event in (*day_events(), *rare_events(), *scenario_events()):
        file = FOLDER / f"{event['type']}.json"
        if not file.exists():
            file.write_bytes(canonical(event))
            sys.stdout.write(f"{file.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
