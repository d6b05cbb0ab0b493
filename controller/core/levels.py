"""From state to levels: locks with their citations, lamps, digit, prompt. Pure.

Nothing here is remembered: after a restart the lamps are right because they are computed.
"""

from __future__ import annotations

from typing import Any

from controller.core.alarm_load import load_of
from controller.core.book import Book
from controller.core.codec import plain
from controller.core.outputs import Outputs
from controller.core.seats import DEALER, printed
from controller.core.stamp import stamp_of
from controller.core.state import Alarm, Device, Phase, TableState
from controller.core.view import Table

ALL_STEPS = ("shuffle", "cut", "load", "bets", "start", "deal", "settle")
# From this severity on an alarm makes the red lamp blink: a floorperson has to come.
FLOOR_ACTS = 3
# What the room is told of a round; the rest is how we count.
ROUND_WORDS = (
    "number", "open", "seats", "progressive", "trips", "start", "order", "dealt", "face_up",
    "discarded", "extra", "raises_closed", "stub_counted", "shaken", "cards", "cut",
)  # fmt: skip
# Phases in which cards leave the shoe: the green lamp.
CARDS_LEAVE = (Phase.DEAL, Phase.PLAY)


def locks_of(book: Book, state: TableState) -> dict[str, list[str]]:
    """Each locked step with the citations that hold it."""
    locks: dict[str, list[str]] = {}

    def lock(steps: tuple[str, ...], rule: str) -> None:
        for step in steps:
            rules = locks.setdefault(step, [])
            if rule not in rules:
                rules.append(rule)

    cover = book.profile.out_of_service.cover_or_sign.rule
    if state.void is not None:
        lock((*ALL_STEPS, "method"), state.void.rule or f"void {state.void.irregularity}")
    for one in state.holds:
        lock((*ALL_STEPS, "method"), one.rule or f"hold {one.id}")
    if not state.services.recording:
        lock(ALL_STEPS, "no record, no deal")
    if state.services.changed is not None:
        lock(ALL_STEPS, "the program was changed")
    step = book.steps.get(state.phase)
    if step is not None:
        rule = step.rule(book.profile_by(state.methods.deal)) if step.rule is not None else ""
        free = state.phase is Phase.BURN and _bets_may_close(state)
        lock(tuple(one for one in step.locks if not (free and one == "bets")), rule)
    for device in (state.shuffler, state.shoe):
        if device.health in ("fault", "uncovered"):
            lock(("method",), cover)
    if state.methods.shuffle == "device" and state.shuffler.health in ("uncovered", "covered"):
        lock(("shuffle",), cover)
    if state.methods.deal == "auto_shoe" and state.shoe.health != "ok":
        lock(("bets", "deal"), cover)
    if book.profile.start_position is None:
        locks.pop("start", None)
    return {step: locks[step] for step in (*ALL_STEPS, "method") if step in locks}


def _bets_may_close(state: TableState) -> bool:
    """A counting shoe alone is witness enough of a burn; unread, a floorperson may waive it."""
    return 0 < state.pack.burn_due == state.pack.burned or "burn" in state.waived


def digit_of(state: TableState) -> str:
    """This round's number until the round ends, a dash when a draw is allowed, the program's code
    where somebody asked for it outside of play, else blank."""
    start = state.round.start
    if not state.rng.display_ok:
        return " "
    if state.services.code is not None and state.at_rest:
        return state.services.code[0]
    if state.in_round and start is not None and start.method == "rng":
        return str(start.raw)
    allowed = state.phase is Phase.START and state.methods.start == "rng" and not state.holds
    if allowed and state.rng.in_service and state.rng.pending_draw is None and not state.void:
        return "-"
    return " "


def prompt_of(book: Book, state: TableState) -> tuple[str, str, str, str | None]:
    """Step, who acts, the words, and the citation."""
    void = state.void
    if void is not None:
        return _void_prompt(state)
    if state.holds:
        one = state.holds[0]
        text = f"{one.id}: {one.reason}. Choose: {', '.join(one.choices)}"
        return "decide", "floorperson", text, one.rule
    for name, device in (("shuffler", state.shuffler), ("shoe", state.shoe)):
        if device.health == "uncovered":
            rule = book.profile.out_of_service.cover_or_sign.rule
            text = f"Cover the {name} or put the out-of-order sign on it; two people confirm"
            return "cover", "dealer", text, rule
    step = book.steps[state.phase]
    cite = step.rule(book.profile_by(state.methods.deal)) if step.rule is not None else None
    return step.name, step.who, _words(book, state, step.text), cite


