"""A frame and its event are matched once, whatever the wire did to the copies."""

from __future__ import annotations

from controller.demo.latency import WAITING_MAX, Latency
from hal.protocols.tdp1 import Frame, encode

MS = 1_000_000


def stack(number: int, seq: int) -> bytes:
    return encode(Frame("shoe", 0x1A2B, seq, "STACK", {"n": str(number), "cards": "5"}))


def progress(number: int) -> dict[str, object]:
    return {"type": "round.deal_progress", "data": {"stack": number, "cards": 5}}


def test_the_time_is_from_the_first_whole_copy_to_the_first_event() -> None:
    latency = Latency()
    damaged = stack(1, 7).replace(b"n=1", b"n=2")
    assert latency.left(damaged, 1 * MS) is None
    assert latency.left(stack(1, 7), 2 * MS) is not None
    assert latency.left(stack(1, 7), 4 * MS) is None
    latency.came(progress(1), 5 * MS)
    latency.came(progress(1), 9 * MS)
    assert latency.taken_ns == [3 * MS]


def test_nothing_is_measured_over_an_outage_of_the_broker() -> None:
    latency = Latency()
    latency.left(stack(1, 7), 0)
    latency.interrupted()
    latency.came(progress(1), 9 * MS)
    assert latency.taken_ns == []
    assert latency.at(50) is None


def test_shares_are_of_the_ordered_times() -> None:
    latency = Latency()
    latency.taken_ns = [n * MS for n in range(100, 0, -1)]
    assert (latency.at(50), latency.at(99), latency.at(100)) == (51.0, 100.0, 100.0)


def test_frames_whose_events_never_come_do_not_pile_up() -> None:
    latency = Latency()
    for number in range(2 * WAITING_MAX):
        latency.left(stack(number, number), 0)
    assert len(latency._sent) == WAITING_MAX
