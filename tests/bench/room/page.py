"""The page's reader, a process: one open page of the monitor, as a browser's script has it.

Asked for anything it answers with what came since it was asked before: how old each table's last
event was when its news came, and what the page says now of every table.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from typing import Any, Final

from controller.core.stamp import milliseconds_of
from tests.bench.figures import percentile
from tests.bench.room.role import Asked, Line, follow

CONNECT_S_MAX: Final = 5
READ_OCTETS_MAX: Final = 1 << 20
NEWS: Final = b"event: news\ndata: "
# One news of 2,000 tables is some 2 MB.
HELD_OCTETS_MAX: Final = 64 << 20


class Page:
    """What the page shows, and the ages of what it was told."""

    def __init__(self, port: int) -> None:
        """Open the stream."""
        self.socket = socket.create_connection(("127.0.0.1", port), CONNECT_S_MAX)
        request = f"GET /stream HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        self.socket.sendall(request.encode())
        self.tables: dict[str, dict[str, Any]] = {}
        self._held = bytearray()
        self._ages_ms: list[int] = []
        self._news = self._octets = 0

    def hear(self) -> None:
        """The socket is readable."""
        octets = self.socket.recv(READ_OCTETS_MAX)
        if not octets or len(self._held) > HELD_OCTETS_MAX:
            raise OSError("the monitor closed the page")
        self._octets += len(octets)
        self._held += octets
        if b"\n\n" in octets or self._held.endswith(b"\n\n"):
            now_ms = time.time_ns() // 1_000_000
            *whole, rest = bytes(self._held).split(b"\n\n")
            self._held = bytearray(rest)
            for one in whole:
                if one.startswith(NEWS):
                    self._take(json.loads(one[len(NEWS) :]), now_ms)

    def _take(self, news: dict[str, Any], now_ms: int) -> None:
        self._news += 1
        for one in news["tables"]:
            before = self.tables.get(one["table"], {}).get("last")
            self.tables[one["table"]] = one
            if one["last"] is not None and one["last"] != before:
                self._ages_ms.append(now_ms - milliseconds_of(one["last"]["time"]))

    def report(self) -> Line:
        """What came since the last report, and what is shown now."""
        ages, self._ages_ms = self._ages_ms, []
        told = {
            "news": self._news, "octets": self._octets, "changes": len(ages),
            "age_p50_ms": percentile(ages or [0], 50), "age_p99_ms": percentile(ages or [0], 99),
            "times": {name: one["last"]["time"] for name, one in self.tables.items()
                      if one["last"] is not None},
            "concerns": [f"{name}: {words}" for name, one in self.tables.items()
                         for words in one["concerns"]][:20],
        }  # fmt: skip
        self._news = self._octets = 0
        return told


def main(port: str) -> int:
    """Look on until the bench goes."""
    asked, page = Asked(), Page(int(port))

    def answer(line: Line) -> None:
        asked.answer(**page.report())

    asked.answer(ready=True)
    follow(page.hear, page.socket.fileno(), asked, answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
