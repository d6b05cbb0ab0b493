"""Noise is evidence, once a second; a banner before the first frame is not."""

import pytest

from hal import facts
from hal.protocols.message import Junk
from hal.tally import BANNER_OCTETS_MAX, REPORT_MS_MIN, JunkTally


def test_noise_is_told_at_once_and_then_summed_for_a_second() -> None:
    tally = JunkTally()
    tally.frame_came()
    tally.add(Junk(3, "stray"))
    assert tally.report(0) == facts.Noise(3, "stray")
    tally.add(Junk(5, "stray"))
    tally.add(Junk(40, "bad_check"))
    assert tally.due_ms() == REPORT_MS_MIN
    assert tally.report(REPORT_MS_MIN - 1) is None
    assert tally.report(REPORT_MS_MIN) == facts.Noise(45, "bad_check")
    assert tally.due_ms() is None
    assert tally.total_octets == 48


@pytest.mark.parametrize(("octets", "told"), [(BANNER_OCTETS_MAX, False), (1025, True)])
def test_a_short_banner_after_an_open_is_forgotten(octets: int, told: bool) -> None:
    tally = JunkTally()
    tally.add(Junk(octets, "stray"))
    early = tally.report(0)
    tally.frame_came()
    assert (early is not None or tally.report(0) is not None) is told


def test_noise_without_any_frame_is_told_when_the_device_counts_as_silent() -> None:
    tally = JunkTally()
    tally.add(Junk(7, "stray"))
    assert tally.report(0) is None
    tally.fell_silent()
    assert tally.report(0) == facts.Noise(7, "stray")
    tally.port_opened()
    tally.add(Junk(7, "stray"))
    assert tally.report(5000) is None
