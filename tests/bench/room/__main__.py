"""`python -m tests.bench.room`: rooms of 200 and of 2,000 tables at one broker; how far it goes.

Recorder, monitor and broker are the real ones, each a process; the tables are simulated, with real
connections and a real record each. Exit 1 where an event was lost or did not arrive in time.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.room import report
from tests.bench.room.hall import Hall, Played
from tests.bench.room.plan import FULL, QUICK, RUN_S_MAX, Plan
from tests.bench.room.ramp import Ramp, search

# Beside the play itself a search holds so many steps' sequences.
SPARE_EVENTS = 16
# What a step costs beyond its play: making its events, waiting for the last.
STEP_S = 8

Say = Callable[[str], object]


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.room", description=__doc__,
        epilog="example: python -m tests.bench.room --quick --json room.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="a smoke run, below 40 s: no figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--home", type=Path, default=Path("/var/tmp"),
        help="a directory on the disk of broker and recorder; default: /var/tmp",
    )  # fmt: skip
    return parser.parse_args(words)


class Run:
    """The plays in their order; `wrong` gathers whatever was lost."""

    def __init__(self, plan: Plan, home: Path, out: Say, progress: Say) -> None:
        self.plan, self._home, self._out, self._progress = plan, home, out, progress
        self._end_s = time.monotonic() + RUN_S_MAX
        self.plays: dict[str, Played] = {}
        self.ramps: list[Ramp] = []
        self.wrong: list[str] = []

    def all(self) -> None:
        """Everything."""
        plan = self.plan
        self._floor()
        self.room(f"{plan.few} tables, levels too", plan.few, plan.few_s, levels=True)
        self.room(f"{plan.many} tables, events alone", plan.many, plan.many_s, levels=False)
        self._ramp("plain subscriber alone", staffed=False, share=3)
        self._ramp("with recorder and monitor", staffed=True, share=1)

    def room(self, title: str, tables: int, seconds: float, *, levels: bool) -> None:
        """A whole room, an event a second and table; nothing may be lost."""
        self._say(title)
        with self._hall(tables, int(seconds) + SPARE_EVENTS, staffed=True) as hall:
            played = self.plays[title] = hall.play(1.0, seconds, levels=levels)
            report.show_played(self._out, title, played)
            self.wrong += [f"{title}: {one}" for one in (*losses(played), *hall.kept())]

    def _floor(self) -> None:
        plan = self.plan
        title = "floor: one table, 100 a second, plain subscriber alone"
        self._say(title)
        with self._hall(1, int(plan.floor_s * 100) + SPARE_EVENTS, staffed=False) as hall:
            played = self.plays[title] = hall.play(100.0, plan.floor_s, levels=False)
            report.show_played(self._out, title, played)
        title = f"floor: {plan.few} tables, plain subscriber alone"
        self._say(title)
        with self._hall(plan.few, int(plan.floor_s) + SPARE_EVENTS, staffed=False) as hall:
            played = self.plays[title] = hall.play(1.0, plan.floor_s, levels=False)
            report.show_played(self._out, title, played)

    def _ramp(self, title: str, *, staffed: bool, share: int) -> None:
        plan = self.plan
        left_s = (self._end_s - time.monotonic()) / share - STEP_S
        if left_s < 0:
            self._out(f"\n{title}: no time was left for it\n")
            return
        steps = sum(plan.rates) + 2 * plan.bisections * max(plan.rates)
        with self._hall(plan.few, int(steps * plan.step_s) + SPARE_EVENTS, staffed=staffed) as hall:
            ramp = search(hall, title, plan, time.monotonic() + left_s, self._say)
        self.ramps.append(ramp)
        report.show_ramp(self._out, ramp)

    def _hall(self, tables: int, each: int, *, staffed: bool) -> Hall:
        home = Path(tempfile.mkdtemp(prefix="hall-", dir=self._home))
        return Hall(home, tables, each, staffed=staffed, end_s=self._end_s)

    def _say(self, what: str) -> None:
        self._progress(f"{what} …\n")


def losses(played: Played) -> list[str]:
    """What a subscriber or the page did not get, or got twice or out of order."""
    wrong = [] if played.drained else ["not all had arrived when it was no longer waited for"]
    wrong += [
        f"{way.name}: {way.lost} lost, {way.repeats} again, {way.jumps} out of order"
        for way in played.ways
        if way.lost or way.repeats or way.jumps
    ]
    if played.page:
        shown = played.page["times"]
        lacking = [one for one, at in played.told["times"].items() if shown.get(one) != at]
        wrong += [f"the page lacks the last event of {one}" for one in lacking[:3]]
        wrong += [f"the page: {words}" for words in played.page["concerns"][:3]]
    if played.told["refused"]:
        wrong.append(f"the broker refused {played.told['refused']} publications")
    return wrong


def main(words: list[str] | None = None) -> int:
    """Measure and report; 1 where an event was lost."""
    given = _arguments(words)
    # Ended from outside it still stops its broker, recorder and monitor.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="room-", dir=given.home) as home:
        plan = QUICK if given.quick else FULL
        run = Run(plan, Path(home), sys.stdout.write, sys.stderr.write)
        report.show_machine(sys.stdout.write)
        run.all()
    for one in run.wrong:
        sys.stdout.write(f"WRONG: {one}\n")
    sys.stdout.write("\n" + ("nothing was lost\n" if not run.wrong else "not as it should be\n"))
    if given.json is not None:
        given.json.write_text(report.document_of(run.plays, run.ramps), encoding="utf-8")
    return 1 if run.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
