"""Plays a case on a rig, sentence by sentence, and looks at what the table published."""

from __future__ import annotations

import asyncio

from controller.core.events import Event
from controller.core.inputs import FACT_SOURCES
from tests.hil.pit import Json, cause_of
from tests.hil.rig import Rig
from tests.hil.sentences import Script, Sentence
from tests.scenarios.reading import CODE, look_at_events

# Facts that the table makes itself once the one before them was said.
ITS_OWN = {("rng", "drawn"), ("rng", "shown"), ("clock", "timer")}


class Player:
    """One case on one rig. `alike` counts sentences that gave what the rules alone gave."""

    def __init__(self, rig: Rig, script: Script) -> None:
        self.rig = rig
        self.script = script
        self.alike = 0
        self.differences: list[str] = []
        self._after = 0

    async def play(self) -> None:
        """All of it. Raises AssertionError in words at the first demand that is not met."""
        self._after = await self.rig.pit.fence()
        for number, sentence in enumerate(self.script.sentences):
            if (sentence.source, sentence.kind) == ("rng", "button"):
                self._load_generator(number)
            events = await self._said(sentence)
            self._compare(sentence, events)
            if sentence.step is not None:
                await self._look(sentence, events)

    def _load_generator(self, number: int) -> None:
        """The number that the sentence after the press names."""
        for sentence in self.script.sentences[number + 1 :]:
            if (sentence.source, sentence.kind) == ("rng", "drawn"):
                drawn = sentence.members["number"]
                assert isinstance(drawn, int)
                self.rig.load_generator(drawn)
                return

    # ---- saying ----------------------------------------------------------------------------
    async def _said(self, sentence: Sentence) -> list[Json]:
        """Say it where it belongs; gives the events that it caused."""
        if sentence.source not in FACT_SOURCES:
            return await self._ordered(sentence)
        if sentence.source in self.rig.mouths:
            if self._too_soon(sentence):
                await asyncio.sleep(1.0)
            await self.rig.mouths[sentence.source].say(sentence.kind, sentence.members)
            if sentence.kind in ("identity", "restarted"):
                return await self._awaited(sentence)
            return await self._fenced()
        if (sentence.source, sentence.kind) in ITS_OWN:
            return await self._awaited(sentence)
        if sentence.kind == "button":
            await self.rig.press("rng")
            # Whatever the number brings belongs to the sentence that names it.
            return await self._awaited(sentence) if sentence.gave else []
        if sentence.kind == "cover":
            await self.rig.cover(str(sentence.members["device"]), bool(sentence.members["on"]))
        elif (sentence.source, sentence.kind) == ("system", "started"):
            await self.rig.power_cut()
        else:
            raise AssertionError(f"{sentence}: nobody on this rig can say that")
        return await (self._awaited(sentence) if sentence.gave else self._fenced())

    def _too_soon(self, sentence: Sentence) -> bool:
        """A house that knows how long a cycle takes has it last a second, as the sentences do."""
        return (
            sentence.kind == "cycle_ended" and self.script.setup.shuffler.cycle_ms_min is not None
        )

    async def _ordered(self, sentence: Sentence) -> list[Json]:
        assert sentence.by is not None
        pit = self.rig.pit
        answer = await pit.send(sentence.by, sentence.kind, sentence.members)
        assert answer.accepted != sentence.refused, f"{sentence}: {answer}"
        if not answer.sequences:
            return [] if answer.accepted else await self._awaited(sentence)
        events = [pit.events[sequence] for sequence in answer.sequences]
        self._after = max(self._after, cause_of(events[-1]))
        return events

    async def _fenced(self) -> list[Json]:
        """What happened since the sentence before, up to a word that is behind all of it."""
        fence = await self.rig.pit.fence()
        events = self.rig.pit.between(self._after, fence)
        self._after = fence
        return events

    async def _awaited(self, sentence: Sentence) -> list[Json]:
        """What the rules alone gave, once it has come, and whatever came before its end."""
        pit, wanted, after = self.rig.pit, sentence.gave, self._after
        await pit.until(
            lambda: _end_of(pit.between(after), wanted) is not None,
            f"{sentence}: not all of {wanted} came:",
            lambda: f"{list(map(_shown, pit.between(after)))} {self.rig.log()}",
        )
        last = _end_of(pit.between(after), wanted)
        self._after = last or after
        return pit.between(after, self._after + 1)

    # ---- looking ---------------------------------------------------------------------------
    def _compare(self, sentence: Sentence, events: list[Json]) -> None:
        given = _types(events)
        if given == sentence.gave:
            self.alike += 1
        else:
            self.differences.append(f"{sentence}: rules {sentence.gave}, rig {given}")

    async def _look(self, sentence: Sentence, events: list[Json]) -> None:
        step = sentence.step
        assert step is not None
        if step.refused is not None:
            rules = [_rule(event) for event in events if event["type"] == "input.refused"]
            assert rules == [step.refused], f"{sentence}: refused by {rules}, not {step.refused!r}"
            return
        assert "input.refused" not in _types(events), f"{sentence}: was refused: {events}"
        look_at_events(step, [_event_of(one) for one in events])
        pit = self.rig.pit
        if step.prompt is not None:
            prompt = step.prompt
            await pit.until(
                lambda: prompt in str(pit.level("prompt").get("text")),
                f"{sentence}: the prompt is not {prompt!r}",
            )
        if step.phase is not None:
            phase = step.phase
            await pit.until(
                lambda: pit.level("state").get("phase") == phase,
                f"{sentence}: the phase is not {phase}",
            )


def _event_of(published: Json) -> Event:
    data, rule = published["data"], published.get("rule")
    assert isinstance(data, dict)
    return Event(str(published["type"]), data, None if rule is None else str(rule))


def _types(events: list[Json]) -> list[str]:
    return [str(event["type"]) for event in events]


def _end_of(events: list[Json], wanted: list[str]) -> int | None:
    """The input that completes `wanted`, 0 where nothing is; None while something is missing."""
    missing, last = list(wanted), 0
    for event in events:
        if missing and event["type"] == missing[0]:
            missing.pop(0)
            last = cause_of(event)
    return None if missing else last


def _rule(event: Json) -> str:
    return str(event.get("rule") or "").removeprefix(CODE)


def _shown(event: Json) -> str:
    return f"{event['type']} {event['data']}"
