"""Irregularities and the way of a round to its void: raised, bonuses, wagers, confirmed. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
    BonusesSettled,
    ConfirmVoid,
    DeckCounted,
    WagersReturned,
    Withdraw,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.state import Phase, Round
from controller.core.stops import Cause, Hold, Void
from controller.core.view import Table
from controller.regions import device
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.cards import deck_removed, finish_round_cards, require_shuffle
from controller.regions.holds import hold, release
from controller.regions.proof import deck_is_proven, round_does_not_count
from controller.regions.whereabouts import deck_is_counted
from controller.rules.irregularities import Ruling, code_of_question

MINOR = ("discard", "use_next", "reshuffle")
# Questions about a device or a deck, not about the round: they outlive it.
OUTLIVES_ROUND = ("identity_changed", "count_mismatch", "shuffler_failed")
# A second cause adds nothing after so many: each is on record, only the first ones are kept.
CAUSES_MAX = 8


def rule_on(table: Table, ruling: Ruling, batch: str | None = None) -> str:
    """Raise the irregularity and do what its ruling says; returns the irregularity's id.

    `batch` is the one in question where it is not the batch in play.
    """
    identity = f"I{table.counted('irregularities')}"
    outcome = ruling.outcome
    if table.state.void is not None and outcome not in MINOR:
        _escalate(table, identity, ruling)
        return identity
    table.emit(
        "irregularity.raised", ruling.cited, 2 if outcome in MINOR else 3,
        irregularity=identity, code=ruling.code, outcome=outcome, reason=ruling.reason,
    )  # fmt: skip
    if outcome in MINOR:
        return identity
    raise_alarm(table, f"irregularity.{ruling.code}", 3, ruling.reason, ruling.cited, live=True)
    if outcome == "hold":
        hold(table, ruling.code, ruling.reason, ruling.choices, ruling.cited, identity, batch=batch)
    else:
        begin_void(table, identity, ruling.code, ruling.cited, outcome)
    return identity


def _escalate(table: Table, identity: str, ruling: Ruling) -> None:
    """A second cause may only make the deck's fate harder (ambiguity A12)."""
    void = table.state.void
    assert void is not None, "there is a void to escalate"
    table.emit(
        "irregularity.raised", ruling.cited,
        irregularity=identity, code=ruling.code, outcome="escalated", reason=ruling.reason,
    )  # fmt: skip
    cause = Cause(
        identity, ruling.code, ruling.reason, ruling.outcome, ruling.choices, ruling.cited
    )
    table.change("void", also=(*void.also, cause)[:CAUSES_MAX])
    if ruling.outcome.startswith("void") and ruling.outcome != "void_settle_bonuses":
        reading = table.profile.readings.taken("settle_and_return")
        bonuses_open = void.settle and not void.bonuses_settled
        if bonuses_open and reading == "return_all":
            table.change("void", settle=())
        elif bonuses_open and reading == "hold":
            hold(
                table, "revealed_and_void",
                "one paragraph settles the bonus wagers, the other returns all",
                ("void", "continue"), ruling.cited, identity,
            )  # fmt: skip


def begin_void(table: Table, identity: str, code: str, rule: str | None, outcome: str) -> None:
    """Lock everything; then bonuses, wagers, whole deck where due, and the confirmation."""
    settle: tuple[str, ...] = ()
    if outcome == "void_settle_bonuses":
        settle = tuple(
            name
            for name in table.profile.wagers.settled_when_revealed.value
            if name in _placed(table)
        )
    table.put(
        void=Void(
            irregularity=identity, code=code, rule=rule, since_ms=table.arrived.at_ms,
            settle=settle, deck_count_due=_whole_deck_is_due(table),
            deck="remove_deck" if outcome == "void_remove_deck" else "reshuffle",
        )
    )  # fmt: skip


def _whole_deck_is_due(table: Table) -> bool:
    law = table.profile.stub
    play = table.state.round
    if law.rounds_max is None or play.stub_counted or play.deck_counted:
        return False
    return table.state.unproven_rounds >= law.rounds_max.value


def _placed(table: Table) -> tuple[str, ...]:
    """The wagers of this round by name: a bonus only where a seat placed it."""
    play = table.state.round
    optional = {"progressive": bool(play.progressive), "trips": bool(play.trips),
                "raise": play.raises_closed}  # fmt: skip
    return tuple(name for name in table.profile.wagers.names.value if optional.get(name, True))


