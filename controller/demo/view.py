"""What people at the table see of it: the retained `state`, read like a lamp, and its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, ValidationError

# Longer than the levels are gathered before they are published: a burst is over.
QUIET_S = 0.03


class _Seen(BaseModel):
    """A part of the state; members that the people do not look at are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Prompt(_Seen):
    """What comes next, and who does it."""

    step: str
    who: str
    text: str


class Round(_Seen):
    """The round in play, or the last one."""

    number: int = 0
    open: bool = False
    seats: tuple[int, ...] = ()
    progressive: tuple[int, ...] = ()
    order: tuple[int | str, ...] = ()
    dealt: int = 0
    cards: int = 0
    extra: bool = False
    face_up: int = 0


class Hold(_Seen):
    """A question to the floorperson."""

    id: str
    code: str
    choices: tuple[str, ...]


class Alarm(_Seen):
    """An open alarm."""

    alarm: str
    code: str
    text: str = ""
    acknowledged_by: str | None = None


class Device(_Seen):
    """A device as the table has it."""

    state: str = "ok"
    link: str = "up"
    residue: bool = False
    running: bool = False
    in_service: bool = True


class Batch(_Seen):
    """Decks that are shuffled and played together, and where they lie."""

    batch: str
    where: str = "table"
    cards: dict[str, int] = {}


class Methods(_Seen):
    """How the steps are done now."""

    shuffle: str
    deal: str
    start: str


class TableView(_Seen):
    """One state of the table."""

    sequence: int
    phase: str
    prompt: Prompt
    round: Round
    methods: Methods
    holds: tuple[Hold, ...] = ()
    alarms: dict[str, Alarm] = {}
    devices: dict[str, Device] = {}
    device_locks: dict[str, bool] = {}
    batches: tuple[Batch, ...] = ()
    occupied: tuple[int, ...] = ()
    dealer: str | None = None
    recording: bool = True

    def device(self, name: str) -> Device:
        """A device, as a whole one where the table has none."""
        return self.devices.get(name, Device())

    def batch_at(self, where: str) -> str | None:
        """The batch that lies there; None where none does."""
        return next((one.batch for one in self.batches if one.where == where), None)

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Devices that were declared unusable and have neither cover nor sign yet."""
        return tuple(name for name, one in self.devices.items() if one.state == "uncovered")

    @property
    def where(self) -> dict[str, dict[str, int]]:
        """Cards by batch and place, empty places left out."""
        return {
            one.batch: {place: count for place, count in one.cards.items() if count}
            for one in self.batches
        }

    @property
    def step(self) -> str:
        """The step that is prompted."""
        return self.prompt.step

    @property
    def is_between_rounds(self) -> bool:
        """No round is open, nothing is asked and every alarm is taken note of."""
        return not (self.round.open or self.holds or self.unacknowledged)

    @property
    def unacknowledged(self) -> tuple[str, ...]:
        """Alarms that wait for a person."""
        return tuple(one.alarm for one in self.alarms.values() if one.acknowledged_by is None)


class View:
    """The newest state, and whether the broker can be heard at all."""

    def __init__(self) -> None:
        self.state: TableView | None = None
        self.up = False
        self.version = 0
        self._news = asyncio.Event()

    def take(self, payload: bytes) -> None:
        """A state as it was published; one that cannot be read is no state."""
        try:
            self.state = TableView.model_validate_json(payload)
        except ValidationError:
            return
        self.version += 1
        self._news.set()

    def link(self, up: bool) -> None:
        """The broker came or went; with it what was known of the table."""
        self.up = up
        if not up:
            self.state = None
        self._news.set()

    def forget(self) -> None:
        """The table is down: wait for what it says next."""
        self.state = None

    async def until(self, true: Callable[[TableView], bool], seconds: float) -> bool:
        """Wait until a state is as described; False where none is within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while self.state is None or not true(self.state):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def changed(self, since: int, seconds: float) -> bool:
        """Wait until a state after `version` `since` shows, and a burst is over."""
        if not await self.until(lambda state: self.version > since, seconds):
            return False
        while True:
            self._news.clear()
            try:
                async with asyncio.timeout(QUIET_S):
                    await self._news.wait()
            except TimeoutError:
                return True
