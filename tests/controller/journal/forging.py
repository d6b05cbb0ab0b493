"""Exports without a database, and the ways in which somebody might change one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from controller.journal.proof.lines import line_of
from controller.journal.record import Chain
from controller.journal.seal import Sealer
from controller.journal.store import Store
from tests.controller.journal.writing import MIX, MOMENT_MS, Writer

JOURNAL = "ab" * 16
Lines = list[bytes]
Item = tuple[str, object]


def export_of(
    items: Sequence[Item], sealer: Sealer | None = None, every: int = 6, journal: str = JOURNAL
) -> Lines:
    """The lines of a whole export of table T-1, with a checkpoint after each `every` turns."""
    writer = Writer(Chain(journal, "T-1"))
    lines = [line_of("journal", b'{"id":"%s","table":"T-1"}' % journal.encode())]
    counts = {"effects": 0, "events": 0, "inputs": 0}
    for i, (source, item) in enumerate(items, start=1):
        turn = writer.entry(source, item).turn
        lines.append(line_of("input", turn.input_body))
        lines += [line_of("effect", body) for _, body in turn.effects]
        lines += [line_of("event", event.body) for event in turn.events]
        counts["effects"] += len(turn.effects)
        counts["events"] += len(turn.events)
        counts["inputs"] += 1
        if sealer is not None and i % every == 0:
            lines.append(line_of("checkpoint", sealer.checkpoint(writer.chain, MOMENT_MS + i)))
    return [*lines, end_line(counts)]


def end_line(counts: dict[str, int]) -> bytes:
    """The last line of an export."""
    return line_of("end", json.dumps(counts, sort_keys=True, separators=(",", ":")).encode())


def with_true_end(lines: Lines) -> Lines:
    """The same with a last line that fits, as a forger would write it."""
    body = [line for line in lines if not line.startswith(b'{"end":')]
    counts = {
        f"{kind}s": sum(line.startswith(b'{"%s":' % kind.encode()) for line in body)
        for kind in ("effect", "event", "input")
    }
    return [*body, end_line(counts)]


def at_event(lines: Lines, sequence: int) -> int:
    """The index of an event's line."""
    mark = b'"sequence":"%012d"' % sequence
    return next(i for i, line in enumerate(lines) if line.startswith(b'{"event"') and mark in line)


def write_sealed(path: Path, count: int, sealer: Sealer, every: int = 6) -> None:
    """A closed journal of `count` turns with a checkpoint after each `every` of them."""

    async def write() -> None:
        store = await Store.open(path, "T-1")
        writer = Writer(store.chain)
        for i in range(1, count + 1):
            entry = writer.entry(*MIX[(i - 1) % len(MIX)])
            body = sealer.checkpoint(writer.chain, MOMENT_MS + i)
            due = (writer.chain.sequence, body) if i % every == 0 else None
            await store.commit([entry], None, due)
        await store.close()

    asyncio.run(write())