# ---- the rows of a void, in their order ----------------------------------------------------------
def bonuses_come_first(table: Table, item: object) -> Verdict:
    """Bonus wagers that stay in force are settled before anything is returned."""
    void = _void(table)
    if void.settle and not void.bonuses_settled:
        return Refusal(void.rule, f"settle {' and '.join(void.settle)} first")
    return None


def bonuses_are_due(table: Table, item: BonusesSettled) -> Verdict:
    void = _void(table)
    if not void.settle or void.bonuses_settled:
        return Refusal(void.rule, "no bonus wager is to be settled")
    return None


def wagers_are_due(table: Table, item: WagersReturned) -> Verdict:
    if _void(table).returned_by is not None:
        return Refusal(_void(table).rule, "the wagers were returned already")
    return None


def wagers_were_returned(table: Table, item: object) -> Verdict:
    void = _void(table)
    if void.returned_by is None:
        return Refusal(void.rule, "the wagers were not returned yet")
    return None


def deck_count_is_due(table: Table, item: DeckCounted) -> Verdict:
    void = _void(table)
    if not void.deck_count_due:
        return Refusal(void.rule, "the whole deck need not be counted")
    return None


def deck_was_counted(table: Table, item: ConfirmVoid) -> Verdict:
    void = _void(table)
    if void.deck_count_due:
        return Refusal(table.profile.stub.policy.rule, "count the whole deck first: deck_counted")
    return None


def confirmer_is_another_person(table: Table, item: ConfirmVoid) -> Verdict:
    """A second pair of eyes: who returned the wagers does not confirm the void."""
    void = _void(table)
    if void.returned_by == table.by:
        return Refusal(void.rule, f"{table.by} returned the wagers; another person confirms")
    return None


def irregularity_is_open(table: Table, item: Withdraw) -> Verdict:
    """Only the irregularity that is open now can be withdrawn."""
    void = table.state.void
    if void is not None and item.irregularity in _causes(void):
        return None
    if any(one.irregularity == item.irregularity for one in table.state.holds):
        return None
    return Refusal(None, f"irregularity {item.irregularity} is not open")


def _causes(void: Void) -> tuple[str, ...]:
    return (void.irregularity, *(one.irregularity for one in void.also))


def settle_bonuses(table: Table, item: BonusesSettled) -> None:
    table.change("void", bonuses_settled=True)


def return_wagers(table: Table, item: WagersReturned) -> None:
    table.change("void", returned_by=table.by)


def count_deck(table: Table, item: DeckCounted) -> None:
    whole = item.cards == table.setup.batch_cards
    table.emit(
        "stub.count_result", table.profile.stub.policy.rule, None if whole else 3,
        expected=table.setup.batch_cards, got=item.cards, ok=whole,
    )  # fmt: skip
    table.change("void", deck_count_due=False)
    deck_is_counted(table, item.cards)
    if whole:
        deck_is_proven(table)
    else:
        table.change("void", deck="remove_deck")


def confirm_void(table: Table, item: ConfirmVoid) -> None:
    """The round is void: wagers disposed of, cards to the shuffle or off the table."""
    void = _void(table)
    placed = _placed(table)
    table.emit(
        "wager.disposition", void.rule,
        returned=[name for name in placed if name not in void.settle], settled=list(void.settle),
    )  # fmt: skip
    table.emit("round.voided", void.rule, code=void.code, irregularity=void.irregularity)
    dropped = [one for one in table.state.holds if one.code not in OUTLIVES_ROUND]
    kept = tuple(one for one in table.state.holds if one.code in OUTLIVES_ROUND)
    table.put(void=None, waived=(), holds=kept)
    later = (*(one.code for one in void.also), *(one.code for one in dropped))
    for code in (void.code, *later):
        clear_cause(table, f"irregularity.{code}")
    if table.profile.readings.taken("void_rounds_count") == "no":
        round_does_not_count(table)
    _rest_the_deck(table, void)
    load = table.state.load
    finish_round_cards(table)
    table.put(round=Round(number=table.state.round.number))
    if void.deck == "remove_deck" or any(one.outcome == "void_remove_deck" for one in void.also):
        deck_removed(table, void.rule, load.batch if load is not None else None)
    else:
        require_shuffle(table, void.code, void.rule)


