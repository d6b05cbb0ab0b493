"""The one loop: compute, tighten, commit, adopt, hold, perform, in this order.

Computing runs ahead of the disk by a bounded number of turns, so that a lock never waits for a
stalled disk; nothing that loosens, shows, answers or leaves does so before its turn is durable.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from controller.actuator import Actuator
from controller.core.codec import Unreadable, item_of, plain
from controller.core.effects import Effect
from controller.core.events import Refusal
from controller.core.inputs import Arrived, DaemonStopped, Malformed, TimerFired
from controller.core.outputs import Outputs
from controller.intake import Intake, Waiting
from controller.journal.answer import Answer, answer_of_record
from controller.journal.program import Program
from controller.journal.record import Chain, SealedEvent, SealedTurn, seal
from controller.journal.replay import Restored, restore
from controller.journal.store import ANSWERS_MAX, AnswerRow, Entry, Snapshot, Store
from controller.marks import cursor_of, number_of_mark
from controller.timers import Timers

S = TypeVar("S")

# One commit's worth: at some 100 us a turn the loop is held for less than 10 ms.
INPUTS_PER_BATCH_MAX = 64
# Turns that may be decided and not yet durable: seconds of a busy table on a stalled disk.
TURNS_AHEAD_MAX = 1024
# A start replays fewer turns than this: well under a second.
INPUTS_PER_SNAPSHOT = 256
# Signed every so often, beside the clean end (journal.seal).
EVENTS_PER_CHECKPOINT = 1000

Signer = Callable[[Chain, int], bytes]
FAILED = "the controller failed on an input and starts again"
REPEATED = "this command id was seen before; its answer is given again"


class ProgramFault(Exception):
    """The rules broke on an input. It is in the journal, marked; the daemon ends with exit 70."""

    def __init__(self, number: int, error: Exception) -> None:
        super().__init__(f"input {number}: {type(error).__name__}: {error}")
        self.number = number
        self.error = error


@dataclass(frozen=True, slots=True)
class Committed:
    """What `on_committed` is told: events that became durable just now, in order, and the outputs
    that follow from them. `sequence` is the last durable one."""

    sequence: int
    outputs: Outputs
    events: tuple[SealedEvent, ...]


@dataclass(frozen=True, slots=True)
class _Decided(Generic[S]):
    """One turn between its computing and its adoption."""

    waiting: Waiting
    entry: Entry
    state: S
    outputs: Outputs
    effects: tuple[Effect, ...]
    answer: Answer | None
    acknowledged: bool


class Engine(Generic[S]):
    """Build with `Engine.restored`, then `boot` once, then `run` until it returns or raises."""

    def __init__(
        self,
        program: Program[S],
        store: Store,
        intake: Intake,
        actuator: Actuator,
        timers: Timers,
        restored: Restored[S],
        on_committed: Callable[[Committed], None] = lambda committed: None,
        signer: Signer | None = None,
    ) -> None:
        self._program = program
        self._store = store
        self._intake = intake
        self._actuator = actuator
        self._timers = timers
        self._on_committed = on_committed
        self._signer = signer
        self.state = restored.state
        self.outputs = program.outputs(restored.state)
        self._ahead = restored.state
        self._chain = restored.chain
        self._snapshot_at = restored.chain.inputs - restored.replayed
        self._checkpoint_at = restored.chain.sequence
        self._answers = OrderedDict(
            (key, answer_of_record(body)) for key, body in store.answers.items()
        )
        self._decided: deque[_Decided[S]] = deque()
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._fault: ProgramFault | None = None

    @classmethod
    async def restored(
        cls,
        program: Program[S],
        store: Store,
        intake: Intake,
        actuator: Actuator,
        timers: Timers,
        on_committed: Callable[[Committed], None] = lambda committed: None,
        signer: Signer | None = None,
    ) -> Engine[S]:
        """An engine in the state in which the journal ends.

        Raises what `controller.journal.replay.restore` raises.
        """
        where = await restore(store, program)
        return cls(program, store, intake, actuator, timers, where, on_committed, signer)

    async def boot(self, started: object) -> None:
        """Decide and adopt `system started` before anything else, then take up what was left:
        outputs, timers and a draw that was asked for and never answered. Raises as `run`."""
        self._compute([self._intake.stamp("system", started)])
        await self._commit_all()
        pending = self._program.pending_draw(self.state)
        if pending is not None:
            self._actuator.draw(pending)

    async def run(self) -> None:
        """Serve until the stop is durable. Raises ProgramFault, or JournalTrouble where a commit
        failed: then all is locked and nothing of that batch has been shown, done or told."""
        computing = asyncio.create_task(self._compute_on(), name="compute")
        computing.add_done_callback(lambda task: self._changed.set())
        try:
            while self._decided or not computing.done():
                await self._changed.wait()
                self._changed.clear()
                await self._commit_all()
            await computing
        finally:
            computing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await computing

    def answered(self, principal: str, command: str) -> Answer | None:
        """The durable answer that this command was given before, also before a restart."""
        for one in self._decided:
            if one.waiting.by == principal and one.waiting.command == command:
                return None
        return self._answers.get((principal, command))

    def stop(self) -> None:
        """Let `system stopped` be the last input; `run` returns when it is durable."""
        self._intake.close(DaemonStopped())

    async def _compute_on(self) -> None:
        while self._fault is None:
            await self._room.wait()
            self._compute(await self._intake.take(INPUTS_PER_BATCH_MAX))
            if self._intake.closed and not len(self._intake):
                return
            # `take` does not wait while there is something: the others get their turn here.
            await asyncio.sleep(0)

    def _compute(self, batch: list[Waiting]) -> None:
        for i, waiting in enumerate(batch):
            try:
                self._decide(waiting)
            except Exception as error:  # noqa: BLE001 - the inputs are kept, then all stops
                self._keep_fault(batch[i:], error)
                break
        if self._fault is None and self._decided:
            self._actuator.tighten(self._decided[-1].outputs)
        if len(self._decided) >= TURNS_AHEAD_MAX:
            self._room.clear()
        self._changed.set()

    def _decide(self, waiting: Waiting) -> None:
        known = self._known_answer(waiting)
        item = waiting.item
        if isinstance(item, TimerFired) and self._is_stale(item, waiting.mono_ms):
            return
        if known is not None:
            item = Malformed(str(getattr(item, "TYPE", ""))[:32], REPEATED)
        else:
            item = _readable(waiting.source, item)
        arrived = self._arrived(waiting, item)
        turn = self._program.run(self._ahead, arrived)
        outputs = self._program.outputs(turn.state)
        sealed = seal(self._chain, turn.arrived, turn.events, turn.effects)
        answer = row = None
        if waiting.answer is not None:
            answer = known or _answer(sealed, turn.refusal)
            if known is None:
                row = self._remember(waiting, answer)
        self._ahead, self._chain = turn.state, sealed.chain
        entry = Entry(sealed, "ok", row)
        self._decided.append(
            _Decided(waiting, entry, turn.state, outputs, tuple(turn.effects), answer, True)
        )

    def _arrived(self, waiting: Waiting, item: object) -> Arrived:
        return Arrived(
            self._chain.inputs + 1, waiting.at_ms, waiting.mono_ms, self._store.boot,
            waiting.clock_synchronised, waiting.source, waiting.by, item, waiting.command,
        )  # fmt: skip

    def _is_stale(self, item: TimerFired, mono_ms: int) -> bool:
        """An input that came before this one has cancelled or restarted the timer."""
        due = self._program.timers(self._ahead).get(item.name)
        return due is None or due > mono_ms

    def _keep_fault(self, left: list[Waiting], error: Exception) -> None:
        """Record the poisonous input and all that wait behind it, marked, without deciding them.

        Only the poisonous one is acknowledged to its device: the others are sent again.
        """
        self._actuator.lock_all()
        self._fault = ProgramFault(self._chain.inputs + 1, error)
        self._fault.__cause__ = error
        for i, waiting in enumerate(left + self._intake.take_now(len(self._intake))):
            item = _readable(waiting.source, waiting.item)
            sealed = seal(self._chain, self._arrived(waiting, item), (), ())
            self._chain = sealed.chain
            answer = row = None
            if waiting.answer is not None:
                known = self._known_answer(waiting)
                answer = known or Answer("refused", reason=FAILED)
                row = self._remember(waiting, answer) if known is None else None
            entry = Entry(sealed, "fault", row)
            self._decided.append(
                _Decided(waiting, entry, self._ahead, self.outputs, (), answer, i == 0)
            )

    def _known_answer(self, waiting: Waiting) -> Answer | None:
        if waiting.command is None or waiting.by is None or waiting.answer is None:
            return None
        return self._answers.get((waiting.by, waiting.command))

    def _remember(self, waiting: Waiting, answer: Answer) -> AnswerRow | None:
        if waiting.command is None or waiting.by is None:
            return None
        self._answers[waiting.by, waiting.command] = answer
        if len(self._answers) > ANSWERS_MAX:
            self._answers.popitem(last=False)
        return AnswerRow(waiting.by, waiting.command, answer.record())

    async def _commit_all(self) -> None:
        while self._decided:
            count = min(len(self._decided), INPUTS_PER_BATCH_MAX)
            group = [self._decided[i] for i in range(count)]
            last = group[-1]
            await self._mark(group)
            try:
                await self._store.commit(
                    [one.entry for one in group], self._snapshot(last), self._checkpoint(last)
                )
            except BaseException:  # whatever it was: these turns are not known to be durable
                self._actuator.lock_all()
                raise
            for _ in group:
                self._decided.popleft()
            self._room.set()
            self._adopt(group)
        if self._fault is not None:
            raise self._fault

    async def _mark(self, group: list[_Decided[S]]) -> None:
        """Note, for the same commit, how far each device was heard: the next start resumes there.

        An input that is not acknowledged is sent again and must not count as heard.
        """
        for one in group:
            if one.waiting.mark is not None and one.acknowledged:
                where = cursor_of(one.waiting.source)
                await self._store.set_cursor(where, number_of_mark(one.waiting.mark))

    def _adopt(self, group: list[_Decided[S]]) -> None:
        if self._fault is None:
            self.state, self.outputs = group[-1].state, group[-1].outputs
            self._actuator.hold(self.outputs)
            self._timers.hold(self._program.timers(self.state))
        for one in group:
            if self._fault is None:
                for effect in one.effects:
                    self._actuator.perform(effect)
            if one.acknowledged and one.waiting.receipt is not None:
                one.waiting.receipt()
            if one.waiting.answer is not None and one.answer is not None:
                one.waiting.answer(one.answer)
        events = tuple(event for one in group for event in one.entry.turn.events)
        self._on_committed(Committed(self._store.chain.sequence, self.outputs, events))

    def _snapshot(self, last: _Decided[S]) -> Snapshot | None:
        chain = last.entry.turn.chain
        due = chain.inputs - self._snapshot_at >= INPUTS_PER_SNAPSHOT
        if not due and not isinstance(last.waiting.item, DaemonStopped):
            return None
        self._snapshot_at = chain.inputs
        dump, state = self._program.dump, last.state
        return Snapshot(chain, lambda: dump(state))

    def _checkpoint(self, last: _Decided[S]) -> tuple[int, bytes] | None:
        chain = last.entry.turn.chain
        due = chain.sequence - self._checkpoint_at >= EVENTS_PER_CHECKPOINT
        stopping = isinstance(last.waiting.item, DaemonStopped)
        if self._signer is None or chain.sequence == 0 or not (due or stopping):
            return None
        self._checkpoint_at = chain.sequence
        return chain.sequence, self._signer(chain, last.waiting.at_ms)


def _readable(source: str, item: object) -> object:
    """The item, or what stands in the journal for one that could not be read back from it.

    Whoever offers is bound to the closed list; were that ever broken, a journal that no start can
    read would be the worse fault.
    """
    if isinstance(item, Malformed):
        return item
    claimed = str(getattr(item, "TYPE", ""))[:32]
    try:
        return item_of(source, claimed, plain(item))
    except Unreadable as error:
        return Malformed(claimed, str(error)[:400])


def _answer(sealed: SealedTurn, refusal: Refusal | None) -> Answer:
    if refusal is None:
        return Answer("accepted", tuple(one.sequence for one in sealed.events))
    return Answer("refused", (), refusal.rule, refusal.reason)
