"""The figures of the number: a short run gives all of them, and they fit each other."""

from pathlib import Path

from hal.debounce import STABLE_MS
from tests.bench.number import STORM_CPU_MS_MAX, measure


async def test_a_short_run_gives_every_figure(tmp_path: Path) -> None:
    figures = await measure(2, tmp_path)
    assert figures["press to lit digit p50"] >= STABLE_MS
    assert figures["press to lit digit p99"] >= figures["press to lit digit p50"]
    assert 0 < figures["share of the durable write"] < 1
    # The bound itself, with room for the seven other tests of a busy machine.
    assert figures["5,000 edges, processor"] <= 2 * STORM_CPU_MS_MAX
