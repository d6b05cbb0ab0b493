"""GPIO lines through gpiozero: the only module that loads it, and only once a board is opened.

gpiozero's own debounce and its device classes are not used: they differ from one pin factory to
the next (a stability filter here, a hold-off there). What is used is the raw pin, which every
factory has: a level, a pull and a callback for each edge, in whatever thread the factory likes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, cast

# Pin factories that gpiozero ships, by the names that its own GPIOZERO_PIN_FACTORY uses.
FACTORIES = {
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "pigpio": ("gpiozero.pins.pigpio", "PiGPIOFactory"),
    "native": ("gpiozero.pins.native", "NativeFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}


class BoardError(Exception):
    """A line or the whole board cannot be used; the message says which, why and what to try."""


class Pin(Protocol):
    """The part of gpiozero's raw pin that this project uses."""

    state: object
    when_changed: Callable[[object, object], None] | None

    def input_with_pull(self, pull: str) -> None:
        """Make it an input with `pull` up, down or floating."""
        ...

    def output_with_state(self, state: bool) -> None:
        """Make it an output that starts at `state`."""
        ...

    def close(self) -> None:
        """Make it a plain input again."""
        ...


class Factory(Protocol):
    """The part of gpiozero's pin factory that this project uses."""

    def pin(self, name: int) -> Pin:
        """The pin of a BCM number."""
        ...

    def close(self) -> None:
        """Let the chip go."""
        ...


@contextlib.contextmanager
def _in_words(what: str) -> Iterator[None]:
    """Turn whatever a pin factory raises into a BoardError that names `what`."""
    try:
        yield
    except BoardError:
        raise
    # Each factory raises classes of its own (lgpio.error, GPIOZeroError, OSError, KeyError …)
    # and none of them may be imported here.
    except Exception as trouble:  # a board that cannot be opened is told in words, whatever it is
        reason = str(trouble) or type(trouble).__name__
        raise BoardError(f"{what}: {reason}") from trouble


@contextlib.contextmanager
def _lgpio_at_home() -> Iterator[None]:
    """Keep lgpio's FIFO out of the working directory, and the working directory where it is.

    lgpio makes a FIFO when it is imported, in $LG_WD or the working directory, and moves the
    whole process to $LG_WD. The FIFO is opened at once, so its directory may go again.
    """
    before, named = Path.cwd(), os.environ.get("LG_WD")
    with tempfile.TemporaryDirectory(prefix="table-gpio-") as home:
        os.environ["LG_WD"] = home
        try:
            yield
        finally:
            os.chdir(before)
            if named is None:
                del os.environ["LG_WD"]
            else:
                os.environ["LG_WD"] = named


def open_factory(name: str) -> Factory:
    """The pin factory `name` of gpiozero, opened. Raises BoardError."""
    if name not in FACTORIES:
        raise BoardError(f"pin factory {name!r}: expected one of {', '.join(FACTORIES)}")
    module, maker = FACTORIES[name]
    with _in_words(f"pin factory {name}"):
        with _lgpio_at_home() if name == "lgpio" else contextlib.nullcontext():
            loaded = importlib.import_module(module)
        return cast("Factory", getattr(loaded, maker)())


class Input:
    """One input line; `closed` means that its switch connects, whichever level that is."""

    __slots__ = ("__weakref__", "_active_low", "_heard", "name", "pin")

    def __init__(self, name: str, pin: Pin, active_low: bool) -> None:
        self.name = name
        self.pin = pin
        self._active_low = active_low
        self._heard: Callable[[str, bool], None] | None = None
        # The pull is away from the closed level: a cut wire reads as an open switch.
        pin.input_with_pull("up" if active_low else "down")

    def closed(self) -> bool:
        """The line's level now, undebounced."""
        return bool(self.pin.state) != self._active_low

    def listen(self, heard: Callable[[str, bool], None]) -> None:
        """Call `heard(name, closed)` at each edge, in the pin factory's thread."""
        self._heard = heard
        # gpiozero keeps a weak reference to a bound method: this object must outlive the pin.
        self.pin.when_changed = self._changed

    def deafen(self) -> None:
        """Stop calling at edges."""
        self.pin.when_changed = None

    def _changed(self, _ticks: object, state: object) -> None:
        if self._heard is not None:
            self._heard(self.name, bool(state) != self._active_low)


class Output:
    """One output line, off when made; `on` means lit or sounding, whichever level that is."""

    __slots__ = ("_active_low", "name", "pin")

    def __init__(self, name: str, pin: Pin, active_low: bool) -> None:
        self.name = name
        self.pin = pin
        self._active_low = active_low
        pin.output_with_state(active_low)

    def set(self, on: bool) -> None:
        """Drive the line."""
        self.pin.state = on != self._active_low

    def reads_on(self) -> bool:
        """What the line reads back, which a short can hold against what was driven."""
        return bool(self.pin.state) != self._active_low


class Board:
    """The lines in use, each claimed once. Lines are BCM numbers."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory
        self._claimed: dict[int, tuple[str, Pin]] = {}

    def input(self, name: str, number: int, active_low: bool) -> Input:
        """Claim an input, pulled away from its closed level. Raises BoardError."""
        with self._claim(name, number) as pin:
            return Input(name, pin, active_low)

    def output(self, name: str, number: int, active_low: bool) -> Output:
        """Claim an output, off. Raises BoardError."""
        with self._claim(name, number) as pin:
            return Output(name, pin, active_low)

    def close(self) -> None:
        """Release every line and the chip; again is no harm."""
        claimed, self._claimed = self._claimed, {}
        for name, pin in claimed.values():
            with contextlib.suppress(BoardError), _in_words(name):
                pin.when_changed = None
                pin.close()
        with contextlib.suppress(BoardError), _in_words("board"):
            self._factory.close()

    @contextlib.contextmanager
    def _claim(self, name: str, number: int) -> Iterator[Pin]:
        if number in self._claimed:
            other = self._claimed[number][0]
            raise BoardError(f"line {number} is wanted for {name} and for {other}")
        with _in_words(f"line {number} ({name})"):
            pin = self._factory.pin(number)
            self._claimed[number] = (name, pin)
            yield pin
