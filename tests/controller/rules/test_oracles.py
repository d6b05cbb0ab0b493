"""The rule catalogue's oracles (its section 12), one test each, the numbers typed out by hand."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from controller.core.seats import counted
from controller.core.state import Phase
from controller.core.view import Table
from controller.rules.third_card import next_draw, points
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing, table

FAP = "fortune-asia-poker"
ALL_SEVEN = (1, 2, 3, 4, 5, 6, 7)


def at_start(**house: object) -> Play:
    """Fortune Asia Poker, bets closed, no start position yet."""
    return Play(FAP, **house).ready().bets(1, 3)


def by_hand_uncut(game: str = FAP) -> Play:
    """Shuffled by hand, the dealer is to cut."""
    play = Play(game, shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    return play


# ---- Fortune Asia Poker --
TOTALS: dict[int, int | str] = {
    3: 5, 4: 4, 5: 3, 6: 2, 7: 1, 8: "dealer", 9: 6, 10: 5, 11: 4, 12: 3, 13: 2, 14: 1,
    15: "dealer", 16: 6, 17: 5, 18: 4,
}  # fmt: skip


@covers("START-COUNT")
@pytest.mark.parametrize(("total", "to"), TOTALS.items())
def test_fap_each_of_the_sixteen_totals_finds_its_seat(total: int, to: int | str) -> None:
    play = at_start(start="shaker")
    play.dealer("shaken", times=3)
    play.dealer("dice", total=total)
    assert play.last("startpos.determined")["to"] == to


@covers("START-COUNT")
def test_fap_all_216_throws_give_31_of_each_count_and_30_of_the_seventh() -> None:
    throws = itertools.product(range(1, 7), repeat=3)
    counts = Counter(counted(sum(dice), 6)[0] for dice in throws)
    assert counts == {1: 31, 2: 31, 3: 31, 4: 31, 5: 31, 6: 31, 7: 30}


@covers("START-COUNT", "START-NUMBER")
@pytest.mark.parametrize(
    ("number", "to"),
    [(0, None), (1, "dealer"), (2, 6), (3, 5), (4, 4), (5, 3), (6, 2), (7, 1), (8, None)],
)
def test_fap_a_number_from_one_to_seven_is_its_own_count_and_others_are_none(
    number: int, to: int | str | None
) -> None:
    play = at_start()
    play.draw(number)
    if to is None:
        assert play.last("rng.failed")["test"] == "range"
        assert play.state.round.start is None
        return
    assert play.last("startpos.determined")["count"] == number
    assert play.last("startpos.determined")["to"] == to


@covers("START-DRAW-ONCE")
def test_fap_a_second_press_draws_nothing() -> None:
    play = at_start()
    play.do("rng", "button")
    play.refused("rng", "button")
    play.do("rng", "drawn", number=4, draw=play.state.rng.pending_draw)
    play.refused("rng", "button")
    assert play.state.counters.draws == 1


@covers("DEAL-ORDER")
def test_fap_from_the_sixth_seat_the_deal_goes_on_to_the_dealer_and_the_first() -> None:
    play = at_start()
    play.draw(2)
    assert play.state.round.order == (6, "dealer", 1, 2, 3, 4, 5)


@covers("RECUT-WINDOW")
def test_fap_a_recut_is_lawful_after_the_load_and_not_after_the_first_card() -> None:
    play = by_hand_uncut()
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    play.floor("order_recut", reason="seen")
    play.do("shoe", "emptied")
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    play.bets(1)
    play.draw(1)
    play.stack()
    assert play.refused("floorperson", "order_recut", reason="late").endswith("659a.5(d)")


@covers("CUT-REQUIRED")
@pytest.mark.parametrize("method", ["device", "manual", "preshuffled"])
def test_fap_only_a_devices_shuffle_skips_the_cut(method: str) -> None:
    if method == "manual":
        play = by_hand_uncut()
    elif method == "device":
        play = Play(FAP).opened().shuffled()
    else:
        play = Play(FAP)
        play.floor("open", preshuffled=True)
        play.floor("preshuffled", seal="S-1", receipt="R-1")
    assert (play.state.phase is Phase.LOAD) is (method == "device")
    assert (play.state.phase is Phase.CUT) is (method != "device")


@covers("EXEMPT-PARAGRAPH")
def test_fap_the_mask_of_f_leaves_a_b_g_and_h() -> None:
    exemption = Play(FAP).book.profile.exemption
    assert exemption is not None
    assert exemption.disables.value == ("659a.5(c)", "659a.5(d)", "659a.5(e)")
    play = Play(FAP, approved_device="X").opened()
    play.do("shuffler", "identity", make="m", model="X", serial="s", firmware="f")
    assert play.refused("dealer", "loaded", into="shoe").endswith("659a.5(a)")
    play.shuffled().loaded().bets(1)
    assert play.state.phase is Phase.START
    play.draw(3)
    play.dealer("start_marked")


# ---- Minibaccarat --
BURNS = {
    "A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10, "J": 10,
    "Q": 10, "K": 10,
}  # fmt: skip


@covers("BURN-VALUE")
@pytest.mark.parametrize(("rank", "extra"), BURNS.items())
def test_mb_each_of_the_thirteen_ranks_burns_its_face_value(rank: str, extra: int) -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card(rank, "clubs")
    assert play.last("burn.required") == {"rank": rank, "extra": extra, "round": 0, "shoe": 1}
    for _ in range(extra):
        play.card()
    play.dealer("burned", cards=extra + 1)
    assert play.last("burn.completed")["cards"] == extra + 1


@covers("BURN-VALUE", "THIRD-CARD")
@pytest.mark.parametrize("rank", ["10", "J", "Q", "K"])
def test_mb_a_court_card_burns_ten_and_counts_nothing_in_play(rank: str) -> None:
    assert BURNS[rank] == 10
    assert points(rank) == 0


# Banker's count down, the player's third card across: B draws, - stays.
GRID = (
    "BBBBBBBBBB",
    "BBBBBBBBBB",
    "BBBBBBBBBB",
    "BBBBBBBB-B",
    "--BBBBBB--",
    "----BBBB--",
    "------BB--",
    "----------",
)
RANK = ("10", "A", "2", "3", "4", "5", "6", "7", "8", "9")


def baccarat() -> Play:
    return playing(MINIBACCARAT, 1)


@covers("THIRD-CARD")
def test_mb_the_banker_draws_as_the_grid_says() -> None:
    play = baccarat()
    seen = 0
    for banker, line in enumerate(GRID):
        for third, mark in enumerate(line):
            ranks = ("10", RANK[banker], "2", "10", RANK[third])
            seen += 1
            wanted = "banker" if mark == "B" else "none"
            assert next_draw(_table(play), ranks) == wanted, (banker, third)
    assert seen == 80


def _table(play: Play) -> Table:
    return Table(play.book, play.state, play.turns[-1].arrived)


@covers("THIRD-CARD")
@pytest.mark.parametrize(
    ("player", "banker", "drawn"),
    [
        (8, 0, "none"), (9, 0, "none"), (0, 8, "none"), (0, 9, "none"),
        (0, 7, "player"), (5, 7, "player"), (6, 5, "banker"), (7, 0, "banker"),
        (6, 6, "none"), (7, 7, "none"),
    ],
)  # fmt: skip
def test_mb_naturals_end_it_and_a_standing_player_leaves_five_to_the_banker(
    player: int, banker: int, drawn: str
) -> None:
    ranks = (RANK[player], RANK[banker], "10", "10")
    assert next_draw(_table(baccarat()), ranks) == drawn


# ---- Blackjack --
def next_shoe(where: int | str | None) -> ShoePlay:
    """Seven players; the cover card came out there, or a floorperson orders the shuffle."""
    play = playing(BLACKJACK, *ALL_SEVEN)
    play.bets(*ALL_SEVEN)
    if where is not None:
        play.dealer("cover_card_out", where=where)
    play.round_done()
    if where is None:
        play.floor("order_shuffle", reason="sticky")
    return play.mixed("B")


@covers("CUT-ORDER")
@pytest.mark.parametrize(
    ("where", "offers"),
    [
        ("dealer", [7, 6, 5, 4, 3, 2, 1, "dealer"]),
        (3, [3, 2, 1, 7, 6, 5, 4, "dealer"]),
        (None, [7, 6, 5, 4, 3, 2, 1, "dealer"]),
    ],
)
def test_bj_the_cut_is_offered_in_the_order_of_its_cause(
    where: int | str | None, offers: list[object]
) -> None:
    assert next_shoe(where).offered() == offers


@covers("COVER-DEPTH")
@pytest.mark.parametrize(("decks", "least"), [(1, 13), (2, 26), (4, 52), (6, 78), (8, 104)])
def test_bj_a_quarter_of_the_stack_in_cards(decks: int, least: int) -> None:
    play = table(BLACKJACK, 1, decks=decks)
    play.dealer("cut_made", cutter=1)
    play.refused("dealer", "cover_inserted", from_bottom=least - 1)
    play.dealer("cover_inserted", from_bottom=least)


@covers("RECUT-WINDOW")
def test_bj_no_recut_once_the_cards_are_in_the_shoe() -> None:
    play = table(BLACKJACK, 1).cut()
    play.floor("order_recut", reason="seen")
    play.cut().in_shoe()
    assert play.refused("floorperson", "order_recut", reason="late").endswith("633a.5(e)")


@covers("BATCH-ALTERNATE")
def test_bj_the_same_batch_is_not_dealt_twice_in_a_row() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.dealer("cover_card_out", where=1)
    play.round_done().mixed("A").cut()
    turn = play.do("shoe", "loaded", batch="A", cards=312)
    assert play.types(turn)[:2] == ["batch.conflict", "token.refused"]
    assert play.last("token.refused")["reason"] == "wrong_batch"
    assert play.state.load is None


@covers("EXEMPT-PARAGRAPH")
def test_bj_the_mask_of_h_leaves_a() -> None:
    exemption = Play(BLACKJACK).book.profile.exemption
    assert exemption is not None
    assert exemption.disables.value == tuple(f"633a.5({letter})" for letter in "bcdefg")
    play = ShoePlay(BLACKJACK, approved_device="X")
    play.opened()
    play.do("shuffler", "identity", make="m", model="X", serial="s", firmware="f")
    assert play.refused("dealer", "loaded", into="shoe").endswith("633a.5(a)")
    play.mixed()
    assert play.state.phase is Phase.LOAD


# ---- DJ Wild --
STUBS = {0: (43, 38, 33, 28, 23, 18, 13), 1: (42, 37, 32, 27, 22, 17, 12)}


def at_stub(players: int, extra: int, boxed: int = 0) -> Play:
    play = Play(seats=7).ready()
    play.bets(*range(1, players + 1), progressive=[1] if extra else [])
    for _ in range(boxed):
        play.dealer("face_up_card")
    play.dealt()
    if extra:
        play.dealer("extra_card")
    return play


@covers("STUB-EXPECTED")
@pytest.mark.parametrize("players", ALL_SEVEN)
@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("boxed", [0, 1])
def test_dj_the_stub_by_players_extra_card_and_one_card_in_the_rack(
    players: int, extra: int, boxed: int
) -> None:
    wanted = STUBS[extra][players - 1] - boxed
    play = at_stub(players, extra, boxed)
    play.dealer("stub", cards=wanted)
    assert play.last("stub.count_result") == {
        "expected": wanted, "got": wanted, "ok": True, "round": 1, "shoe": 1,
    }  # fmt: skip


@covers("IRR-FACE-UP")
def test_dj_a_second_face_up_card_voids() -> None:
    play = Play().ready().bets(1)
    play.dealer("face_up_card")
    assert play.state.void is None
    play.dealer("face_up_card")
    assert play.state.void is not None


@covers("STUB-DUE", "STUB-COUNTER")
@pytest.mark.parametrize(("counted", "due"), [(None, [5, 10]), (53, [])])
def test_dj_the_stub_is_due_in_rounds_five_and_ten_unless_53_were_shown(
    counted: int | None, due: list[int]
) -> None:
    play = Play().opened()
    for _ in range(10):
        play.shuffled(counted).loaded().bets(1).dealt()
        if play.state.phase is Phase.STUB:
            play.dealer("stub", cards=43)
        play.dealer("raises_closed")
        play.dealer("round_done")
    assert [one.data["round"] for one in play.of("stub.count_due")] == due


@covers("IRR-REVEALED")
def test_dj_cards_seen_before_the_raises_void_and_after_them_do_not() -> None:
    play = Play().ready().bets(1).dealt()
    play.dealer("raises_closed")
    play.dealer("revealed", whose=1)
    assert play.state.void is None
    play = Play().ready().bets(1).dealt()
    play.dealer("revealed", whose=1)
    assert play.state.void is not None


@covers("IRR-SHOE", "IRR-REVEALED")
def test_dj_a_shoe_jam_returns_the_bonus_wagers_and_a_seen_card_settles_them() -> None:
    jammed = Play().ready().bets(1, progressive=[1], trips=[1])
    jammed.do("shoe", "jam")
    jammed.voided()
    assert jammed.last("wager.disposition")["settled"] == []
    assert jammed.last("wager.disposition")["returned"] == ["ante", "blind", "trips", "progressive"]
    seen = Play().ready().bets(1, progressive=[1], trips=[1]).dealt()
    seen.dealer("revealed", whose=1)
    seen.voided(settle=True)
    assert seen.last("wager.disposition")["settled"] == ["trips", "progressive"]
    assert seen.last("wager.disposition")["returned"] == ["ante", "blind"]


def out_of_service() -> Play:
    play = Play().opened()
    play.floor("declare_unusable", device="shuffler", reason="jams")
    return play


@covers("DEAL-HAND-NEEDS-SHUFFLER")
def test_dj_the_hand_does_not_deal_while_the_shuffler_is_out_of_service() -> None:
    play = out_of_service()
    play.dealer("covered", device="shuffler", how="cover")
    play.floor("covered", device="shuffler", how="cover")
    rule = play.refused("floorperson", "set_method", step="deal", method="hand", reason="r")
    assert rule.endswith("687a.9(a)(1)")


@covers("METHOD-COVER-FIRST", "OOS-TWO-PEOPLE")
def test_dj_no_other_method_before_two_different_people_saw_the_cover() -> None:
    play = out_of_service()
    wish = {"step": "shuffle", "method": "manual", "reason": "r"}
    assert play.refused("floorperson", "set_method", **wish).endswith("687a.13(g)")
    play.floor("covered", device="shuffler", how="sign")
    play.refused("floorperson", "covered", device="shuffler", how="sign")
    play.refused("dealer", "covered", by="f1", device="shuffler", how="sign")
    assert play.refused("floorperson", "set_method", **wish).endswith("687a.13(g)")
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("set_method", **wish)
