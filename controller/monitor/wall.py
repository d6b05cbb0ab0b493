"""All tables as the room knows them, and which changed for whom. Knows no broker and no browser.

Belongs to one event loop; times are given by whoever calls.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.core.codec import canonical
from controller.messages import Json
from controller.monitor.reading import level_of, text_of
from controller.monitor.tile import Tile, detail_of, summary_of
from controller.subscriber import Seen

# Ten of the largest casinos; strangers may invent tables, so the longest silent one goes.
TABLES_MAX = 2_048
# Three reports of health that did not come, as the recorder has it.
SILENCE_MS = 90_000
# interfaces, section 1: letters, digits, `-`.
TABLE_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
LEVELS = ("state", "health")


@dataclass(slots=True, eq=False)
class Gaze:
    """What one browser has not been told yet: names alone, so that a slow one costs nothing."""

    tables: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    broker: bool = True


class Wall:
    """The tiles by table, and the browsers that look at them."""

    def __init__(self, silence_ms: int = SILENCE_MS) -> None:
        self.tiles: OrderedDict[str, Tile] = OrderedDict()
        self.broker_up = False
        self._up_ms = 0
        self._silence_ms = silence_ms
        self._gazes: set[Gaze] = set()
        self._told: dict[str, tuple[int, bytes]] = {}

    # ---- what the broker says -------------------------------------------------------------
    def take_event(self, seen: Seen, now_ms: int) -> None:
        """One event message; an event that came before is not shown twice."""
        if seen.repeat or not TABLE_ID.fullmatch(seen.table):
            return
        tile = self._tile(seen.table, now_ms)
        if seen.gap is not None:
            tile.missing_events += seen.gap[1] - seen.gap[0] + 1
        if seen.problem is not None:
            tile.problem = text_of(seen.problem)
        if seen.envelope is not None:
            tile.take_event(seen.envelope)
        self._heard(tile, now_ms)

    def take_level(self, table: str, level: str, payload: bytes, live: bool, now_ms: int) -> None:
        """A retained level; `live` where it was published just now, and so is a sign of life."""
        if level not in LEVELS or not TABLE_ID.fullmatch(table):
            return
        value = level_of(payload)
        if value is None and payload:
            return
        tile = self._tile(table, now_ms)
        if level == "state":
            tile.state = value or {}
        else:
            tile.health = value or {}
        if live:
            self._heard(tile, now_ms)
        else:
            self._changed(tile)

    def take_status(self, table: str, value: Mapping[str, object], now_ms: int) -> None:
        """A status that is not late."""
        if TABLE_ID.fullmatch(table):
            tile = self._tile(table, now_ms)
            tile.status = value
            self._changed(tile)

    def take_link(self, up: bool, now_ms: int) -> None:
        """The broker came or went: all that is shown is of now, or of then."""
        self.broker_up = up
        self._up_ms = now_ms
        for gaze in self._gazes:
            gaze.broker = True

    def look_at_clock(self, now_ms: int) -> None:
        """Mark who has said nothing for too long. While the broker is away nobody can be heard."""
        if not self.broker_up:
            return
        for tile in self.tiles.values():
            since_ms = max(tile.known_ms, tile.heard_ms, self._up_ms)
            silent = now_ms - since_ms > self._silence_ms
            if silent != tile.silent:
                tile.silent = silent
                self._changed(tile)

    # ---- what browsers see ----------------------------------------------------------------
    def look(self) -> Gaze:
        """A browser begins to look; everything is news to it."""
        gaze = Gaze(set(self.tiles))
        self._gazes.add(gaze)
        return gaze

    def leave(self, gaze: Gaze) -> None:
        """A browser went away."""
        self._gazes.discard(gaze)

    @property
    def browsers(self) -> int:
        """How many look on."""
        return len(self._gazes)

    def news(self, gaze: Gaze, now_ms: int) -> bytes | None:
        """What is new to a browser as one JSON object, or None; it counts as told."""
        if not (gaze.tables or gaze.gone or gaze.broker):
            return None
        tables = [self._summary(name) for name in sorted(gaze.tables) if name in self.tiles]
        head = canonical(
            {"now": now_ms, "broker": self.broker_up, "gone": list[Json](sorted(gaze.gone))}
        )
        gaze.tables.clear()
        gaze.gone.clear()
        gaze.broker = False
        return head[:-1] + b',"tables":[' + b",".join(tables) + b"]}"

    def detail(self, table: str, now_ms: int) -> bytes | None:
        """All that is known of one table, or None where it is not known."""
        tile = self.tiles.get(table)
        return None if tile is None else canonical({**detail_of(tile), "now": now_ms})

    def has_alarm(self, table: str, alarm: str) -> bool:
        """Whether this table shows this alarm: nothing else can be acknowledged."""
        tile = self.tiles.get(table)
        alarms = None if tile is None else tile.state.get("alarms")
        return isinstance(alarms, dict) and alarm in alarms

    def _summary(self, table: str) -> bytes:
        tile = self.tiles[table]
        told = self._told.get(table)
        if told is None or told[0] != tile.version:
            told = self._told[table] = (tile.version, canonical(summary_of(tile)))
        return told[1]

    # ---- inside ---------------------------------------------------------------------------
    def _tile(self, table: str, now_ms: int) -> Tile:
        tile = self.tiles.get(table)
        if tile is None:
            tile = self.tiles[table] = Tile(table, now_ms)
            if len(self.tiles) > TABLES_MAX:
                self._forget(next(iter(self.tiles)))
        return tile

    def _forget(self, table: str) -> None:
        del self.tiles[table]
        self._told.pop(table, None)
        for gaze in self._gazes:
            gaze.gone.add(table)
            gaze.tables.discard(table)

    def _heard(self, tile: Tile, now_ms: int) -> None:
        tile.heard_ms = now_ms
        tile.silent = False
        self.tiles.move_to_end(tile.table)
        self._changed(tile)

    def _changed(self, tile: Tile) -> None:
        tile.version += 1
        for gaze in self._gazes:
            gaze.gone.discard(tile.table)
            gaze.tables.add(tile.table)
