"""Start and stop, power, clock and broker as states of the table. Pure."""

from __future__ import annotations

from controller.core.inputs import (
    Broker,
    ClockStepped,
    CredentialsDue,
    DaemonStopped,
    Flooded,
    LevelCorrected,
    PowerLost,
    PublishRefused,
    RecordDisputed,
    Recorder,
    Started,
    Synchronised,
    TimerFired,
    Unsynchronised,
)
from controller.core.machine import Move
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions import deck_age, idle, record, shoe, shuffler, software
from controller.regions.alarms import clear_cause, escalate, raise_alarm, rebase_marks
from controller.regions.holds import hold
from controller.regions.irregularity import rule_on
from controller.regions.whereabouts import lose_sight_of_deal
from controller.rules.irregularities import Ruling, code_of_question

# product.md F53: an offset above 100 ms warns, above 500 ms alarms.
OFFSET_ALARM_MS = 500
BROKER_ALARM, BROKER_HOLD = "broker.alarm", "broker.hold"


def started(table: Table, item: Started) -> None:
    """A new boot: levels follow from the state, what may have happened meanwhile is not trusted."""
    table.emit(
        "config.profile_loaded", version=item.version, digest=item.digest,
        profile_digest=item.profile_digest, previous_end=item.previous_end, book=item.book,
        build=item.build,
    )  # fmt: skip
    software.begun(table, item.build)
    _rebase_timers(table)
    rebase_marks(table)
    deck_age.resume(table)
    table.change("services", broker_up=False)
    if table.state.phase is not Phase.CLOSED:
        table.emit("power.restored", phase=str(table.state.phase))
    # The shuffler went on by itself while nobody listened: not known is not shuffled.
    shuffler.lost_sight(table, "power")
    lose_sight_of_deal(table)
    if table.state.cycle.by_hand:
        table.change("cycle", by_hand=False)
    if table.state.in_round and table.state.void is None:
        _restarted_in_round(table)


def _restarted_in_round(table: Table) -> None:
    """No text speaks of it (A22): none is cited. A shoe that lost its place says so itself."""
    text = "the table restarted in a round"
    leaf = table.profile.readings.power_in_round
    if leaf is not None and leaf.verified and leaf.value == "void":
        rule_on(table, Ruling(code_of_question("power", None), text, leaf))
        return
    hold(table, "power", text, ("resume", "void"))
    raise_alarm(table, "power", 3, text)


def _rebase_timers(table: Table) -> None:
    """Monotonic time began anew: what was left of each timer before is left of it now."""
    now, before = table.arrived.mono_ms, table.state.last_mono_ms
    table.put(timers={name: now + max(0, due - before) for name, due in table.state.timers.items()})


def stopped(table: Table, item: DaemonStopped) -> None:
    """A clean stop is recorded as such, so that a crash can be told from it."""


def power_lost(table: Table, item: PowerLost) -> None:
    table.emit("power.lost")


def broker(table: Table, item: Broker) -> None:
    """Play goes on without a broker (A23): the record waits on disk, a person hears of it."""
    table.change("services", broker_up=item.up)
    if item.up:
        for name in (BROKER_ALARM, BROKER_HOLD):
            table.cancel_timer(name)
        clear_cause(table, "broker")
        return
    for name, after_ms in (
        (BROKER_ALARM, table.setup.broker_alarm_ms),
        (BROKER_HOLD, table.setup.broker_hold_ms),
    ):
        if after_ms is not None and name not in table.state.timers:
            table.start_timer(name, after_ms)


def broker_missed(table: Table, name: str) -> None:
    """The broker is away for as long as the house bears it; no text stops the play for that."""
    raise_alarm(table, "broker", 2, "the broker is away: the record waits at the table", live=True)
    if name == BROKER_HOLD:
        hold(table, "broker", "the broker is away for too long", ("continue",))


def publish_refused(table: Table, item: PublishRefused) -> None:
    raise_alarm(table, "broker.refused", 3, f"the broker refused an event: {item.reason}")


def recorder(table: Table, item: Recorder) -> None:
    """F47: each record is confirmed by the room; play goes on, and a person looks (A23)."""
    if item.up:
        clear_cause(table, "recorder")
    else:
        raise_alarm(table, "recorder", 3, "the room does not confirm the record", live=True)


def record_disputed(table: Table, item: RecordDisputed) -> None:
    raise_alarm(table, "record.disputed", 4, f"the room's copy differs: {item.reason}")


def credentials_due(table: Table, item: CredentialsDue) -> None:
    """Once they have ended the table is cut off: a person hears of it in time to renew them."""
    if item.reason is None:
        clear_cause(table, "credentials")
    else:
        raise_alarm(table, "credentials", 3, item.reason, live=True)


def flooded(table: Table, item: Flooded) -> None:
    """One event for many commands: who it was stays on record, and the record does not fill."""
    table.emit("input.flooded", by=item.principal, commands=item.commands)
    raise_alarm(table, "flooded", 3, f"too many commands of {item.principal}")


def level_corrected(table: Table, item: LevelCorrected) -> None:
    """Nobody but the table may speak on its topics: whoever does has a right that is not his."""
    forged = item.cause == "forged"
    table.emit(
        "level.corrected", None, 4 if forged else None,
        topic=item.topic, reason=item.cause, times=item.times,
    )  # fmt: skip
    if forged:
        text = f"somebody else speaks for this table at the broker: {item.topic}"
        raise_alarm(table, "forged", 4, text)


def synchronised(table: Table, item: Synchronised) -> None:
    """Said at each start and where it becomes so: from here on the stamps may be held against
    those of a camera."""
    table.change("services", clock_synchronised=True, clock_offset_ms=item.offset_ms)
    table.emit("clock.synchronised", offset_ms=item.offset_ms, error_ms_max=item.error_ms_max)
    if abs(item.offset_ms) > OFFSET_ALARM_MS:
        raise_alarm(table, "clock", 3, f"the clock is {item.offset_ms} ms off")


def unsynchronised(table: Table, item: Unsynchronised) -> None:
    """A board without a clock starts all the same, and one that loses its time goes on: the order
    is that of the sequence."""
    table.change("services", clock_synchronised=False)
    table.emit("clock.unsynchronised")


def stepped(table: Table, item: ClockStepped) -> None:
    table.emit("clock.stepped", by_ms=item.by_ms)


def timer(table: Table, item: TimerFired) -> None:
    if item.name not in table.state.timers:
        return
    left = {name: due for name, due in table.state.timers.items() if name != item.name}
    table.put(timers=left)
    if item.name == shuffler.TIMER:
        shuffler.timed_out(table)
    elif item.name == shoe.TIMER:
        shoe.timed_out(table)
    elif item.name == idle.TIMER:
        idle.fired(table)
    elif item.name == software.TIMER:
        software.fired(table)
    elif item.name in (BROKER_ALARM, BROKER_HOLD):
        broker_missed(table, item.name)
    elif item.name.startswith(deck_age.TIMER):
        deck_age.fired(table, item.name)
    else:
        escalate(table, item)


MOVES: dict[type, Move] = {
    Started: started, DaemonStopped: stopped, PowerLost: power_lost, Broker: broker,
    PublishRefused: publish_refused, Recorder: recorder, RecordDisputed: record_disputed,
    CredentialsDue: credentials_due, Flooded: flooded, LevelCorrected: level_corrected,
    Synchronised: synchronised, Unsynchronised: unsynchronised, ClockStepped: stepped,
    TimerFired: timer, **record.MOVES, **software.MOVES,
}  # fmt: skip
