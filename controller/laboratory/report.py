"""A judgement in words with a histogram for people, and as one object for machines. Pure."""

from __future__ import annotations

from controller.laboratory.judgement import GATE_AT, WARNING_AT, Judged, Judgement
from controller.laboratory.sample import VALUES

BAR_COLUMNS = 40
# Three standard deviations of a cell: six in seven samples stay inside with all seven cells.
BAND_DEVIATIONS = 3


def text_of(judgement: Judgement, source: str, sequential: bool) -> str:
    """The report, ending with one line that says how it went."""
    lines = [
        f"source   {source}",
        f"numbers  {judgement.numbers}",
        "",
        *histogram(judgement.counts),
        "",
        f"{'test':<20} {'statistic':>10} {'df':>4} {'chance':>10} {'corrected':>10}",
        *(_line(one, judgement.gate) for one in judgement.judged),
        "",
        _verdict(judgement, sequential),
        "",
    ]
    return "\n".join(lines)


def object_of(judgement: Judgement, source: str, sequential: bool) -> dict[str, object]:
    """The same for a machine; chances are numbers, None where a test was not run."""
    return {
        "source": source,
        "numbers": judgement.numbers,
        "counts": list(judgement.counts),
        "tests": [
            {
                "test": one.finding.test,
                "statistic": one.finding.statistic,
                "freedom": one.finding.freedom,
                "chance": one.finding.chance,
                "corrected": one.corrected,
                "needs": one.finding.needs,
            }
            for one in judgement.judged
        ],
        "sequential": sequential,
        "gate": judgement.gate,
        "failed": list(judgement.failed),
        "below_95": list(judgement.warned),
        "passes": judgement.passes,
    }


def histogram(counts: tuple[int, ...]) -> list[str]:
    """A bar for each number on the scale of its deviation; `|` is the even share.

    The bar spans six standard deviations: what reaches its ends is rare in fair numbers.
    """
    total = sum(counts)
    even = total / VALUES
    deviation = (total * (VALUES - 1)) ** 0.5 / VALUES or 1.0
    middle = BAR_COLUMNS // 2
    lines = []
    for value, count in enumerate(counts, start=1):
        away = (count - even) / deviation
        columns = max(-middle, min(middle, round(away * middle / BAND_DEVIATIONS)))
        left = ("#" * -columns if columns < 0 else "").rjust(middle)
        right = ("#" * columns if columns > 0 else "").ljust(middle)
        share = 100 * count / total if total else 0.0
        lines.append(f"{value}  {count:>10} {share:>7.3f} %  [{left}|{right}] {away:+.2f} sd")
    return lines


def _line(one: Judged, gate: float) -> str:
    finding = one.finding
    if finding.chance is None or one.corrected is None:
        return f"{finding.test:<20} not run: needs {finding.needs} numbers"
    statistic = "-" if finding.statistic is None else f"{finding.statistic:.3f}"
    freedom = "-" if finding.freedom is None else str(finding.freedom)
    word = "FAIL" if one.corrected < gate else "below 95 %" if one.corrected < WARNING_AT else ""
    line = (
        f"{finding.test:<20} {statistic:>10} {freedom:>4} {finding.chance:>10.3g} "
        f"{one.corrected:>10.3g}  {word}"
    )
    return line.rstrip()


def _verdict(judgement: Judgement, sequential: bool) -> str:
    where = f"after {judgement.numbers} numbers"
    if sequential:
        where += f" (this look may spend {judgement.gate:.3g} of an error of {GATE_AT})"
    if judgement.failed:
        return f"FAIL {where}: seen by {', '.join(judgement.failed)}"
    if not judgement.passes:
        return f"FAIL {where}: too few for any test"
    if judgement.warned:
        return f"PASS at 99 % {where}; below 95 %: {', '.join(judgement.warned)}"
    return f"PASS at 95 % and 99 % {where}"