def _rest_the_deck(table: Table, void: Void) -> None:
    """687a.13(f): this deck is shuffled whole; whether another is played meanwhile is A30."""
    load = table.state.load
    if void.code == "shoe_failed" and load is not None and len(table.state.batches) > 1:
        table.put(rested=load.batch)


# ---- a mistaken report ---------------------------------------------------------------------------
def withdraw(table: Table, item: Withdraw) -> None:
    """A mistaken report is taken back with a reason; play goes on unless another cause stands."""
    void = table.state.void
    one = next((one for one in table.state.holds if one.irregularity == item.irregularity), None)
    if one is not None:
        release(table, one)
    later: tuple[Cause, ...] = ()
    if void is not None and void.irregularity == item.irregularity:
        code, rule, later = void.code, void.rule, void.also
        table.put(void=None)
    elif void is not None and item.irregularity in _causes(void):
        cause = next(one for one in void.also if one.irregularity == item.irregularity)
        code, rule = cause.code, cause.rule
        table.change("void", also=tuple(one for one in void.also if one is not cause))
    else:
        assert one is not None, "the guard found the hold"
        code, rule = one.code, one.rule
    _as_if_not_reported(table, code)
    table.emit(
        "irregularity.withdrawn", rule,
        irregularity=item.irregularity, code=code, reason=item.reason,
    )  # fmt: skip
    clear_cause(table, f"irregularity.{code}")
    for cause in later:
        _stand(table, cause)


def _as_if_not_reported(table: Table, code: str) -> None:
    play = table.state.round
    if code == "shoe_failed":
        device.works_after_all(table)
    if code == "face_up" and play.face_up:
        table.change(
            "round", face_up=play.face_up - 1,
            face_up_shoe=min(play.face_up_shoe, play.face_up - 1),
            face_up_dealer=min(play.face_up_dealer, play.face_up - 1),
        )  # fmt: skip
    if code == "stub_mismatch" and table.state.phase is Phase.MISDEAL:
        table.go(Phase.STUB)


def _stand(table: Table, cause: Cause) -> None:
    """The first cause was a mistake; what was reported after it is decided now."""
    void = table.state.void
    if void is not None:
        table.change("void", also=(*void.also, cause))
        return
    raise_alarm(table, f"irregularity.{cause.code}", 3, cause.reason, cause.rule, live=True)
    if cause.outcome == "hold":
        hold(table, cause.code, cause.reason, cause.choices, cause.rule, cause.irregularity)
    else:
        begin_void(table, cause.irregularity, cause.code, cause.rule, cause.outcome)


def void_by_decision(table: Table, one: Hold, deck: str) -> None:
    """The floorperson chose to make the round void for what a hold asked."""
    identity = one.irregularity or f"I{table.counted('irregularities')}"
    code = code_of_question(one.code, one.device)
    void = table.state.void
    if void is not None:
        # A12: everything is returned, unless bonus wagers were settled before the second cause.
        settle = void.settle if void.bonuses_settled else ()
        harder = "remove_deck" if "remove_deck" in (deck, void.deck) else "reshuffle"
        table.change("void", settle=settle, deck=harder)
        return
    outcome = "void_remove_deck" if deck == "remove_deck" else "void"
    if one.irregularity is None:
        table.emit(
            "irregularity.raised", one.rule,
            irregularity=identity, code=code, outcome=outcome, reason=one.reason,
        )  # fmt: skip
    begin_void(table, identity, code, one.rule, outcome)


def _void(table: Table) -> Void:
    void = table.state.void
    assert void is not None, "these rows stand only while a round is being made void"
    return void


VOID_ROWS: Rows = {
    BonusesSettled: row(bonuses_are_due, then=settle_bonuses),
    WagersReturned: row(bonuses_come_first, wagers_are_due, then=return_wagers),
    DeckCounted: row(wagers_were_returned, deck_count_is_due, then=count_deck),
    ConfirmVoid: row(
        bonuses_come_first, wagers_were_returned, deck_was_counted, confirmer_is_another_person,
        then=confirm_void,
    ),
    Withdraw: row(irregularity_is_open, then=withdraw),
}  # fmt: skip