def _void_prompt(state: TableState) -> tuple[str, str, str, str | None]:
    void = state.void
    assert void is not None, "only a round on its way to be void prompts so"
    if void.settle and not void.bonuses_settled:
        names = " and ".join(void.settle)
        return "bonuses_settled", "dealer", f"Round void: settle the {names} wagers", void.rule
    if void.returned_by is None:
        return "wagers_returned", "dealer", "Round void: return the wagers", void.rule
    if void.deck_count_due:
        return "deck_counted", "dealer", "Round void: count the whole deck", void.rule
    return "confirm_void", "floorperson", "Confirm the void round", void.rule


def _words(book: Book, state: TableState, text: str) -> str:
    play = state.round
    if "{to}" in text and play.dealt < len(play.order):
        to = play.order[play.due - 1]
        if isinstance(to, int):
            to = f"seat {printed(to, book.setup.seats, book.setup.numbering)}"
        else:
            to = f"the {DEALER}"
        text = text.replace("{stack}", str(play.due)).replace("{to}", to)
    if "{cutter}" in text:
        to = state.cut.offers[0] if state.cut.offers else DEALER
        name = f"seat {printed(to, book.setup.seats, book.setup.numbering)}" if isinstance(
            to, int
        ) else f"the {to}"  # fmt: skip
        text = "Cut the cards" if to == DEALER else text.replace("{cutter}", name)
    if "{least}" in text:
        text = text.replace("{least}", str(_cover_least(book)))
    if "{start}" in text:
        way = "the button" if state.methods.start == "rng" else "the shaker"
        text = text.replace("{start}", way)
    if state.phase is Phase.SHUFFLE:
        by_hand = state.methods.shuffle == "manual"
        text = "Shuffle the cards by hand" if by_hand else "Put the cards into the shuffler"
    limit = book.profile_by(state.methods.deal).stub.rounds_max
    last = limit is not None and state.unproven_rounds == limit.value - 1
    if state.phase is Phase.DECISIONS and last:
        text += "; the stub is due in the next round"
    return text


