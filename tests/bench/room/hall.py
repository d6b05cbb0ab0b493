"""A whole room on this machine: one broker, recorder, monitor with a page, subscriber, tables.

Each is a process in a session of its own, as a service is: a kernel that shares the processors
out by sessions would else give all of them together as much as one other program.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench import process
from tests.bench.room import stamps as at
from tests.bench.room.kept import VARIABLE
from tests.bench.room.role import START_S_MAX, Line, Role
from tests.bench.room.sayings import PRINCIPAL
from tests.bench.room.stamps import Stamps
from tests.bench.subjects import END_S_MAX, ROOT
from tests.mqtt.mosquitto import Mosquitto
from tests.mqtt.site import lines_without_certificates

# The shipped bound on connections is for 200 tables with all that follows them.
CONNECTIONS_SHIPPED: Final = 2_000
CONNECTIONS_BESIDE: Final = 100
# What waits at the broker for a subscriber after the last event was sent: where nothing more came
# for so long, or not all within the other bound or the hall's own end, it is not waited for.
STILL_S_MAX: Final = 20.0
DRAIN_S_MAX: Final = 120.0
DRAIN_S_MIN: Final = 5.0
LOOK_S: Final = 0.05
# An answer of the generator: its own time, and all that it waits for.
PATIENCE_S: Final = 120


def lines_of(home: Path, tables: int) -> list[str]:
    """The shipped configuration without certificates, for so many tables.

    With the certificates the user goes: without a password file the broker believes the name that
    a client gives itself, and the shipped ACL holds for it as it stands.
    """
    shipped = lines_without_certificates(home)
    shipped[shipped.index("allow_anonymous false")] = "allow_anonymous true"
    if tables + CONNECTIONS_BESIDE > CONNECTIONS_SHIPPED:
        bound = shipped.index(f"max_connections {CONNECTIONS_SHIPPED}")
        shipped[bound] = f"max_connections {tables + CONNECTIONS_BESIDE}"
    return [f"persistence_location {home}/", "log_type warning", *shipped]


class QuietBroker(Mosquitto):
    """Without a line in the log for each packet, as it is installed."""

    words = ()
    own_session = True


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the room over one play: of one core's time the share while events were sent,
    processor time an event until the last had arrived, and MB then."""

    name: str
    share: float
    event_us: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Way:
    """How one subscriber got the events of one play. `ns` are all ways that ended, in order."""

    name: str
    lost: int
    repeats: int
    jumps: int
    ns: list[int]


@dataclass(frozen=True, slots=True)
class Played:
    """One play: what the generator and the page answered, each way, each process."""

    tables: int
    rate: float
    told: Line
    page: Line
    ways: tuple[Way, ...]
    parts: tuple[Part, ...]
    drained: bool
    load: float

    @property
    def events(self) -> int:
        """Sent in all."""
        return int(self.told["sent"])

    @property
    def rate_a_second(self) -> float:
        """Events a second, as they were really sent."""
        return self.events / max(1e-9, int(self.told["took_ns"]) / 1e9)

    def way(self, name: str) -> Way | None:
        """Of one subscriber."""
        return next((one for one in self.ways if one.name == name), None)


