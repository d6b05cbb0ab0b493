"""One device's talk made whole: repeats swallowed, gaps declared, identity and pulse watched. Pure.

Promises, for any chopping, repetition, loss or damage of octets that the check finds:
- an event is given once, in the device's own order, with what is missing before it declared first;
- nothing is given that the device did not say, and silence is said too (`Link(up=False)`).
What happened before the first contact with a boot is not known: `Link(up=True)` and `Restarted`
mean just that. A daemon that starts again tells where it stood (`resume`), and nothing is unknown.
Time is an argument everywhere: monotonic milliseconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from hal import facts
from hal.protocols.message import NUMBERS, Beat, Event, Hello, Junk, Message
from hal.tally import JunkTally

# Interfaces, section 7: HB every 500 ms, three missed = state unknown. A third one that is under
# way at 1,500 ms is not missed: 50 ms let a device clock run 3 % slow.
SILENCE_MS_MAX: Final = 3 * 500 + 50
# Interfaces, section 7: repeats at 200, 400 and 600 ms; 200 ms more for a slow line's queue.
REPEATS_MS_MAX: Final = 3 * 200 + 200
# Events that wait behind a missing one. A shoe gives some ten a second; the wait is 0.8 s.
WAITING_MAX: Final = 64
# Numbers of durable events kept to acknowledge again; a repeat is never older than four events.
DURABLE_MAX: Final = 128
# Boots that ended: a frame of theirs still under way is no new start.
ENDED_BOOTS_MAX: Final = 4
BEHIND: Final = NUMBERS // 2


class Number(NamedTuple):
    """An event's name on its device: boot and sequence, each 0..65535."""

    boot: int
    seq: int


class Pin(NamedTuple):
    """Who belongs on this port: the make, model and serial that `Identity` must show."""

    make: str
    model: str
    serial: str


@dataclass(frozen=True, slots=True)
class Say:
    """Give `fact` to the sink; `number` is what to acknowledge once it is durable."""

    fact: object
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class AcknowledgeAgain:
    """A durable event was repeated: its acknowledgement was lost."""

    number: Number


@dataclass(frozen=True, slots=True)
class AskStatus:
    """A new boot began or a stranger speaks: a greeting tells who it is."""


@dataclass(frozen=True, slots=True)
class LockSeen:
    """A heartbeat told whether the device is locked."""

    locked: bool


Word = Say | AcknowledgeAgain | AskStatus | LockSeen


