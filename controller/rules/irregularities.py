"""What an irregularity means: the code, the outcome in the profile, or a question to the floor."""

from __future__ import annotations

from dataclasses import dataclass

from controller.core.events import Refusal
from controller.core.inputs import Revealed, WrongCount
from controller.core.law import CODE, Lawful, Verdict
from controller.core.seats import DEALER
from controller.core.state import Phase
from controller.core.view import Table
from controller.rules.deal import hands_are_dealt
from controller.rules.registry import rule

# A game dealt card by card has no raises and deals until it settles: all of it is PLAY.
BEFORE_RAISES = (Phase.START, Phase.DEAL, Phase.PLAY, Phase.REMAINDER, Phase.EXTRA, Phase.STUB,
                 Phase.MISDEAL, Phase.DECISIONS)  # fmt: skip
WHILE_DEALING = (Phase.DEAL, Phase.PLAY, Phase.REMAINDER, Phase.EXTRA)
ROUND_CHOICES = ("continue", "void")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says of an irregularity; without a verified leaf the floorperson is asked."""

    code: str
    reason: str
    leaf: Lawful[str] | None = None
    choices: tuple[str, ...] = ROUND_CHOICES
    rule: str | None = None

    @property
    def outcome(self) -> str:
        """The verified outcome, or `hold`."""
        return self.leaf.value if self.leaf is not None and self.leaf.verified else "hold"

    @property
    def cited(self) -> str | None:
        """The paragraph that decides, or the one that does not reach this case."""
        return self.leaf.rule if self.leaf is not None else self.rule


def _leaf(table: Table, key: str) -> Lawful[str] | None:
    return table.profile.irregularities.get(key)


def _cite(table: Table, key: str) -> str | None:
    leaf = _leaf(table, key)
    return leaf.rule if leaf is not None else None


@rule("IRR-FACE-UP", cites=("687a.13(a)",))
def face_up_ruling(table: Table) -> Ruling:
    """One card found face up while dealing goes to the rack; more than one void the round."""
    number = table.state.round.face_up + 1
    if table.state.phase not in WHILE_DEALING:
        return Ruling("face_up", "a face-up card after the deal", rule=_cite(table, "face_up"))
    leaf = _leaf(table, "face_up" if number == 1 else "face_up_again")
    in_stack = table.state.phase is Phase.DEAL and table.state.methods.deal == "auto_shoe"
    if number == 1 and in_stack and table.profile.readings.boxed_in_stack is not None:
        # A33: the hand of the stack lacks a card; the usual reading deals it the next one.
        leaf = table.profile.readings.boxed_in_stack
    return Ruling(
        "face_up", f"face-up card number {number} of this round", leaf,
        choices=("discard", "use_next", "void"), rule=_cite(table, "face_up"),
    )  # fmt: skip


@rule("IRR-DRAWN-IN-ERROR", cites=("687a.13(b)",))
def drawn_in_error_ruling(table: Table, exposed: bool) -> Ruling:
    """A card drawn in error and not exposed is the next card; an exposed one is asked (A10)."""
    choices = ("use_next", "discard", "void")
    if exposed:
        return Ruling(
            "drawn_in_error", "a card drawn in error was exposed",
            table.profile.readings.exposed_draw, choices, _cite(table, "drawn_in_error"),
        )  # fmt: skip
    return Ruling(
        "drawn_in_error", "a card drawn in error", _leaf(table, "drawn_in_error"), choices
    )


@rule("IRR-WRONG-COUNT", cites=("687a.13(c)",))
def wrong_count_ruling(table: Table, to: int | str, cards: int) -> Ruling:
    """A hand with a wrong number of cards voids the round, the dealer's too (A11)."""
    leaf = _leaf(table, "wrong_count")
    if to == DEALER:
        leaf = table.profile.readings.dealer_count or leaf
    return Ruling("wrong_count", f"{cards} cards for {to}", leaf)


@rule("IRR-COUNT-WRONG", cites=("687a.13(c)",))
def count_is_wrong(table: Table, item: WrongCount) -> Verdict:
    """The number that the game deals to a hand is no wrong one, and voids no round."""
    leaf = table.profile.deal.stack_cards
    if leaf.verified and item.cards == leaf.value and item.to in table.state.round.order:
        return Refusal(leaf.rule, f"{leaf.value} cards are right for a hand")
    return None


@rule("IRR-SURPLUS", cites=("687a.13(b)", "687a.13(c)"))
def wrong_stack_ruling(table: Table, to: int | str, cards: int) -> Ruling:
    """A stack with one card too many is a wrong count, or by another reading (A31) an error."""
    leaf = table.profile.readings.surplus_in_stack
    one_more = cards == table.profile.deal.stack_cards.value + 1
    if leaf is None or leaf.value == "void" or not one_more:
        return wrong_count_ruling(table, to, cards)
    code = "drawn_in_error" if leaf.value == "use_next" else "wrong_count"
    return Ruling(code, f"{cards} cards for {to}", leaf)


