"""When to ask which table for what: gaps that do not close by themselves, a few at a time. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from controller.recorder.follower import Follower
from controller.replayer import REPLAY_EVENTS_MAX

# A table that comes back sends its backlog in order; only what stands still is asked for.
STILL_S = 3.0
# A table answers within a second; each try that brought nothing doubles it, since a table that
# does not answer is told by other alarms.
ANSWER_S = 15.0
ANSWER_S_MAX = 300.0
# Replays come at 200 events a second each: this many leave the hub to the live tables.
INQUIRIES_MAX = 8
# A table that begins its answer twice at the same later event does not have the earlier ones.
CONFIRMATIONS = 2
# A gap that two tries did not close is an alarm.
GAP_TRIES_MIN = 2


@dataclass(slots=True)
class Inquiry:
    """What is asked of one journal. `lowest` is the first event that came of the last request."""

    first: int = 0
    asked_s: float = 0
    moved_s: float = 0
    reached: int = 0
    tries: int = 0
    lowest: int | None = None
    begun_at: int = 0
    confirmed: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """One `replay` command."""

    table: str
    journal: str
    first: int
    last: int


class Inquiries:
    """Follows the progress of each journal; `now_s` is monotonic."""

    def __init__(self) -> None:
        self._open: dict[str, Inquiry] = {}

    def tries(self, journal: str) -> int:
        """Requests since the journal's row last grew."""
        inquiry = self._open.get(journal)
        return 0 if inquiry is None else inquiry.tries

    def heard(self, journal: str, sequence: int, now_s: float) -> None:
        """An event came on the topic of replays."""
        inquiry = self._open.get(journal)
        if inquiry is not None and inquiry.tries and sequence >= inquiry.first:
            inquiry.moved_s = now_s
            if inquiry.lowest is None:
                inquiry.lowest = sequence

    def gone_before(self, follower: Follower) -> int | None:
        """The first event that the table still has, where it lacks what was asked for."""
        inquiry = self._open.get(follower.journal)
        if inquiry is None or inquiry.confirmed < CONFIRMATIONS:
            return None
        begun = inquiry.begun_at
        return begun if begun > follower.reached + 1 and begun in follower.ahead else None

    def due(self, followers: list[Follower], now_s: float) -> list[Ask]:
        """What to ask now. `followers` are those whose table is there and writes this journal."""
        asked = []
        busy = sum(self._is_busy(one, now_s) for one in self._open.values())
        for follower in followers:
            gap = follower.gap()
            if gap is None:
                self._open.pop(follower.journal, None)
                continue
            inquiry = self._open.get(follower.journal)
            if inquiry is None:
                inquiry = self._open[follower.journal] = Inquiry(
                    moved_s=now_s, reached=follower.reached
                )
            if follower.reached != inquiry.reached:
                inquiry.reached, inquiry.moved_s, inquiry.tries = follower.reached, now_s, 0
            if busy < INQUIRIES_MAX and self._is_due(inquiry, now_s):
                busy += 1
                asked.append(self._ask(follower, inquiry, gap, now_s))
        return asked

    def _is_due(self, inquiry: Inquiry, now_s: float) -> bool:
        if now_s - inquiry.moved_s < STILL_S:
            return False
        if inquiry.tries == 0 or inquiry.lowest is not None:
            return True
        doublings = min(inquiry.tries - 1, 10)
        return now_s - inquiry.asked_s >= min(ANSWER_S_MAX, ANSWER_S * (1 << doublings))

    def _is_busy(self, inquiry: Inquiry, now_s: float) -> bool:
        return inquiry.tries > 0 and now_s - max(inquiry.asked_s, inquiry.moved_s) < STILL_S

    def _note_beginning(self, inquiry: Inquiry, first: int) -> None:
        """Where the answer to the request before this one began, if it was for the same gap."""
        if inquiry.lowest is None or inquiry.first != first or inquiry.lowest <= first:
            inquiry.confirmed = 0
        elif inquiry.lowest == inquiry.begun_at:
            inquiry.confirmed += 1
        else:
            inquiry.begun_at, inquiry.confirmed = inquiry.lowest, 1

    def _ask(self, follower: Follower, inquiry: Inquiry, gap: tuple[int, int], now_s: float) -> Ask:
        first, last = gap
        self._note_beginning(inquiry, first)
        inquiry.first, inquiry.asked_s, inquiry.lowest = first, now_s, None
        inquiry.tries += 1
        # One beyond the gap: where the table lacks the gap, its answer says so by beginning there.
        last = min(last + 1, first + REPLAY_EVENTS_MAX - 1)
        return Ask(follower.table, follower.journal, first, last)
