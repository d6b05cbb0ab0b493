"""`tablectl record` with a stamp for each event when the recorder knows that it is durable."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Final

from controller.recorder.archive import Archive, Batch, Check
from tests.bench.room.stamps import Stamps, number_of

# File, tables, sequences of each.
VARIABLE: Final = "ROOM_STAMPS"


def main() -> int:
    """Run the command line with stamps laid."""
    from controller.cli import main as tablectl

    file, tables, each = os.environ[VARIABLE].split(":")
    kept = Archive.commit
    with Stamps(Path(file), int(tables), int(each)) as stamps:

        async def commit(self: Archive, batch: Batch) -> list[Check]:
            differing = await kept(self, batch)
            now_ns = time.monotonic_ns()
            for record in batch.records:
                stamps.note(number_of(record.table), record.sequence, now_ns)
            return differing

        setattr(Archive, "commit", commit)  # noqa: B010 - only for this process
        return tablectl(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
