"""The one loop: compute, tighten, commit, adopt, hold, perform, in this order.

Computing runs ahead of the disk by a bounded number of turns, so that a lock never waits for a
stalled disk; nothing that loosens, shows, answers or leaves does so before its turn is durable.
A disk that refuses is tried again, everything locked meanwhile, for as long as the daemon lives.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Generic, TypeVar

from controller.actuator import Actuator
from controller.core.codec import Unreadable, item_of, plain
from controller.core.events import Refusal
from controller.core.inputs import Arrived, DaemonStopped, Malformed, TimerFired
from controller.core.recording import Unrecorded
from controller.decided import Committed, Decided, Seal, group_of
from controller.group_commit import GroupCommit
from controller.intake import Intake, Waiting
from controller.journal.answer import Answer, answer_of_record
from controller.journal.program import Program
from controller.journal.record import SealedTurn, seal
from controller.journal.replay import Restored, restore
from controller.journal.store import ANSWERS_MAX, AnswerRow, Entry, Store
from controller.journal.trouble import JournalTrouble
from controller.sealing import Sealing, Signer
from controller.timers import Timers

S = TypeVar("S")

# One commit's worth: at some 100 us a turn the loop is held for less than 10 ms.
INPUTS_PER_BATCH_MAX = 64
# Turns that may be decided and not yet durable: fifteen seconds of a busy table (33 facts a second)
# on a disk that stalls for seven. An end has to write all of them, on a board within a second.
TURNS_AHEAD_MAX = 512
# A disk is tried again with this pause: a person sees within a moment that it was mended.
RETRY_S = 1.0
# A card that is always slow is one alarm, not an event a commit.
SLOW_TOLD_EVERY_S = 60.0
REASON_CHARACTERS_MAX = 200

# None: the record can be written again.
Told = Callable[[Unrecorded | None], None]
FAILED = "the controller failed on an input and starts again"
REPEATED = "this command id was seen before; its answer is given again"


class ProgramFault(Exception):
    """The rules broke on an input. It is in the journal, marked; the daemon ends with exit 70."""

    def __init__(self, number: int, error: Exception) -> None:
        super().__init__(f"input {number}: {type(error).__name__}: {error}")
        self.number = number
        self.error = error


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
        on_trouble: Told = lambda trouble: None,
    ) -> None:
        self._program = program
        self._store = store
        self._intake = intake
        self._actuator = actuator
        self._timers = timers
        self._on_committed = on_committed
        self._on_trouble = on_trouble
        self.state = restored.state
        self.outputs = program.outputs(restored.state)
        self._ahead = restored.state
        self._chain = restored.chain
        snapshot_at = restored.chain.inputs - restored.replayed
        self._disk = GroupCommit(store, program.dump, snapshot_at)
        self._sealing = Sealing(signer, program.dump, store.sealed_at)
        self._answers = OrderedDict(
            (key, answer_of_record(body)) for key, body in store.answers.items()
        )
        self._decided: deque[Decided[S]] = deque()
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._fault: ProgramFault | None = None
        # Everything stays locked until this input, which says why, is adopted; 0: no trouble.
        self._locked_until = 0
        self._slow_told_at: float | None = None
        self._pending_asked = False

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
        on_trouble: Told = lambda trouble: None,
    ) -> Engine[S]:
        """An engine in the state in which the journal ends.

        Raises what `controller.journal.replay.restore` raises.
        """
        where = await restore(store, program)
        return cls(
            program, store, intake, actuator, timers, where, on_committed, signer, on_trouble
        )

    async def boot(self, *first: object) -> None:
        """Decide what the system says of its start before anything else, adopt it, then take up
        what was left: outputs, timers and a draw that was asked for and never answered.

        Where the disk refuses it returns all the same, locked; `run` goes on trying.
        """
        self._compute([self._intake.stamp("system", item) for item in first])
        await self._commit_all(tries=1)

    async def run(self) -> None:
        """Serve until the stop is durable. Raises ProgramFault.

        While a commit fails all is locked and nothing of that batch is shown, done or told.
        """
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

    def seal(self) -> None:
        """Sign what is new since the last checkpoint, if anything is."""
        if self._fault is None and not self._intake.closed and self._sealing.is_new(self._chain):
            self._seal()
            self._changed.set()

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

    def _decide(self, waiting: Waiting, signed: Seal | None = None) -> None:
        if isinstance(waiting.item, DaemonStopped) and self._sealing.is_new(self._chain):
            self._seal()
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
        entry, effects = Entry(sealed, "ok", row), tuple(turn.effects)
        if isinstance(waiting.item, DaemonStopped) and self._sealing.signs and self._chain.sequence:
            # The end itself is signed too; nothing is left to publish after it.
            signed, _ = self._sealing.statement(self._chain, turn.state, waiting.at_ms)
        self._decided.append(
            Decided(waiting, entry, turn.state, outputs, effects, answer, True, signed)
        )
        if signed is None and self._sealing.is_due(self._chain, sealed.events):
            self._seal()

    def _seal(self) -> None:
        """Sign the chain as it stands, and say so in a turn of its own."""
        at_ms = self._intake.stamp("system", None).at_ms
        seal, stated = self._sealing.statement(self._chain, self._ahead, at_ms)
        self._decide(self._intake.stamp("system", stated), seal)
        self._sealing.done(self._chain)

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
                Decided(waiting, entry, self._ahead, self.outputs, (), answer, i == 0)
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

    async def _commit_all(self, tries: int | None = None) -> None:
        while self._decided:
            group = group_of(self._decided, INPUTS_PER_BATCH_MAX)
            try:
                took_ms = await self._disk.commit(group, self._is_slow)
            except JournalTrouble as trouble:
                self._strike(trouble)
                if tries is not None and (tries := tries - 1) == 0:
                    return
                await asyncio.sleep(RETRY_S)
                continue
            except BaseException:  # whatever it was: these turns are not known to be durable
                self._actuator.lock_all()
                raise
            for _ in group:
                self._decided.popleft()
            self._room.set()
            self._adopt(group)
            if took_ms:
                self._was_slow(took_ms)
        if self._fault is not None:
            raise self._fault

    def _is_slow(self) -> None:
        self._on_trouble(Unrecorded("slow", "a write does not come back"))

    def _was_slow(self, took_ms: int) -> None:
        if not self._locked_until:
            self._on_trouble(None)
        now_s, told_s = asyncio.get_running_loop().time(), self._slow_told_at
        if self._fault is None and (told_s is None or now_s - told_s >= SLOW_TOLD_EVERY_S):
            self._slow_told_at = now_s
            item = Unrecorded("slow", f"a write took {took_ms} ms", took_ms)
            self._decide(self._intake.stamp("system", item))

    def _strike(self, trouble: JournalTrouble) -> None:
        """The disk refused: all is locked, and stays so until the record says why."""
        self._actuator.lock_all()
        item = Unrecorded(trouble.CODE, trouble.why[:REASON_CHARACTERS_MAX])
        if not self._locked_until and self._fault is None:
            self._decide(self._intake.stamp("system", item))
            self._locked_until = self._chain.inputs
            self._on_trouble(item)

    def _adopt(self, group: list[Decided[S]]) -> None:
        if self._fault is None:
            self.state, self.outputs = group[-1].state, group[-1].outputs
            self._timers.hold(self._program.timers(self.state))
            self._loosen(group[-1].number)
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

    def _loosen(self, number: int) -> None:
        """Hold the levels of the adopted state, unless the record does not say yet what struck."""
        if number < self._locked_until:
            return
        if self._locked_until:
            self._locked_until = 0
            self._on_trouble(None)
        self._actuator.hold(self.outputs)
        if not self._pending_asked:
            self._pending_asked = True
            pending = self._program.pending_draw(self.state)
            if pending is not None:
                self._actuator.draw(pending)


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