def _cover_least(book: Book) -> int:
    law = book.profile.cut
    if law.cover_min_part is not None:
        return -(-book.setup.batch_cards // law.cover_min_part.value)
    return law.cover_min_cards.value if law.cover_min_cards is not None else 0


def lamps_of(book: Book, state: TableState, locks: dict[str, list[str]]) -> dict[str, str]:
    """Red: locked, blinking: a floorperson is needed. Amber: someone acts. Green: deal."""
    urgent = state.void is not None or bool(state.holds)
    urgent = urgent or any(_urgent(alarm) for alarm in state.alarms)
    red = "blink" if urgent else ("on" if "deal" in locks else "off")
    who = prompt_of(book, state)[1]
    dealing = state.phase in CARDS_LEAVE and not urgent
    amber = "off" if dealing or state.phase is Phase.CLOSED else "on"
    if amber == "on" and who != "dealer":
        amber = "blink"
    green = "off" if "deal" in locks or state.phase not in CARDS_LEAVE else "on"
    return {"red": red, "amber": amber, "green": green}


def _urgent(alarm: Alarm) -> bool:
    return alarm.severity >= FLOOR_ACTS and alarm.acknowledged_by is None


def outputs_of(book: Book, state: TableState) -> Outputs:
    """Everything that the table shows in this state."""
    locks = locks_of(book, state)
    step, who, text, rule = prompt_of(book, state)
    since = stamp_of(state.prompt_since_ms)
    prompt = {"step": step, "who": who, "text": text, "rule": rule, "since": since}
    sounding = any(_urgent(alarm) for alarm in state.alarms)
    return Outputs(
        locks=locks,
        lamps=lamps_of(book, state, locks),
        digit=digit_of(state),
        sounder="alarm" if sounding else ("chirp" if state.holds else "off"),
        prompt=prompt,
        device_locks={"shuffler": "shuffle" in locks, "shoe": _shoe_is_locked(state, locks)},
        devices=_devices(book, state),
        alarms={alarm.id: _alarm(alarm) for alarm in state.alarms},
        table=_table(book, state),
    )


def _shoe_is_locked(state: TableState, locks: dict[str, list[str]]) -> bool:
    """No card may leave before the deal, except to the rack: the burn comes out of the shoe too."""
    if state.phase is not Phase.BURN or state.holds or not state.services.may_play:
        return "deal" in locks
    # Not known before the first card is named; then the shoe gives no more than are due.
    return 0 < state.pack.burn_due <= state.pack.burned


def _devices(book: Book, state: TableState) -> dict[str, dict[str, Any]]:
    shuffler = {
        **_device(state.shuffler),
        "inside": state.cycle.inside,
        "running": state.cycle.running,
        "residue": state.cycle.residue,
    }
    devices = {}
    if book.setup.shuffler.present:
        devices["shuffler"] = shuffler
    if book.setup.shoe_present:
        devices["shoe"] = _device(state.shoe)
    if book.profile.start_position is not None:
        devices["rng"] = {
            "in_service": state.rng.in_service,
            "display_ok": state.rng.display_ok,
            "draws": state.counters.draws,
        }
    return devices


def _device(device: Device) -> dict[str, Any]:
    return {
        "state": device.health, "link": "up" if device.up else "down", "jammed": device.jammed,
        "faults": list(device.faults), "lamp": device.lamp, "mode": device.mode,
        "identity": device.identity,
    }  # fmt: skip


def _alarm(alarm: Alarm) -> dict[str, Any]:
    return {
        "alarm": alarm.id, "code": alarm.key, "severity": alarm.severity, "text": alarm.text,
        "since": stamp_of(alarm.since_ms), "level": alarm.level, "rule": alarm.rule,
        "acknowledged_by": alarm.acknowledged_by, "repeats": alarm.repeats,
        "live": bool(alarm.live), "also": list(alarm.also), "chattering": alarm.chattering,
    }  # fmt: skip


def _table(book: Book, state: TableState) -> dict[str, Any]:
    return {
        "game": book.profile.id.game,
        "phase": str(state.phase),
        "shoe": state.counters.shoes,
        "round": {name: plain(getattr(state.round, name)) for name in ROUND_WORDS},
        "dealer": state.session.dealer,
        "occupied": list(state.occupied),
        "methods": plain(state.methods),
        "batches": [_batch_words(state, index) for index in range(len(state.batches))],
        "stub_rounds": state.stub_rounds,
        "holds": [plain(one) for one in state.holds],
        "void": None if state.void is None else plain(state.void),
        "recording": state.services.recording,
        "alarm_load": load_of(state),
    }


def _batch_words(state: TableState, index: int) -> dict[str, Any]:
    batch = state.batches[index]
    proven = batch.token is not None and not batch.token.spent
    return {"batch": batch.name, "where": batch.where, "token": proven, "why": batch.why,
            "stub_rounds": batch.stub_rounds, "cards": plain(batch.cards)}  # fmt: skip


def announce(table: Table) -> None:
    """Say which locks came and went in this turn, and since when the prompt stands."""
    locks = locks_of(table.book, table.state)
    before = table.state.locked
    for step, rules in locks.items():
        if step not in before:
            table.emit("lock.engaged", rules[0] or None, step=step, rules=rules)
    # In the order of the steps: a state that was read back has its names in another one.
    for step in (*ALL_STEPS, "method"):
        if step in before and step not in locks:
            old = before[step]
            table.emit("lock.released", old[0] or None, step=step, rules=list(old))
    if locks.keys() != before.keys() or any(tuple(locks[s]) != before[s] for s in locks):
        table.put(locked={step: tuple(rules) for step, rules in locks.items()})
    step = prompt_of(table.book, table.state)[0]
    if step != table.state.prompt_step:
        table.put(prompt_step=step, prompt_since_ms=table.arrived.at_ms)
