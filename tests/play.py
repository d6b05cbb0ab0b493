"""Sentences for tests: a table that is opened, shuffled, loaded and dealt in a few words.

day = Play("dj-wild").opened().shuffled().loaded().bets(1, 3)
day.stack(5)
assert day.last("round.deal_progress")["to"] == 1
"""

from __future__ import annotations

import dataclasses

from config.profiles import profile_document
from controller.core.codec import arrived_of_line, canonical
from controller.core.events import Event
from controller.core.inputs import Malformed
from controller.core.outputs import Outputs
from controller.core.profile import GameProfile, profile_of
from controller.core.setup import default_setup
from controller.core.stamp import stamp_of
from controller.core.state import Phase
from controller.core.table import new_state, outputs_of, run
from controller.core.view import Turn
from controller.games import book_of

# 5 January 2026, 18:00 UTC: when the worked days begin.
BEGIN_MS = 1_767_636_000_000
FLOOR, DEALER = "floorperson", "dealer"
PEOPLE = {FLOOR: "f1", DEALER: "d1", "pit_manager": "p1", "surveillance": "s1"}
ROUND_STACKS = {"dj-wild": 5, "fortune-asia-poker": 7}


class Play:
    """One table of a game, driven input by input; every turn is kept."""

    def __init__(
        self, game: str = "dj-wild", law: GameProfile | None = None, **house: object
    ) -> None:
        self.game = game
        profile = law or profile_of(profile_document(game)[0])
        deal = profile.deal.methods.value[0]
        usual = default_setup(game, profile.cards.deck_cards.value, deal)
        setup = dataclasses.replace(usual, **house)  # type: ignore[arg-type]
        self.book = book_of(setup, profile)
        self.state = new_state(self.book)
        self.turns: list[Turn] = []
        self.at_ms = BEGIN_MS
        self.cycle = 0

    # ---- speaking --------------------------------------------------------------------------
    def say(self, source: str, kind: str, by: str | None = None, **members: object) -> Turn:
        """One input, a second after the last one. The turn is returned whatever came of it."""
        self.at_ms += 1000
        line: dict[str, object] = {"at": stamp_of(self.at_ms), "from": source, "type": kind}
        person = by or PEOPLE.get(source)
        if person is not None:
            line["by"] = person
        line.update(members)
        arrived = arrived_of_line(line, len(self.turns) + 1, self.at_ms - BEGIN_MS, 0)
        turn = run(self.book, self.state, arrived)
        self.turns.append(turn)
        self.state = turn.state
        return turn

    def do(self, source: str, kind: str, by: str | None = None, **members: object) -> Turn:
        """`say`, where a refusal is a failure of the test."""
        turn = self.say(source, kind, by, **members)
        assert not isinstance(turn.arrived.item, Malformed), turn.arrived.item
        assert turn.refusal is None, f"{kind} was refused: {turn.refusal}"
        return turn

    def refused(self, source: str, kind: str, by: str | None = None, **members: object) -> str:
        """`say`, where anything but a refusal is a failure; returns its paragraph."""
        before = self.state
        turn = self.say(source, kind, by, **members)
        assert turn.refusal is not None, f"{kind} was not refused: {self.types(turn)}"
        left = dataclasses.replace(turn.state, last_mono_ms=before.last_mono_ms)
        assert left == before, "a refused input moves nothing"
        return turn.refusal.rule or ""

    def dealer(self, kind: str, **members: object) -> Turn:
        return self.do(DEALER, kind, **members)

    def floor(self, kind: str, **members: object) -> Turn:
        return self.do(FLOOR, kind, **members)

    # ---- ways ------------------------------------------------------------------------------
    def opened(self) -> Play:
        self.floor("open")
        self.dealer("sign_in", dealer="d1")
        self.dealer("inspected")
        self.floor("opening_verified")
        return self

    def shuffled(self, cards: int | None = 53, batch: str = "A", mode: str = "shuffle") -> Play:
        """A good cycle, and the batch given out."""
        self.cycle += 1
        self.do("shuffler", "loaded", batch=batch)
        self.do("shuffler", "cycle_started", cycle=self.cycle, mode=mode)
        self.at_ms += 20_000
        count = {} if cards is None else {"cards": cards}
        self.do("shuffler", "cycle_ended", cycle=self.cycle, mode=mode, result="ok", **count)
        self.do("shuffler", "ejected", batch=batch)
        return self

    def loaded(self, cards: int = 53, batch: str = "A") -> Play:
        self.do("shoe", "loaded", cards=cards, batch=batch)
        return self

    def bets(self, *seats: int, **bonuses: list[int]) -> Play:
        self.dealer("no_more_bets", seats=list(seats), **bonuses)
        return self

    def ready(self) -> Play:
        """Opened, shuffled and loaded."""
        return self.opened().shuffled().loaded()

    def stack(self, cards: int | None = None) -> Turn:
        """The shoe gives out its next stack."""
        size = ROUND_STACKS[self.game] if cards is None else cards
        return self.do("shoe", "stack", number=self.state.round.dealt + 1, cards=size)

    def dealt(self) -> Play:
        """Every stack of the round is out, and the rest of the cards."""
        while self.state.phase is Phase.DEAL:
            self.stack()
        self.do("shoe", "remainder_removed")
        return self

    def draw(self, number: int) -> Turn:
        """The button is pressed and the generator answers."""
        self.do("rng", "button")
        assert self.state.rng.pending_draw is not None
        return self.do("rng", "drawn", number=number, draw=self.state.rng.pending_draw)

    def voided(self, settle: bool = False) -> Play:
        """The people's part of a void."""
        if settle:
            self.dealer("bonuses_settled")
        self.dealer("wagers_returned")
        self.floor("confirm_void")
        return self

    # ---- seeing ----------------------------------------------------------------------------
    @property
    def outputs(self) -> Outputs:
        return outputs_of(self.book, self.state)

    @property
    def events(self) -> list[Event]:
        return [event for turn in self.turns for event in turn.events]

    @staticmethod
    def types(turn: Turn) -> list[str]:
        return [event.type for event in turn.events]

    def of(self, kind: str) -> list[Event]:
        """Every event of a type so far."""
        return [event for event in self.events if event.type == kind]

    def last(self, kind: str) -> dict[str, object]:
        """Data of the newest event of a type."""
        found = self.of(kind)
        assert found, f"no {kind} happened: {[event.type for event in self.events]}"
        return found[-1].data

    def rule(self, kind: str) -> str:
        """Citation of the newest event of a type, without its prefix."""
        return (self.of(kind)[-1].rule or "").removeprefix("58 Pa. Code § ")

    @property
    def hold(self) -> str:
        """Id of the oldest open hold."""
        assert self.state.holds, "nothing is held"
        return self.state.holds[0].id

    def snapshot(self) -> bytes:
        return canonical(dataclasses.asdict(self.state))
