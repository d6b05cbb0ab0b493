"""A judgement as a picture. Needs matplotlib, which the extra `lab` brings."""

from __future__ import annotations

from pathlib import Path

from controller.laboratory.judgement import Judgement
from controller.laboratory.report import BAND_DEVIATIONS
from controller.laboratory.sample import VALUES


class NoPlotter(Exception):
    """matplotlib is not installed here."""


def plot(judgement: Judgement, source: str, path: Path) -> None:
    """Write a PNG: each number's deviation with a band, and each test's chance.

    Raises NoPlotter, OSError.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NoPlotter("--plot needs matplotlib: pip install 'table-controller[lab]'") from None
    figure = Figure(figsize=(10, 4), layout="constrained")
    shares, chances = figure.subplots(1, 2)
    even = judgement.numbers / VALUES
    deviation = max(1.0, (judgement.numbers * (VALUES - 1)) ** 0.5 / VALUES)
    away = [(count - even) / deviation for count in judgement.counts]
    shares.bar(range(1, VALUES + 1), away)
    shares.axhline(0, color="black", linewidth=1)
    shares.axhspan(-BAND_DEVIATIONS, BAND_DEVIATIONS, alpha=0.2)
    shares.set_xlabel("number")
    shares.set_ylabel("standard deviations from an even share")
    shares.set_title(f"{judgement.numbers} numbers")
    run = [one.finding for one in judgement.judged if one.finding.chance is not None]
    chances.barh([one.test for one in run], [one.chance or 0.0 for one in run])
    chances.axvline(judgement.gate, color="black", linewidth=1)
    chances.set_xlim(0, 1)
    chances.set_title("chance of each test, before the correction")
    figure.suptitle(source)
    figure.savefig(path, format="png")
