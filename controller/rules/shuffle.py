"""What makes a shuffle: a good cycle, an honest hand shuffle, and a token that is spent once."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import DeckCounted, Shuffled, ShuffleStarted
from controller.core.law import Ask, Verdict
from controller.core.state import Batch
from controller.core.view import Table
from controller.rules.batches import batch_was_just_played
from controller.rules.exemption import applies
from controller.rules.registry import rule
from hal.facts import CycleEnded

OUT_OF_SERVICE = ("uncovered", "covered")
SHUFFLE_CITES = ("633a.5(a)", "627a.5(a)", "659a.5(a)", "687a.5")


@rule("CYCLE-GOOD", cites=SHUFFLE_CITES)
def cycle_is_no_shuffle_because(table: Table, ended: CycleEnded) -> str | None:
    """A cycle makes a token when it ran as a shuffle to its end, on this batch, counted right."""
    cycle, setup = table.state.cycle, table.setup.shuffler
    took_ms = table.arrived.mono_ms - cycle.started_mono_ms
    findings = (
        (not table.state.shuffler.up, "unknown_state"),
        (table.state.shuffler.health in OUT_OF_SERVICE, "unknown_state"),
        (not cycle.running or cycle.number != ended.cycle or cycle.inside is None, "no_cycle"),
        (_left_the_table(table, cycle.inside), "wrong_batch"),
        (ended.mode != "shuffle", f"{ended.mode}_mode"),
        (cycle.mode != "shuffle", f"{cycle.mode}_mode"),
        (ended.result != "ok", ended.result),
        (ended.batch is not None and ended.batch != cycle.inside, "wrong_batch"),
        (ended.cards is not None and ended.cards != table.setup.batch_cards, "wrong_count"),
        (cycle.residue, "residue"),
        (setup.cycle_ms_min is not None and took_ms < setup.cycle_ms_min, "too_fast"),
        (setup.cycle_ms_max is not None and took_ms > setup.cycle_ms_max, "too_slow"),
    )
    return next((reason for found, reason in findings if found), None)


def _left_the_table(table: Table, name: str | None) -> bool:
    """A deck that was removed is not shuffled back into play; new_deck comes first."""
    batch = table.batch(name)
    return batch is not None and batch.where == "removed"


@rule("TOKEN-LOAD", cites=SHUFFLE_CITES)
def load_is_refused_because(table: Table, batch: Batch | None, cards: int | None) -> str | None:
    """Cards are loaded only with a token of their own batch, unspent and cut."""
    if batch is None or batch_was_just_played(table, batch):
        return "wrong_batch"
    if table.state.cycle.inside == batch.name and table.state.cycle.running:
        return "incomplete"
    token = batch.token
    if token is None:
        return batch.why
    if token.spent:
        return "already_spent"
    if table.state.shuffler.lamp in ("red", "blink") and token.method == "device":
        return "unknown_state"
    if token.cut == "needed":
        return "not_cut"
    if cards is not None and cards != table.setup.batch_cards:
        return "wrong_count"
    return None


@rule("SHUFFLE-BY-HAND", cites=SHUFFLE_CITES)
def shuffle_is_by_hand(table: Table, item: ShuffleStarted | Shuffled | DeckCounted) -> Verdict:
    """A hand shuffle is stated only while the hand is the table's shuffling method."""
    if table.state.methods.shuffle != "manual":
        leaf = table.profile.shuffle.when
        return Refusal(leaf.rule, "the shuffler is this table's method; set_method manual first")
    return None


@rule("SHUFFLE-WHOLE", cites=SHUFFLE_CITES)
def hand_shuffles_the_whole_deck(table: Table, item: ShuffleStarted) -> Verdict:
    """What a failed shuffler kept is not left out: the cards are counted, or its chamber seen."""
    batch, cycle = batch_for_the_hand(table), table.state.cycle
    rule_text = table.profile.shuffle.when.rule
    if batch.counted or not (cycle.residue or cycle.inside == batch.name):
        return None
    if cycle.residue:
        return Refusal(
            rule_text, "cards are left in the shuffler: take them out, then deck_counted{cards}"
        )
    if "chamber" in table.state.waived:
        return None
    return Ask(rule_text, "the cards were taken out of a shuffler by hand: is its chamber empty?",
               "chamber")  # fmt: skip


def batch_for_the_hand(table: Table) -> Batch:
    """The batch that a hand shuffle mixes: the one that lies on the table, not in the device."""
    batches = table.state.batches
    lies = (one for one in batches if one.where in ("table", "stack"))
    return next(lies, next(one for one in batches if one.where != "removed"))


@rule("SHUFFLE-BEGAN", cites=SHUFFLE_CITES)
def hand_shuffle_began(table: Table, item: Shuffled) -> Verdict:
    """A hand shuffle ends only after it began."""
    if not table.state.cycle.by_hand:
        return Refusal(table.profile.shuffle.when.rule, "no hand shuffle was started")
    return None


@rule("CUT-REQUIRED", cites=("659a.5(b)(1)", "659a.5(b)(2)"))
def cut_is_required(table: Table, method: str) -> bool:
    """A hand shuffle or a preshuffled pack is cut, a device's shuffle where its chapter says so."""
    leaf = table.profile.cut.required_after
    into_shoe = method == "device" and table.setup.shuffler.direct_to_shoe
    if into_shoe and table.profile.readings.taken("direct_to_shoe") == "no_cut":
        return False
    return method in leaf.value and applies(table, table.profile.cut.by.cite)


@rule("SHUFFLE-ORDERED", cites=SHUFFLE_CITES)
def order_waits_for_round_end(table: Table) -> bool:
    """A floorperson's order to shuffle is obeyed at once, in a round at its end."""
    return table.state.in_round


@rule("SHUFFLE-WHEN", cites=SHUFFLE_CITES)
def shuffle_follows_round(table: Table) -> bool:
    """The cards are shuffled after every round where the game is dealt from one deck."""
    return table.profile.shuffle.when.value == "round" or table.state.shuffle_ordered
