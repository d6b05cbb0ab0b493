"""The start position: one of shaker and generator, once a round, counted from the dealer."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import Dice, NoMoreBets, SetMethod, Shaken, StartMarked
from controller.core.law import Verdict
from controller.core.profile import StartPosition
from controller.core.seats import Place, counted
from controller.core.view import Table
from controller.rules.registry import rule
from hal.facts import Button


def law_of(table: Table) -> StartPosition:
    """The profile's paragraphs on the start position."""
    law = table.profile.start_position
    assert law is not None, "only a game with a start position has these rows"
    return law


@rule("START-ONE-METHOD", cites=("659a.5(g)",))
def generator_is_the_method(table: Table, item: Button) -> Verdict:
    """The button draws only while the generator is the method in use."""
    if table.state.methods.start != "rng":
        return Refusal(law_of(table).methods.rule, "the shaker finds this round's start position")
    return None


@rule("START-DRAW-ONCE", cites=("659a.5(g)(2)",))
def number_was_not_drawn(table: Table, item: Button) -> Verdict:
    """One number a round: a second press never draws again."""
    if table.state.rng.pending_draw is not None:
        return Refusal(law_of(table).numbers.rule, "this round's number is being drawn")
    return None


@rule("START-REDRAW", cites=("659a.5(g)(2)",))
def redraw_is_lawful(table: Table) -> bool:
    """A number is discarded only where the profile lets him, before the first card (A7)."""
    return law_of(table).redraw.value and table.state.round.dealt == 0


@rule("START-IN-SERVICE", cites=("659a.5(g)(2)",))
def generator_is_in_service(table: Table, item: Button) -> Verdict:
    """A generator that failed a test or shows wrongly is not used."""
    if not table.state.rng.in_service:
        return Refusal(
            law_of(table).numbers.rule, "the generator is out of service; floorperson: set_method"
        )
    return None


@rule("START-NUMBER", cites=("659a.5(g)(2)",))
def number_is_in_range(table: Table, number: int) -> bool:
    """The generator gives a whole number from the lawful range and nothing else."""
    first, last = law_of(table).numbers.value
    return first <= number <= last


@rule("START-COUNT", cites=("659a.5(g)(1)(iii)", "659a.5(g)(2)"))
def position_of(table: Table, number: int) -> tuple[int, Place]:
    """Positions are counted counter-clockwise, wager or not, the dealer as number one."""
    law = law_of(table).count_direction
    assert law.value == "counter-clockwise", "659a.5(g) knows no other direction"
    return counted(number, table.setup.seats)


@rule("START-SHAKER", cites=("659a.5(g)(1)(i)",))
def shaker_is_the_method(table: Table, item: Shaken | Dice) -> Verdict:
    """The shaker is used only while it is the method in use."""
    if table.state.methods.start != "shaker":
        return Refusal(
            law_of(table).methods.rule, "the generator finds this round's start position"
        )
    return None


@rule("START-RESET", cites=("659a.5(g)(1)(iv)",))
def shaker_was_reset(table: Table, item: Shaken) -> Verdict:
    """After the deal the lid goes on, one shake, to the dealer's right: before the next use."""
    if table.state.rng.shaker_reset_due:
        return Refusal(
            law_of(table).reset_shakes.rule, "put the lid on, shake once, place the shaker first"
        )
    return None


@rule("START-SHAKES", cites=("659a.5(g)(1)(i)",))
def shaken_often_enough(table: Table, item: Dice) -> Verdict:
    """The shaker is shaken at least three times before the lid comes off."""
    least = law_of(table).shakes_min
    if table.state.round.shaken < least.value:
        return Refusal(
            least.rule, f"shaken {table.state.round.shaken} times, {least.value} at least"
        )
    return None


@rule("START-DICE", cites=("659a.5(g)(1)(ii)",))
def dice_add_up(table: Table, item: Dice) -> Verdict:
    """Three dice are totalled: each from one to six, or their total from 3 to 18."""
    dice = law_of(table).dice
    if item.values is None and item.total is None:
        return Refusal(dice.rule, "enter the three dice or their total")
    if item.values is not None and item.total not in (None, sum(item.values)):
        return Refusal(dice.rule, f"the dice make {sum(item.values)}, not {item.total}")
    return None


@rule("START-RNG-SEATS", cites=("659a.5(g)(2)",))
def generator_fits_the_layout(table: Table, item: SetMethod) -> Verdict:
    """Numbers 1 to 7 need seven positions: six seats and the dealer (ambiguity A2)."""
    if item.method == "rng" and table.setup.seats + 1 != law_of(table).numbers.value[1]:
        return Refusal(law_of(table).numbers.rule, "1 to 7 does not fit this number of seats")
    return None


@rule("START-MARK", cites=("659a.5(h)",))
def position_is_known(table: Table, item: StartMarked) -> Verdict:
    """The start position may be marked once it was determined."""
    if table.state.round.start is None:
        return Refusal(law_of(table).mark.rule, "there is no start position to mark yet")
    return None


@rule("START-AFTER-BETS", cites=("659a.10",))
def bets_come_first(table: Table, item: NoMoreBets) -> Verdict:
    """No more bets before the start position is found (ambiguity A27)."""
    if table.state.round.start is not None:
        return Refusal(law_of(table).bets_closed_first.rule, "the start position is known already")
    return None