@rule("IRR-REVEALED", cites=("687a.13(d)",))
def revealed_ruling(table: Table, whose: int | str) -> Ruling:
    """Cards seen before the raises are closed void the round; bonus wagers are settled first."""
    reason = f"cards of {whose} were revealed too early"
    # Hands that were never dealt cannot be judged for a bonus: ambiguity A13.
    bonuses = table.state.round.progressive or table.state.round.trips
    if bonuses and not hands_are_dealt(table):
        return Ruling("revealed", f"{reason}, not all hands dealt",
                      table.profile.readings.undealt_bonuses,
                      rule=_cite(table, "revealed"))  # fmt: skip
    return Ruling("revealed", reason, _leaf(table, "revealed"))


@rule("IRR-HAND", cites=("687a.13(d)",))
def place_has_a_hand(table: Table, item: Revealed) -> Verdict:
    """Only a position that is dealt to in this round has cards to be seen."""
    order = table.state.round.order
    if order and item.whose not in order:
        return Refusal(_cite(table, "revealed"), f"{item.whose} gets no cards in this round")
    return None


@rule("IRR-SHUFFLER", cites=("687a.13(e)",))
def shuffler_failed_ruling(table: Table, cause: str) -> Ruling:
    """A shuffler that jams, stops or does not finish leaves cards that are shuffled again."""
    leaf = _leaf(table, "shuffler_failed")
    if table.state.in_round:
        # A14: the round is played with other cards.
        leaf = table.profile.readings.shuffler_in_round or leaf
    return Ruling(
        "shuffler_failed", f"the shuffler failed: {cause}", leaf,
        choices=("reshuffle",),
    )  # fmt: skip


@rule("IRR-SHOE", cites=("687a.13(f)",))
def shoe_failed_ruling(table: Table, cause: str) -> Ruling:
    """An automated shoe that fails before all hands are dealt voids the round (A15, A32)."""
    reason = f"the shoe failed: {cause}"
    if table.state.methods.deal != "auto_shoe":
        return Ruling("shoe_failed", f"{reason}, no automated shoe deals",
                      rule=_cite(table, "shoe_failed"))  # fmt: skip
    if hands_are_dealt(table):
        return Ruling(
            "shoe_failed", f"{reason}, after the last hand",
            table.profile.readings.shoe_after_deal, rule=_cite(table, "shoe_failed"),
        )  # fmt: skip
    return Ruling("shoe_failed", reason, _leaf(table, "shoe_failed"), ("void", "continue"))


@rule("IRR-STUB", cites=("687a.10(f)", "687a.9(f)", "687a.8", "659a.10"))
def stub_ruling(table: Table, got: int, expected: int, deck_leaves: bool) -> Ruling:
    """A wrong stub voids the round; the deck leaves unless a misdeal explains it."""
    key = "stub_mismatch_deck" if deck_leaves else "stub_mismatch"
    return Ruling(
        "stub_mismatch", f"stub of {got} cards, {expected} expected", _leaf(table, key),
        choices=("continue", "void", "remove_deck"),
    )  # fmt: skip


# What a round is void for where a floorperson voids it over a question that is no irregularity
# of its own: the nearest code of the fixed list, by what the question leaves in doubt.
CODE_OF_QUESTION = {
    # Cards may have moved unseen: nobody can say any more where each of them is.
    "power": "count_mismatch",
    "overrun": "count_mismatch",
    "storage": "count_mismatch",
    "taken_over": "count_mismatch",
    "facts_missing": "count_mismatch",
    "load_differs": "count_mismatch",
    "residue": "count_mismatch",
    # The shoe gives no cards, or not the one that was known does.
    "shoe_silent": "shoe_failed",
    "shoe_lost": "shoe_failed",
    "identity_changed": "shoe_failed",
    # Where the deal begins, or who got what, is not sure.
    "digit": "out_of_order",
    "hand_shuffler": "no_token",
    # The cards in play lost the proof that they were made ready as the paragraph says.
    "batch_conflict": "no_token",
    "unshuffled_pack": "no_token",
    "deck_change": "no_token",
    "exemption_lost": "no_token",
    "cut_by": "no_token",
    "cut_depth": "no_token",
    "cover_depth": "no_token",
    "cover": "no_token",
    "wash": "no_token",
    "spread": "no_token",
    # Duties whose breach has a code.
    "burn": "burn_mismatch",
    "stub": "stub_mismatch",
    "third_card": "unauthorised_third_card",
    "revealed_and_void": "revealed",
}


def code_of_question(code: str, device: str | None = None) -> str:
    """The irregularity that a void is recorded under: an irregularity's code is its own."""
    if device == "shuffler":
        return "shuffler_failed"
    return CODE_OF_QUESTION.get(code, code)


def unread(code: str, reason: str, choices: tuple[str, ...], cite: str | None = None) -> Ruling:
    """An irregularity without a paragraph that was read: hold and ask."""
    return Ruling(code, reason, choices=choices, rule=CODE + cite if cite else None)
