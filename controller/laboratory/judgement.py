"""All tests of one sample together, corrected for their number; and the same while it grows. Pure.

A battery of fourteen at 1 % each would fail fair numbers every eighth time; Holm's correction keeps
the chance that anything fails by luck below 1 % in all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.laboratory.battery import BATTERY
from controller.laboratory.chances import holm
from controller.laboratory.sample import VALUES, Finding

# The gate of most regulators, and the stricter-looking one of 58 Pa. Code § 810a.5(c), which is
# told beside it (product.md A3).
GATE_AT, WARNING_AT = 0.01, 0.05
FIRST_LOOK = 1_000


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding and its chance after the correction; None where the test was not run."""

    finding: Finding
    corrected: float | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was seen in `numbers` numbers; `gate` is the corrected chance below which it fails."""

    numbers: int
    counts: tuple[int, ...]
    judged: tuple[Judged, ...]
    gate: float = GATE_AT

    @property
    def failed(self) -> tuple[str, ...]:
        """Tests that fail at the gate, in the order of the battery."""
        return self._below(self.gate)

    @property
    def warned(self) -> tuple[str, ...]:
        """Tests that fail at 95 %."""
        return self._below(WARNING_AT)

    @property
    def passes(self) -> bool:
        """Enough numbers for a test at all, and none of those run fails."""
        return not self.failed and any(one.corrected is not None for one in self.judged)

    def _below(self, bound: float) -> tuple[str, ...]:
        return tuple(
            one.finding.test
            for one in self.judged
            if one.corrected is not None and one.corrected < bound
        )


def judge(numbers: bytes, gate: float = GATE_AT) -> Judgement:
    """Run the battery on numbers of 1 to 7, each an octet."""
    findings = [test(numbers) for test in BATTERY]
    chances = [finding.chance for finding in findings if finding.chance is not None]
    corrected = iter(holm(chances))
    judged = tuple(
        Judged(finding, None if finding.chance is None else next(corrected)) for finding in findings
    )
    counts = tuple(numbers.count(value) for value in range(1, VALUES + 1))
    return Judgement(len(numbers), counts, judged, gate)


def share_of_look(look: int) -> float:
    """The part of the error of 1 % that look 1, 2, 3, … may spend: 1/(k(k+1)), one in all."""
    return GATE_AT / (look * (look + 1))


def sequential(take: Callable[[int], bytes], numbers_max: int) -> Judgement:
    """Judge after 1,000 numbers, 2,000, 4,000 … and `numbers_max`; stop at the first failure.

    `take` gives so many more numbers, or fewer where there are no more. All looks together fail
    fair numbers at most once in a hundred samples.
    """
    sample = bytearray()
    goal, look = min(FIRST_LOOK, numbers_max), 1
    while True:
        wanted = goal - len(sample)
        sample += take(wanted)
        judgement = judge(bytes(sample), share_of_look(look))
        if judgement.failed or len(sample) < goal or goal == numbers_max:
            return judgement
        goal, look = min(2 * goal, numbers_max), look + 1
