"""Minibaccarat's third cards: who may draw, by the cards that a reading shoe saw."""

from __future__ import annotations

from controller.core.view import Table
from controller.rules.registry import rule

INITIAL = 4
MOST = 6
# In play ten and court cards count nothing; in the burn they count ten. Two maps, never one.
POINTS = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
          "10": 0, "J": 0, "Q": 0, "K": 0}  # fmt: skip


def points(*ranks: str) -> int:
    """The count of a hand: the last digit of the sum."""
    return sum(POINTS[rank] for rank in ranks) % 10


@rule("THIRD-CARD", cites=("627a.10",))
def next_draw(table: Table, ranks: tuple[str, ...]) -> str:
    """Who draws next: `player`, `banker` or `none`; the text is an analogue and only asks."""
    law = table.profile.third_card
    assert law is not None, "only a game with third cards has this rule"
    if len(ranks) < INITIAL:
        return "player" if len(ranks) % 2 == 0 else "banker"
    player, banker = points(ranks[0], ranks[2]), points(ranks[1], ranks[3])
    if max(player, banker) >= law.natural.value or len(ranks) >= MOST:
        return "none"
    player_draws = player <= law.player_draws_to.value
    if len(ranks) == INITIAL:
        if player_draws:
            return "player"
        return "banker" if banker <= law.banker_draws_to.value else "none"
    if not player_draws:
        return "none"
    third = str(POINTS[ranks[INITIAL]])
    return "banker" if third in law.banker.value[banker] else "none"


@rule("ROUND-CARDS", cites=("627a.8", "627a.10"))
def cards_of_a_round(cards: int) -> bool:
    """A shoe that only counts: four, five or six cards make a round; none where it is silent."""
    return cards == 0 or INITIAL <= cards <= MOST
