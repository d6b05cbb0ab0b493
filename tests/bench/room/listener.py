"""The plain subscriber, a process: hears the events of all tables, stamps each, no more."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.bench.ear import Ear
from tests.bench.room.role import Asked, Line, follow
from tests.bench.room.sayings import PRINCIPAL
from tests.bench.room.stamps import Stamps, number_of

# Canonical members stand in their order, and nothing that is named so comes after this one.
SEQUENCE = b'"sequence":"'


def sequence_of(payload: bytes) -> int:
    """Of a canonical event, without reading all of it."""
    begin = payload.rfind(SEQUENCE) + len(SEQUENCE)
    return int(payload[begin : payload.index(b'"', begin)])


def main(port: str, tables: str, each: str, file: str) -> int:
    """Listen until the bench goes."""
    asked = Asked()
    with Stamps(Path(file), int(tables), int(each)) as stamps:
        ear = Ear(int(port), "tables/+/events/#", PRINCIPAL)

        def heard() -> None:
            publications = ear.hear()
            now_ns = time.monotonic_ns()
            for topic, payload in publications:
                stamps.note(number_of(topic.split("/")[1]), sequence_of(payload), now_ns)

        def answer(line: Line) -> None:
            asked.answer(**line)

        asked.answer(ready=True)
        follow(heard, ear.socket.fileno(), asked, answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