class Hall:
    """`tables` tables at a broker of their own. `staffed`: recorder, monitor and page are there.

    `recorder` and `monitor` are what `python` is given to run the two. Beyond the monotonic `end_s`
    nothing is waited for that is still on its way.
    """

    def __init__(
        self, home: Path, tables: int, each: int, *, staffed: bool = True,
        end_s: float = math.inf,
        recorder: tuple[str, ...] = ("-m", "tests.bench.room.kept"),
        monitor: tuple[str, ...] = ("-m", "controller"),
    ) -> None:  # fmt: skip
        self.home, self.tables, self.each, self.staffed = home, tables, each, staffed
        self.store = home / "room.sqlite"
        self._end_s = end_s
        self._words = {"recorder": recorder, "monitor": monitor}

    def __enter__(self) -> Hall:
        """Start all, and let every table be born. Raises RuntimeError or RoleTrouble."""
        with contextlib.ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all."""
        self._stack.close()

    def _start(self, stack: contextlib.ExitStack) -> None:
        broker = QuietBroker(self.home, *lines_of(self.home, self.tables))
        stack.enter_context(broker.running())
        self.port = broker.port
        assert broker.process is not None
        self.pids = {"broker": broker.process.pid}
        names = ["sent", "listener", *(["recorder"] if self.staffed else [])]
        self.stamps = {
            name: stack.enter_context(Stamps(self.home / f"{name}.ns", self.tables, self.each))
            for name in names
        }
        if self.staffed:
            self._start_staff(stack)
        self._role(stack, "listener", str(self.port), *self._shape("listener"))
        sizes = (str(self.port), str(self.tables), str(self.each))
        self.generator = self._role(stack, "tables", *sizes, str(self.stamps["sent"].path))
        self.generator.ask({"begin": True}, PATIENCE_S)

    def _start_staff(self, stack: contextlib.ExitStack) -> None:
        url = f"mqtt://{PRINCIPAL}@127.0.0.1:{self.port}"
        shape = self._shape("recorder")
        variables = {**os.environ, VARIABLE: ":".join((shape[2], shape[0], shape[1]))}
        self._verb(stack, "recorder", "recording", variables, "record", "--broker", url,
                   "--store", str(self.store))  # fmt: skip
        said = self._verb(stack, "monitor", "monitor: http", dict(os.environ), "monitor",
                          "--broker", url, "--listen", "127.0.0.1:0")  # fmt: skip
        port = said.split("monitor: ")[1].split("/ ")[0].rpartition(":")[2]
        self.page = self._role(stack, "page", port)

    def _shape(self, name: str) -> tuple[str, str, str]:
        return str(self.tables), str(self.each), str(self.stamps[name].path)

    def _role(self, stack: contextlib.ExitStack, name: str, *words: str) -> Role:
        role = Role(name, "-m", f"tests.bench.room.{name}", *words)
        stack.callback(role.stop)
        self.pids[name] = role.pid
        return role

    def _verb(
        self, stack: contextlib.ExitStack, name: str, sign: str, variables: dict[str, str],
        *words: str,
    ) -> str:  # fmt: skip
        """Start a verb and wait for its sign on standard error."""
        log = self.home / f"{name}.log"
        out = stack.enter_context((self.home / f"{name}.out").open("wb"))
        with log.open("wb") as errors:
            started = subprocess.Popen(
                [sys.executable, *self._words[name], *words],
                cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        stack.callback(self._end, name, started)
        self.pids[name] = started.pid
        if not _until(lambda: sign in log.read_text() or started.poll() is not None, START_S_MAX):
            raise RuntimeError(f"the {name} does not begin: {log.read_text()[-2000:]}")
        if started.poll() is not None:
            raise RuntimeError(f"the {name} ended: {log.read_text()[-2000:]}")
        return log.read_text()

    def _end(self, name: str, started: subprocess.Popen[bytes]) -> None:
        started.send_signal(signal.SIGTERM)
        try:
            code = started.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()
            return
        if code:
            log = (self.home / f"{name}.log").read_text()[-2000:]
            sys.stderr.write(f"the {name} ended with {code}: {log}\n")

    def play(
        self, rate: float, seconds: float, *, levels: bool, spare_s: float = 0.3
    ) -> Played:  # fmt: skip
        """Let all tables speak, `rate` events a second each, and wait until all was heard."""
        before = {name: stamps.told(at.REPEATS) for name, stamps in self.stamps.items()}
        jumps = {name: stamps.told(at.JUMPS) for name, stamps in self.stamps.items()}
        if self.staffed:
            self.page.ask({}, PATIENCE_S)
        self.generator.tell(
            {"rate": rate, "seconds": seconds, "levels": levels, "spare_s": spare_s}
        )
        # Shares are those of the sending, never of the making before it.
        begun = self._used_when_sending()
        told = self.generator.heard(PATIENCE_S + seconds)
        sent = self._used()
        drained = _until(self._has_all, self._patience_s(), self._came)
        page = self.page.ask({}, PATIENCE_S) if self.staffed else {}
        if self.staffed:
            drained &= self._page_has_all(told, page)
        parts = self._parts(begun, sent, int(told["sent"]))
        ways = tuple(
            self._way(name, told, before[name], jumps[name])
            for name in self.stamps if name != "sent"
        )  # fmt: skip
        return Played(
            self.tables, rate, told, page, ways, parts, drained, os.getloadavg()[0]
        )  # fmt: skip

    def _used_when_sending(self) -> tuple[int, dict[str, int]]:
        count = self.stamps["sent"].told(at.COUNT)
        _until(lambda: self.stamps["sent"].told(at.COUNT) > count, PATIENCE_S)
        return self._used()

    def _used(self) -> tuple[int, dict[str, int]]:
        """Now, and the processor time of each process, in ns."""
        now_ns = time.monotonic_ns()
        return now_ns, {name: process.processor_ns(pid) for name, pid in self.pids.items()}

    def _parts(
        self, begun: tuple[int, dict[str, int]], sent: tuple[int, dict[str, int]], events: int
    ) -> tuple[Part, ...]:  # fmt: skip
        _, ended = self._used()
        return tuple(
            Part(
                name, (sent[1][name] - begun[1][name]) / (sent[0] - begun[0]),
                (ended[name] - begun[1][name]) / 1000 / events,
                process.resident_kb(pid) * 1024 / 1e6,
            )
            for name, pid in self.pids.items()
        )  # fmt: skip

    def _has_all(self) -> bool:
        wanted = self.stamps["sent"].told(at.COUNT)
        return all(stamps.told(at.COUNT) >= wanted for stamps in self.stamps.values())

    def _came(self) -> int:
        return sum(stamps.told(at.COUNT) for stamps in self.stamps.values())

    def _page_has_all(self, told: Line, page: Line) -> bool:
        """Wait for the last event of each table; `page` takes up what it shows by then."""
        came = 0

        def has_all() -> bool:
            nonlocal came
            if told["times"].items() <= page["times"].items():
                return True
            later = self.page.ask({}, PATIENCE_S)
            came += later["news"]
            page.update({name: later[name] for name in ("times", "concerns")})
            return False

        return _until(has_all, self._patience_s(), lambda: came)

    def _patience_s(self) -> float:
        return max(DRAIN_S_MIN, min(DRAIN_S_MAX, self._end_s - time.monotonic()))

    def _way(self, name: str, told: Line, repeats: int, jumps: int) -> Way:
        stamps = self.stamps[name]
        sent = self.stamps["sent"].of(told["first"], told["last"])
        came = stamps.of(told["first"], told["last"])
        ways = sorted(end - begin for begin, end in zip(sent, came, strict=True) if end)
        return Way(
            name, sum(not end for end in came), stamps.told(at.REPEATS) - repeats,
            stamps.told(at.JUMPS) - jumps, ways,
        )  # fmt: skip

    def kept(self) -> list[str]:
        """What is wrong with the recorder's store after all plays; empty where it has everything.

        The recorder may still run: it is read as another process reads it.
        """
        wrong = []
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as store:
            rows = store.execute("SELECT table_id, reached, state FROM journals").fetchall()
            (findings,) = store.execute("SELECT count(*) FROM findings").fetchone()
            (events,) = store.execute("SELECT count(*) FROM events").fetchone()
        sent = self.stamps["sent"].told(at.COUNT)
        if events != sent or sum(reached for _, reached, _ in rows) != sent:
            wrong.append(f"{events} events in the store, {sent} sent")
        wrong += [f"{table} is {state}" for table, _, state in rows if state != "whole"]
        if findings or (self.home / "recorder.out").stat().st_size:
            told = (self.home / "recorder.out").read_text().partition("\n")[0]
            wrong.append(f"{findings} findings; the first one told: {told}")
        return wrong


def _until(
    true: Callable[[], bool], seconds_max: float, moved: Callable[[], int] | None = None
) -> bool:  # fmt: skip
    """Whether it held in time, and before `moved` stood still for STILL_S_MAX."""
    now = time.monotonic()
    end, still_end, last = now + seconds_max, now + STILL_S_MAX, -1
    while not true():
        now = time.monotonic()
        if moved is not None and moved() != last:
            last, still_end = moved(), now + STILL_S_MAX
        if now > end or (moved is not None and now > still_end):
            return False
        time.sleep(LOOK_S)
    return True