class DeviceSession:
    """What was heard of one device, from `hear`, `tick` and the port's coming and going."""

    def __init__(
        self,
        pin: Pin | None = None,
        resume: Number | None = None,
        silence_ms_max: int | None = None,
    ) -> None:
        """Begin unheard. `pin` as configured, else the first greeting pins.

        `resume` is the last event that the journal holds of this device; `silence_ms_max` how long
        it may say nothing, None as in TDP/1.
        """
        self._silence_ms_max = silence_ms_max or SILENCE_MS_MAX
        self.counters = dict.fromkeys(
            ("events", "repeats", "late", "missing", "beats", "restarts", "foreign"), 0
        )
        self.junk = JunkTally()
        self._pin = pin
        self._identity: facts.Identity | None = None
        self._foreign = False
        self._up: bool | None = None
        self._beat_ms = 0
        self._boot: int | None = None
        self._ended: deque[int] = deque(maxlen=ENDED_BOOTS_MAX)
        self._expected = 0
        self._horizon = 0
        # (number of the next event, when its repeats are over), oldest first; empty: no gap.
        self._noticed: deque[tuple[int, int]] = deque()
        self._behind_ms: int | None = None
        self._waiting: dict[int, object] = {}
        self._durable: deque[Number] = deque(maxlen=DURABLE_MAX)
        if resume is not None:
            self._boot = resume.boot
            self._expected = self._horizon = (resume.seq + 1) % NUMBERS
            self._durable.append(resume)

    @property
    def up(self) -> bool:
        """Whether the device is heard."""
        return self._up is True

    # ---- inputs ----------------------------------------------------------------------------
    def listen(self, mono_ms: int) -> None:
        """Silence counts from here."""
        self._beat_ms = mono_ms

    def hear(self, messages: list[Message], mono_ms: int) -> list[Word]:
        """Take what the decoder understood; give what follows, in order."""
        words: list[Word] = []
        for message in messages:
            if isinstance(message, Junk):
                self.junk.add(message)
            elif self._is_ours(message, mono_ms, words):
                self._take(message, mono_ms, words)
        # After the messages: what a busy host reads late was not missing and not silent.
        return words + self.tick(mono_ms)

    def tick(self, mono_ms: int) -> list[Word]:
        """Take the time: declares a gap, a silent device or held back noise when it is due."""
        words: list[Word] = []
        while self._noticed and mono_ms >= self._noticed[0][1]:
            self._declare_gap(words)
        if self._up is not False and mono_ms >= self._silent_from_ms():
            self._fall_silent(words)
        words += self._noise(mono_ms)
        return words

    def port_opened(self) -> None:
        """The port is open again: what it spits before the first frame is no evidence."""
        self.junk.port_opened()

    def port_lost(self, mono_ms: int) -> list[Word]:
        """The port is gone: no need to wait for three heartbeats."""
        words: list[Word] = []
        if self._up is not False:
            self._fall_silent(words)
        words += self._noise(mono_ms)
        return words

    def made_durable(self, number: Number) -> bool:
        """The record of this event is safe. True: acknowledge it now, its boot still runs."""
        self._durable.append(number)
        return number.boot == self._boot

    def due_ms(self) -> int | None:
        """When `tick` has something to say at the earliest; None: only after something is heard."""
        times = [self._noticed[0][1] if self._noticed else None, self.junk.due_ms()]
        if self._up is not False:
            times.append(self._silent_from_ms())
        return min((time for time in times if time is not None), default=None)

    # ---- who speaks ------------------------------------------------------------------------
    def _is_ours(self, message: Event | Beat | Hello, mono_ms: int, words: list[Word]) -> bool:
        """Whether the pinned device said this, in a boot that has not ended."""
        if message.boot in self._ended:
            self.counters["late"] += 1
            return False
        if isinstance(message, Hello):
            return self._greeted(message, mono_ms, words)
        if self._foreign:
            self.counters["foreign"] += 1
            words.append(AskStatus())
            return False
        self._follow_boot(message, mono_ms, words)
        return True

    def _greeted(self, hello: Hello, mono_ms: int, words: list[Word]) -> bool:
        identity = hello.identity
        said = Pin(identity.make, identity.model, identity.serial)
        self._pin = self._pin or said
        if said != self._pin:
            self.counters["foreign"] += 1
            if not self._foreign:
                self._foreign = True
                # Whoever answers next says who it is, the pinned device too.
                self._identity = None
                words.append(Say(facts.IdentityChanged(*said)))
                if self._up is not False:
                    self._fall_silent(words)
            return False
        self._foreign = False
        self._follow_boot(hello, mono_ms, words)
        if identity != self._identity:
            self._identity = identity
            words.append(Say(identity))
        return True

    def _follow_boot(self, message: Event | Beat | Hello, mono_ms: int, words: list[Word]) -> None:
        """Come up if we were silent, and begin anew where the boot is another one."""
        self.junk.frame_came()
        if self._up is not True:
            self._up = True
            self._beat_ms = mono_ms
            words.append(Say(facts.Link(up=True)))
        if self._boot is None:
            self._begin(message.boot, message.seq)
        elif message.boot != self._boot:
            self._restart(message.boot, message.seq, words)

    def _begin(self, boot: int, seq: int) -> None:
        self._boot = boot
        self._expected = self._horizon = seq
        self._behind_ms = None
        self._noticed.clear()
        self._waiting.clear()

    def _restart(self, boot: int, seq: int, words: list[Word]) -> None:
        """Settle the old boot, then begin the new one, whose past is unknown."""
        while self._noticed:
            self._declare_gap(words)
        if self._boot is not None and self._boot != boot:
            self._ended.append(self._boot)
        self._begin(boot, seq)
        self._identity = None
        self.counters["restarts"] += 1
        words += (Say(facts.Restarted()), AskStatus())

    # ---- what was said ---------------------------------------------------------------------
    def _take(self, message: Event | Beat | Hello, mono_ms: int, words: list[Word]) -> None:
        if isinstance(message, Event):
            self._take_event(message, mono_ms, words)
            return
        self._beat_ms = mono_ms
        self._compare(message.seq, mono_ms, words)
        if isinstance(message, Beat):
            self.counters["beats"] += 1
            if message.locked is not None:
                words.append(LockSeen(message.locked))

    def _take_event(self, event: Event, mono_ms: int, words: list[Word]) -> None:
        ahead = (event.seq - self._expected) % NUMBERS
        if ahead >= BEHIND or event.seq in self._waiting:
            self.counters["repeats"] += 1
            number = Number(event.boot, event.seq)
            # Numbers that run backwards are another start's: no record of ours stands for them.
            if number in self._durable and self._behind_ms is None:
                words.append(AcknowledgeAgain(number))
            return
        self._behind_ms = None
        self._waiting[event.seq] = event.fact
        self._look_ahead((event.seq + 1) % NUMBERS, mono_ms)
        self._give(words)
        while len(self._waiting) > WAITING_MAX:
            self._declare_gap(words)

    def _compare(self, next_seq: int, mono_ms: int, words: list[Word]) -> None:
        """A snapshot names the next event: behind it something is missing, or the device is new.

        A number that runs backwards is a start with an old boot, once it has lasted too long to be
        a late copy of an older heartbeat.
        """
        if (next_seq - self._expected) % NUMBERS < BEHIND:
            self._behind_ms = None
            self._look_ahead(next_seq, mono_ms)
        elif self._behind_ms is None:
            self._behind_ms = mono_ms
        elif mono_ms - self._behind_ms >= SILENCE_MS_MAX:
            assert self._boot is not None, "a snapshot follows a boot"
            self._restart(self._boot, next_seq, words)

    def _look_ahead(self, next_seq: int, mono_ms: int) -> None:
        """All before `next_seq` were said by now: their repeats are over in a known time."""
        if self._ahead(next_seq) > self._ahead(self._horizon):
            self._horizon = next_seq
            self._noticed.append((next_seq, mono_ms + REPEATS_MS_MAX))

    def _ahead(self, seq: int) -> int:
        return (seq - self._expected) % NUMBERS

    def _give(self, words: list[Word]) -> None:
        """Give what follows without a gap, and forget notices that it settles."""
        assert self._boot is not None, "events wait under a boot"
        while self._expected in self._waiting:
            number = Number(self._boot, self._expected)
            words.append(Say(self._waiting.pop(self._expected), number))
            self.counters["events"] += 1
            self._expected = (self._expected + 1) % NUMBERS
        while self._noticed and not 0 < self._ahead(self._noticed[0][0]) < BEHIND:
            self._noticed.popleft()

    def _declare_gap(self, words: list[Word]) -> None:
        """Say how many are missing at the head, up to the oldest notice, and go on behind them."""
        count = min(map(self._ahead, (self._noticed[0][0], *self._waiting)))
        if count:
            words.append(Say(facts.FactsMissing(count)))
            self.counters["missing"] += count
        self._expected = (self._expected + count) % NUMBERS
        self._give(words)

    def _silent_from_ms(self) -> int:
        """When it counts as not heard; the time of a rare talker begins with its first word."""
        longest_ms = SILENCE_MS_MAX if self._up is None else self._silence_ms_max
        return self._beat_ms + longest_ms

    # ---- silence and noise -----------------------------------------------------------------
    def _fall_silent(self, words: list[Word]) -> None:
        self._up = False
        self._behind_ms = None
        # A silent device may come back under any boot, one that had ended included.
        self._ended.clear()
        self.junk.fell_silent()
        words.append(Say(facts.Link(up=False)))

    def _noise(self, mono_ms: int) -> list[Word]:
        noise = self.junk.report(mono_ms)
        return [Say(noise)] if noise else []
