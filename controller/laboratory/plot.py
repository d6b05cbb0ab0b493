"""A judgement as a picture. Needs matplotlib, which the extra `lab` brings."""

from __future__ import annotations

from pathlib import Path

from controller.laboratory.judgement import Judgement
from controller.laboratory.report import BAND_DEVIATIONS
from controller.laboratory.sample import VALUES


class NoPlotter(Exception):
    """matplotlib is not installed here."""


def plot(judgement: Judgement, source: str, path: Path) -> None:
    """Write a PNG: the seven shares with their band, and each test's chance.

    Raises NoPlotter, OSError.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NoPlotter("--plot needs matplotlib: pip install 'table-controller[lab]'") from None
    figure = Figure(figsize=(10, 4), layout="constrained")
    shares, chances = figure.subplots(1, 2)
    total = max(1, judgement.numbers)
    band = BAND_DEVIATIONS * (total * (VALUES - 1)) ** 0.5 / VALUES / total
    shares.bar(range(1, VALUES + 1), [count / total for count in judgement.counts])
    shares.axhline(1 / VALUES, color="black", linewidth=1)
    shares.axhspan(1 / VALUES - band, 1 / VALUES + band, alpha=0.2)
    shares.set_title(f"{judgement.numbers} numbers, band of {BAND_DEVIATIONS} deviations")
    run = [one for one in judgement.judged if one.corrected is not None]
    chances.barh([one.finding.test for one in run], [one.corrected or 0.0 for one in run])
    chances.axvline(judgement.gate, color="black", linewidth=1)
    chances.set_title("chance, corrected for all tests")
    figure.suptitle(source)
    figure.savefig(path, format="png")
