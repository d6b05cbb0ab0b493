"""A process of the bench that does one thing: a JSON line in, a JSON line out, until it is left.

It ends when its standard input closes, so that none outlives the bench, however that ends.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from tests.bench.subjects import ROOT

START_S_MAX: Final = 60
END_S_MAX: Final = 10
READ_OCTETS_MAX: Final = 1 << 20

Line = dict[str, Any]


class RoleTrouble(Exception):
    """A role ended, or does not answer; the message says which."""


class Role:
    """The bench's end of it. `words` follow `python`."""

    def __init__(self, name: str, *words: str) -> None:
        """Start it and wait for its first line. Raises RoleTrouble."""
        self.name = name
        self._held = b""
        self._process = subprocess.Popen(
            [sys.executable, *words], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        try:
            self.heard(START_S_MAX)
        except RoleTrouble:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def ask(self, line: Line, seconds_max: float) -> Line:
        """Its answer. Raises RoleTrouble."""
        self.tell(line)
        return self.heard(seconds_max)

    def tell(self, line: Line) -> None:
        """Say something; the answer is had with `heard`. Raises RoleTrouble."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise RoleTrouble(f"{self.name} has ended") from None

    def heard(self, seconds_max: float) -> Line:
        """The next line of it. Raises RoleTrouble."""
        assert self._process.stdout is not None
        end = time.monotonic() + seconds_max
        while b"\n" not in self._held:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise RoleTrouble(f"{self.name} says nothing for {seconds_max:g} s")
            octets = os.read(self._process.stdout.fileno(), READ_OCTETS_MAX)
            if not octets:
                raise RoleTrouble(f"{self.name} has ended")
            self._held += octets
        line, _, self._held = self._held.partition(b"\n")
        answer: Line = json.loads(line)
        return answer

    def stop(self) -> None:
        """Let it end."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        try:
            self._process.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Asked:
    """The role's own end: what the bench asks. Register `fileno` with the poll."""

    def __init__(self) -> None:
        """Nothing is said yet."""
        self._held = b""

    def fileno(self) -> int:
        """Standard input."""
        return sys.stdin.fileno()

    def lines(self) -> list[Line] | None:
        """What came; None when the bench is gone. Call it when it is readable."""
        octets = os.read(self.fileno(), READ_OCTETS_MAX)
        if not octets:
            return None
        *whole, self._held = (self._held + octets).split(b"\n")
        return [json.loads(line) for line in whole]

    def answer(self, **members: object) -> None:
        """Say something to the bench."""
        sys.stdout.write(json.dumps(members) + "\n")
        sys.stdout.flush()


def follow(heard: Callable[[], None], socket_number: int, asked: Asked,
           answer: Callable[[Line], None]) -> None:  # fmt: skip
    """Call `heard` when the socket is readable and `answer` for each line, until the bench goes."""
    poll = select.poll()
    poll.register(socket_number, select.POLLIN)
    poll.register(asked.fileno(), select.POLLIN)
    while True:
        for number, _ in poll.poll():
            if number == socket_number:
                heard()
                continue
            lines = asked.lines()
            if lines is None:
                return
            for line in lines:
                answer(line)
