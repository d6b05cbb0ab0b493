"""The deal: who gets cards, in which order, how many, and what happens to the rest."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import ExtraCard, NoMoreBets, SetMethod
from controller.core.law import Verdict, broken
from controller.core.seats import DEALER, Place, clockwise_from
from controller.core.view import Table
from controller.rules.registry import rule

BONUSES = ("progressive", "trips")


@rule("DEAL-AFTER-BETS", cites=("687a.10(a)", "687a.9(a)(3)", "687a.8", "659a.10"))
def bets_can_be_closed(table: Table, item: NoMoreBets) -> Verdict:
    """Bets close only over cards that were loaded with a token, at a shoe that works."""
    if table.state.load is None:
        return Refusal(table.profile.shuffle.when.rule, "no cards with a token are loaded")
    if table.state.methods.deal == "auto_shoe" and table.state.shoe.health != "ok":
        return Refusal(table.profile.out_of_service.cover_or_sign.rule, "the shoe is not usable")
    return None


@rule("DEAL-HAND-NEEDS-SHUFFLER", cites=("687a.9(a)(1)", "659a.9"))
def hand_has_its_shuffler(table: Table, item: NoMoreBets | SetMethod) -> Verdict:
    """Cards are dealt from the hand only where an automated shuffler shuffles them."""
    leaf = table.profile.deal.hand_requires_shuffler
    dealt = table.state.methods.deal
    if isinstance(item, SetMethod):
        dealt = item.method if item.step == "deal" else ""
    if dealt == "hand" and leaf.value:
        usable = table.state.methods.shuffle == "device" and table.state.shuffler.health == "ok"
        if not usable:
            return broken(
                leaf, "dealing from the hand needs an automated shuffler", "hand_shuffler"
            )
    return None


def seats_exist(table: Table, item: NoMoreBets) -> Verdict:
    """Every seat named is at this table, and named once."""
    for name, seats in (
        ("seats", item.seats),
        ("progressive", item.progressive or ()),
        ("trips", item.trips or ()),
        *(((f"wagers.{key}", value) for key, value in (item.wagers or {}).items())),
    ):
        if len(set(seats)) != len(seats):
            return Refusal(None, f"{name}: a seat is named twice")
        if any(not 1 <= seat <= table.setup.seats for seat in seats):
            return Refusal(None, f"{name}: this table has seats 1 to {table.setup.seats}")
    return None


@rule("DEAL-SEATS", cites=("687a.10(b)", "687a.9(c)", "687a.8"))
def wagered_seats(table: Table, item: NoMoreBets) -> tuple[int, ...]:
    """A player takes part with every required wager placed; one of two is not enough.

    Where any of them is told by name, one that is not named was placed by nobody.
    """
    seats, placed = set(item.seats), item.wagers or {}
    required = table.profile.deal.required_wagers.value
    if any(name in placed for name in required):
        for name in required:
            seats &= set(placed.get(name, ()))
    return tuple(sorted(seats))


@rule("DEAL-BONUSES", cites=("687a.10(c)", "687a.13(d)"))
def bonus_seats(item: NoMoreBets, name: str) -> tuple[int, ...]:
    """A bonus wager counts whether it has its own member or stands among the wagers by name."""
    own = {"progressive": item.progressive, "trips": item.trips}[name]
    return tuple(sorted({*(own or ()), *(item.wagers or {}).get(name, ())}))


def somebody_plays(table: Table, item: NoMoreBets) -> Verdict:
    """A round needs one seat that placed the required wagers, and bonuses belong to such seats."""
    playing = set(wagered_seats(table, item))
    if not playing:
        return Refusal(table.profile.deal.required_wagers.rule, "no seat placed its wagers")
    for name in BONUSES:
        if set(bonus_seats(item, name)) - playing:
            return Refusal(
                table.profile.deal.required_wagers.rule, f"{name}: a seat is not in this round"
            )
    for name in item.wagers or {}:
        if name not in table.profile.wagers.names.value:
            return broken(
                table.profile.wagers.names, f"wagers.{name}: not in the profile", "wager_names"
            )
    return None


@rule(
    "DEAL-ORDER",
    cites=("687a.10(b)", "687a.10(c)", "687a.9(c)", "687a.9(d)", "687a.8", "659a.10"),
)
def delivery_order(table: Table, seats: tuple[int, ...], start: Place | None) -> tuple[Place, ...]:
    """Stacks go clockwise: to the wagered seats and the dealer last, or round from the start."""
    if start is not None and table.profile.deal.recipients.value == "all":
        return clockwise_from(start, table.setup.seats)
    return (*sorted(seats), DEALER)


@rule("DEAL-STACK", cites=("687a.10(b)", "687a.9(c)", "687a.9(d)", "659a.10"))
def stack_is_whole(table: Table, cards: int) -> bool:
    """A stack has the number of cards that the game deals to a hand."""
    return cards == table.profile.deal.stack_cards.value


@rule("DEAL-EXTRA", cites=("687a.10(c)", "687a.9(e)", "687a.8"))
def extra_card_is_due(table: Table) -> bool:
    """One card goes to its area: from the shoe if a progressive wager is placed, by hand always."""
    leaf = table.profile.deal.extra_card
    if leaf is None:
        return False
    return leaf.value == "always" or bool(table.state.round.progressive)


def extra_card_belongs(table: Table, item: ExtraCard) -> Verdict:
    """No card goes to the layout where the paragraph does not ask for one."""
    if not extra_card_is_due(table) or table.state.round.extra:
        leaf = table.profile.deal.extra_card or table.profile.deal.remainder
        return Refusal(leaf.rule, "no extra card is due in this round")
    return None


def stack_is_outstanding(table: Table, number: int) -> bool:
    """The position of this number is in the round and has no cards yet."""
    play = table.state.round
    return play.due <= number <= len(play.order) and number not in play.ahead


@rule("DEAL-NEXT", cites=("687a.10(b)", "659a.10"))
def position_of_stack(table: Table, number: int) -> int:
    """The n-th stack is the n-th position's, so one out of turn shifts none of those after it;
    where that position has its cards, the first one without gets it. Counted from 1."""
    return number if stack_is_outstanding(table, number) else table.state.round.due


def hands_are_dealt(table: Table) -> bool:
    """Every position of this round has its stack."""
    return table.state.round.dealt >= len(table.state.round.order) > 0


@rule("DEAL-REMAINDER", cites=("687a.10(c)",))
def remainder_expected(table: Table) -> int:
    """Cards left in the shoe once every hand is dealt, before the extra card.

    Where a boxed card came out in a stack, its hand still waits for the next card (A33): one more.
    """
    dealt = len(table.state.round.order) * table.profile.deal.stack_cards.value
    return table.setup.batch_cards - dealt - table.state.round.discarded
