"""A person at a simulated panel: presses with bounce from another thread, and sees what is lit.

The panel under it is the real one on gpiozero's mock pins. A contact bounces as real ones do: a
burst of random edges, seeded, before it rests. Faults: `button-bounce` (a worn contact: longer
bursts, and a flicker while it is held), `button-stuck` (the first press never comes up again) and
`segment-dead` (one segment stays dark, whatever is driven).
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, cast

from hal.gpio import Board, Factory, Input, Output, Pin, open_factory
from hal.pins import LAMPS, PanelPins, PanelSettings
from hal.segments import SEGMENTS, glyph_of

PANEL_FAULTS = ("button-bounce", "button-stuck", "segment-dead")
# A person presses for a tenth of a second; a burst of a good contact is over within 5 ms.
PRESS_MS = 100
BOUNCE_EDGES_MAX = 12
WORN_EDGES_MAX = 40
BOUNCE_GAP_US_MAX = 400
# An eye calls it blinking after three changes with some half a second between (hal.lamps: 500 ms).
CHANGES_SEEN = 3
BLINK_S_MIN, BLINK_S_MAX = 0.3, 0.75
# gpiozero's mock pins remember every state for ever; forget them before that shows.
STATES_KEPT_MAX = 1_000
# The segment that dies: without it a 7 looks like a 1.
DEAD_SEGMENT = "a"

# Every purpose but the sense lines on the 28 lines of a board's header.
BENCH_PINS = PanelPins({
    "rng": 17, "done": 27, "no_more_bets": 22, "round_done": 23, "call_floor": 24, "card_up": 25,
    "key": 16, "cover_shuffler": 20, "cover_shoe": 21, "case": 26,
    "segment_a": 5, "segment_b": 6, "segment_c": 12, "segment_d": 13, "segment_e": 19,
    "segment_f": 18, "segment_g": 4, "red": 9, "amber": 10, "green": 11, "sounder": 8,
    "seat_1": 0, "seat_2": 1, "seat_3": 2, "seat_4": 3, "seat_5": 7, "seat_6": 14, "seat_7": 15,
})  # fmt: skip


class _Metal(Protocol):
    """A mock pin as the outside world sees it."""

    state: object
    states: list[object]

    def drive_high(self) -> None: ...
    def drive_low(self) -> None: ...
    def clear_states(self) -> None: ...


class SimOutput(Output):
    """An output whose changes an eye can follow, and whose driver can be dead."""

    __slots__ = ("changes", "dead")

    def __init__(self, name: str, pin: Pin, active_low: bool) -> None:
        self.dead = False
        self.changes: deque[float] = deque(maxlen=CHANGES_SEEN)
        super().__init__(name, pin, active_low)

    def set(self, on: bool) -> None:
        """Drive the line and remember when it changed."""
        if on != super().reads_on():
            self.changes.append(time.monotonic())
        super().set(on)
        metal = cast("_Metal", self.pin)
        if len(metal.states) > STATES_KEPT_MAX:
            metal.clear_states()

    def reads_on(self) -> bool:
        """What the metal shows: nothing where the driver is dead."""
        return not self.dead and super().reads_on()


class SimBoard(Board):
    """A board of mock pins whose outputs can be looked at. Raises BoardError."""

    def __init__(self, factory: Factory | None = None) -> None:
        super().__init__(factory or open_factory("mock"))
        self.inputs: dict[str, Input] = {}
        self.outputs: dict[str, SimOutput] = {}

    def input(self, name: str, number: int, active_low: bool) -> Input:
        """As on a real board."""
        self.inputs[name] = super().input(name, number, active_low)
        return self.inputs[name]

    def output(self, name: str, number: int, active_low: bool) -> Output:
        """As on a real board, with an eye on it."""
        with self._claim(name, number) as pin:
            self.outputs[name] = SimOutput(name, pin, active_low)
        return self.outputs[name]


class SimPanel:
    """A person at the panel of `settings`; hand its `board` to the real `Panel`.

    Every act happens in one thread of its own, in the order asked for, and gives a Future that is
    done when the hand is away again (`await asyncio.wrap_future(...)`). Raises KeyError for a
    purpose that the panel has not claimed, ValueError for an unknown fault.
    """

    def __init__(
        self,
        settings: PanelSettings | None = None,
        seed: int = 1,
        faults: Collection[str] = (),
    ) -> None:
        if unknown := set(faults) - set(PANEL_FAULTS):
            raise ValueError(f"no such fault of a panel: {', '.join(sorted(unknown))}")
        self.settings = settings or PanelSettings(
            pins=BENCH_PINS, factory="mock", self_test_step_ms=0
        )
        self.board = SimBoard()
        self._faults = frozenset(faults)
        self._random = random.Random(seed)
        self._hand = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sim-panel")
        self._stuck: set[str] = set()
        self._gone = threading.Event()

    # ---- acts ----------------------------------------------------------------------------------
    def press(self, name: str, held_ms: int = PRESS_MS) -> Future[None]:
        """Press a button and let it go, bouncing both times."""
        return self._act(lambda: self._press(self._line(name), held_ms))

    def hold(self, name: str) -> Future[None]:
        """Press a button and keep it down, until `let_go`."""
        return self._act(lambda: self._move(self._line(name), True))

    def let_go(self, name: str) -> Future[None]:
        """Take the finger away; a stuck button comes free as well."""
        self._stuck.discard(name)
        return self._act(lambda: self._move(self._line(name), False))

    def glitch(self, name: str, length_ms: int = 2) -> Future[None]:
        """A touch or a spike, too short to be a press."""
        return self._act(lambda: self._spike(self._line(name), length_ms))

    def key(self, on: bool) -> Future[None]:
        """Turn the floorperson's key."""
        return self._act(lambda: self._move(self._line("key"), on))

    def cover(self, device: str, on: bool) -> Future[None]:
        """Put a device's cover on or take it off."""
        return self._act(lambda: self._move(self._line(f"cover_{device}"), on))

    def case(self, is_open: bool) -> Future[None]:
        """Open or close the case; its switch connects while it is closed."""
        return self._act(lambda: self._move(self._line("case"), not is_open))

    def rest(self) -> None:
        """Before the panel runs: case closed, covers off, key off, no finger anywhere."""
        if "case" in self.board.inputs:
            self._drive(self.board.inputs["case"], True)

    def close(self) -> None:
        """Leave at once, in the middle of a press if need be."""
        self._gone.set()
        self._hand.shutdown(wait=True, cancel_futures=True)

    # ---- what a person sees --------------------------------------------------------------------
    def digit(self) -> str:
        """The glyph that stands on the digit, `?` for a pattern that is none."""
        lit = frozenset(
            segment
            for segment in SEGMENTS
            if (output := self.board.outputs.get(f"segment_{segment}")) and output.reads_on()
        )
        return glyph_of(lit) or "?"

    def lamps(self) -> dict[str, str]:
        """Each wired lamp as `off`, `on` or `blink`; a blink is seen after its third change."""
        return {name: self._seen(name) for name in LAMPS if name in self.board.outputs}

    def sounds(self) -> bool:
        """The sounder makes a noise at this moment."""
        output = self.board.outputs.get("sounder")
        return output is not None and output.reads_on()

    def kill_segment(self, segment: str = DEAD_SEGMENT, dead: bool = True) -> None:
        """Break one segment's driver, or mend it."""
        self.board.outputs[f"segment_{segment}"].dead = dead

    def ready(self) -> None:
        """Once the panel has claimed its lines: rest, and apply the faults that stand from here."""
        self.rest()
        if "segment-dead" in self._faults:
            self.kill_segment()

    # ---- the hand ------------------------------------------------------------------------------
    def _act(self, act: Callable[[], None]) -> Future[None]:
        return self._hand.submit(act)

    def _line(self, name: str) -> Input:
        return self.board.inputs[name]

    def _press(self, line: Input, held_ms: int) -> None:
        self._move(line, True)
        if "button-bounce" in self._faults:
            self._wait(held_ms / 2_000)
            # Shorter than any press or release: must be neither.
            self._spike(line, 3)
            self._wait(held_ms / 2_000)
        else:
            self._wait(held_ms / 1_000)
        if "button-stuck" in self._faults and not self._stuck:
            self._stuck.add(line.name)
        if line.name not in self._stuck:
            self._move(line, False)

    def _move(self, line: Input, closed: bool) -> None:
        """Move a contact to its new place, with a burst of edges on the way."""
        if line.closed() == closed:
            return
        worn = "button-bounce" in self._faults
        for _ in range(self._random.randint(1, WORN_EDGES_MAX if worn else BOUNCE_EDGES_MAX) // 2):
            for level in (closed, not closed):
                self._drive(line, level)
                self._wait(self._random.randint(20, BOUNCE_GAP_US_MAX) / 1_000_000)
        self._drive(line, closed)

    def _spike(self, line: Input, length_ms: int) -> None:
        before = line.closed()
        self._drive(line, not before)
        self._wait(length_ms / 1_000)
        self._drive(line, before)

    def _drive(self, line: Input, closed: bool) -> None:
        metal = cast("_Metal", line.pin)
        if closed != self.settings.inputs_active_low:
            metal.drive_high()
        else:
            metal.drive_low()
        if len(metal.states) > STATES_KEPT_MAX:
            metal.clear_states()

    def _wait(self, seconds: float) -> None:
        self._gone.wait(seconds)

    def _seen(self, name: str) -> str:
        output = self.board.outputs[name]
        times = (*output.changes, time.monotonic())
        gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
        # Two gaps of a rhythm behind it, and the next change not overdue.
        if len(gaps) == CHANGES_SEEN and max(gaps) < BLINK_S_MAX and min(gaps[:-1]) > BLINK_S_MIN:
            return "blink"
        return "on" if output.reads_on() else "off"
