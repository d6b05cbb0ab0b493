"""`python -m tests.bench`: the daemon's figures as ratios against a floor of the same run."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench import figures, measures, report, subjects

# A file system in memory, as Linux has one; without it the tail is measured on the disk.
MEMORY = Path("/dev/shm")


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__,
        epilog="example: python -m tests.bench --quick --json figures.json",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="a smoke run, below 20 s: no figures")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--home", type=Path, default=Path("/var/tmp"),
        help="a directory on the disk that is to be measured; default: /var/tmp",
    )  # fmt: skip
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Measure and report; 1 where something else happened than what was to be measured."""
    given = _arguments(words)

    def say(what: str) -> None:
        sys.stderr.write(f"{what} …\n")

    memory = MEMORY if MEMORY.is_dir() else given.home
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=given.home) as home,
        tempfile.TemporaryDirectory(prefix="bench-", dir=memory) as quick,
        subjects.broker(Path(home)) as port,
    ):
        plan = figures.QUICK if given.quick else figures.FULL
        made = subjects.compiled(Path(home))
        run = measures.Run(Path(home), Path(quick), port, made, plan, say)
        measures.all_of(run)
    report.show(run)
    if given.json is not None:
        given.json.write_text(report.as_json(run), encoding="utf-8")
    return 1 if run.strangers else 0


if __name__ == "__main__":
    sys.exit(main())
