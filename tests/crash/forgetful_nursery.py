"""Writes a journal as fast as it can and says each number once it is acknowledged."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from controller.journal.store import Store
from tests.controller.journal.writing import MIX, Writer

# So that the log, 4 MiB, is folded into the file after some forty commits.
TURNS_PER_COMMIT = 40


async def write(path: Path) -> None:
    store = await Store.open(path, "T-1")
    writer = Writer(store.chain)
    count = 0
    while True:
        entries = [writer.entry(*MIX[(count + i) % len(MIX)]) for i in range(TURNS_PER_COMMIT)]
        count += TURNS_PER_COMMIT
        await store.commit(entries, writer.snapshot() if count % 400 == 0 else None)
        await store.set_cursor("broker", writer.chain.sequence)
        sys.stdout.write(f"{count}\n")
        sys.stdout.flush()


asyncio.run(write(Path(sys.argv[1])))
