"""The soak: what counts as flat, and that it looks at the real daemon."""

from pathlib import Path

from tests.bench.soak import GROWTH_KB_MAX, Sample, grown, play, quarters, told

# Two of each quarter.
FLAT = [Sample(float(number), 50_000, 30_000, 20, 5) for number in range(8)]


def test_what_stays_flat_is_flat_and_so_is_what_grew_before_the_second_quarter() -> None:
    early = [Sample(0.0, 40_000, 10_000, 9, 2)] * 2
    assert grown(quarters(FLAT)) == ""
    assert grown(quarters(early + FLAT[2:])) == ""


def test_growth_is_named_from_the_first_step_beyond_the_bound() -> None:
    def last(**changes: int) -> str:
        more = {"anonymous_kb": 30_000, "files": 20, "threads": 5} | changes
        return grown(quarters(FLAT[:6] + [Sample(9.0, 50_000, **more)] * 2))

    assert last(anonymous_kb=30_000 + GROWTH_KB_MAX) == ""
    assert last(anonymous_kb=30_001 + GROWTH_KB_MAX) == f"memory by {GROWTH_KB_MAX + 1} kB"
    assert last(files=21, threads=6) == "file handles, threads"


def test_three_samples_are_too_few() -> None:
    assert grown(quarters(FLAT[:3])) == "too short to tell"


def test_a_short_soak_looks_at_the_daemon_itself(tmp_path: Path) -> None:
    summary, samples = play("dj-wild", 3, 100, tmp_path)
    assert summary["as_demanded"], summary
    # The daemon has a thread for its journal beside its loop, from before the first round on.
    assert max(one.threads for one in samples) >= 2
    assert "3 rounds" in told("dj-wild", summary, samples)
