"""687a.13(g), openings, approved devices: cover first, two people, the right moment."""

import pytest

from controller.core.setup import Setup
from controller.core.state import Phase
from controller.rules.exemption import applies
from controller.rules.opening import SEALS_MAX
from controller.rules.out_of_service import is_floor
from tests.covers import covers
from tests.play import Play

FAP = "fortune-asia-poker"
MODEL = {"make": "M", "model": "ACME", "serial": "S", "firmware": "F", "digest": "D"}


@covers("OOS-DECLARE")
def test_a_device_is_declared_unusable_once_and_by_a_floorperson() -> None:
    play = Play().opened()
    play.refused("dealer", "declare_unusable", device="shoe", reason="r")
    play.floor("declare_unusable", device="shoe", reason="r")
    play.refused("floorperson", "declare_unusable", device="shoe", reason="r")


@covers("OOS-COVER", "OOS-TWO-PEOPLE")
@pytest.mark.parametrize(
    ("witnesses", "confirmed"),
    [
        ([("dealer", "d1")], False),
        ([("dealer", "d1"), ("dealer", "d2")], False),
        ([("floorperson", "f1")], False),
        ([("dealer", "d1"), ("floorperson", "d1")], False),
        ([("dealer", "d1"), ("floorperson", "f1")], True),
        ([("floorperson", "f1"), ("floorperson", "f2")], True),
        ([("panel", "switch"), ("dealer", "d1")], False),
        ([("panel", "switch"), ("floorperson", "f1")], True),
    ],
)
def test_two_people_see_the_cover_a_floorperson_among_them(
    witnesses: list[tuple[str, str]], confirmed: bool
) -> None:
    play = Play().opened()
    play.floor("declare_unusable", device="shuffler", reason="r")
    for source, person in witnesses:
        if source == "panel":
            play.do("panel", "cover", device="shuffler", on=True)
        else:
            play.say(source, "covered", by=person, device="shuffler", how="sign")
    assert bool(play.of("device.cover_confirmed")) is confirmed
    turn = play.say("floorperson", "set_method", step="shuffle", method="manual", reason="r")
    assert (turn.refusal is None) is confirmed


@covers("OOS-COVER")
def test_nothing_is_covered_that_was_not_declared() -> None:
    Play().opened().refused("dealer", "covered", device="shoe", how="cover")


@covers("METHOD-COVER-FIRST")
def test_a_device_with_a_fault_is_declared_before_another_method() -> None:
    play = Play().opened()
    play.do("shoe", "stopped")
    rule = play.refused("floorperson", "set_method", step="deal", method="hand", reason="r")
    assert rule == "58 Pa. Code § 687a.13(g)"


@covers("OOS-RETURN")
def test_a_shuffler_comes_back_with_its_chamber_empty_and_between_rounds() -> None:
    play = Play().ready()
    play.refused("floorperson", "return_to_service", device="shuffler", chamber_empty=True)
    play.floor("declare_unusable", device="shuffler", reason="r")
    play.refused("floorperson", "return_to_service", device="shuffler")
    play.refused("floorperson", "return_to_service", device="shuffler", chamber_empty=False)
    play.bets(1)
    play.refused("floorperson", "return_to_service", device="shuffler", chamber_empty=True)
    play.dealt()
    play.dealer("raises_closed")
    play.dealer("round_done")
    play.floor("return_to_service", device="shuffler", chamber_empty=True)


@covers("METHOD-LAWFUL")
@pytest.mark.parametrize(
    ("step", "method", "lawful"),
    [("shuffle", "manual", True), ("shuffle", "hand", False), ("deal", "hand", True),
     ("deal", "device", False), ("start", "rng", False), ("start", "shaker", False),
     ("shuffle", "device", True), ("deal", "auto_shoe", True)],
)  # fmt: skip
def test_a_method_belongs_to_its_step_and_its_game(step: str, method: str, lawful: bool) -> None:
    play = Play().opened()
    turn = play.say("floorperson", "set_method", step=step, method=method, reason="r")
    assert (turn.refusal is None) is lawful


@covers("METHOD-MOMENT")
def test_methods_change_between_rounds() -> None:
    play = Play().ready().bets(1)
    play.refused("floorperson", "set_method", step="deal", method="hand", reason="r")
    play.refused("floorperson", "set_method", step="shuffle", method="manual", reason="r")
    hand = Play(shuffle="manual").opened()
    hand.dealer("shuffle_started")
    hand.refused("floorperson", "set_method", step="shuffle", method="device", reason="r")


@covers("METHOD-MOMENT")
def test_a_change_of_dealing_prepares_the_cards_again() -> None:
    play = Play().ready()
    play.floor("set_method", step="deal", method="hand", reason="r")
    assert play.state.phase is Phase.SHUFFLE
    assert play.state.load is None


# ---- opening -------------------------------------------------------------------------------------
@covers("OPEN-INSPECT", "OPEN-TWO-PEOPLE")
@pytest.mark.parametrize("game", ["dj-wild", FAP])
def test_two_people_look_at_the_cards(game: str) -> None:
    play = Play(game)
    play.refused("dealer", "open")
    play.floor("open")
    play.refused("floorperson", "opening_verified")
    play.dealer("inspected")
    play.refused("floorperson", "opening_verified", by="d1")
    play.floor("opening_verified")
    assert play.state.phase is Phase.SHUFFLE


@covers("PRESHUFFLED-SEAL")
def test_a_seal_is_opened_once_in_the_life_of_the_journal() -> None:
    play = Play(FAP)
    play.floor("open", preshuffled=False)
    play.refused("floorperson", "preshuffled", seal="S1", receipt="R1")
    play.floor("close")
    for seal in ("S1", "S2"):
        play.floor("open", preshuffled=True)
        play.refused("dealer", "inspected")
        play.floor("preshuffled", seal=seal, receipt="R")
        assert play.state.phase is Phase.CUT
        play.floor("close")
    play.floor("open", preshuffled=True)
    assert play.refused("floorperson", "preshuffled", seal="S1", receipt="R")
    assert SEALS_MAX > 1000


# ---- approved devices ----------------------------------------------------------------------------
@covers("EXEMPT-DEVICE", "EXEMPT-PARAGRAPH")
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
@pytest.mark.parametrize(("approved", "off"), [("ACME", True), ("OTHER", False), (None, False)])
def test_only_the_approved_model_switches_paragraphs_off(
    device: str, approved: str | None, off: bool
) -> None:
    play = Play(FAP, approved_device=approved).opened()
    play.do(device, "identity", **MODEL)
    assert bool(play.of("config.mode")) is off
    turn = play.say("dealer", "idle")
    assert (turn.refusal is not None) is off
    assert applies.__doc__


@covers("EXEMPT-DEVICE")
def test_without_the_device_nothing_is_switched_off() -> None:
    play = Play(FAP, approved_device="ACME").opened()
    play.do("shuffler", "identity", **MODEL)
    play.floor("declare_unusable", device="shuffler", reason="r")
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("covered", device="shuffler", how="sign")
    play.floor("set_method", step="shuffle", method="manual", reason="r")
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.state.phase is Phase.CUT


@pytest.mark.parametrize(
    ("role", "floor"),
    [("device", False), ("dealer", False), ("floorperson", True), ("pit_manager", True),
     ("shift_manager", True), ("surveillance", False), ("technician", False)],
)  # fmt: skip
def test_floorperson_or_above_is_a_comparison(role: str, floor: bool) -> None:
    assert is_floor(role) is floor
    assert Setup().batch_cards == 53


@covers("METHOD-COVER-FIRST")
def test_an_uncovered_shuffler_bars_every_other_way_of_dealing_too() -> None:
    play = Play().opened()
    play.floor("declare_unusable", device="shuffler", reason="r")
    rule = play.refused("floorperson", "set_method", step="deal", method="manual_shoe", reason="r")
    assert rule == "58 Pa. Code § 687a.13(g)"
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("covered", device="shuffler", how="sign")
    play.floor("set_method", step="deal", method="manual_shoe", reason="r")


@covers("METHOD-COVER-FIRST")
def test_where_the_paragraph_is_unread_the_cover_is_asked_about() -> None:
    play = Play("fortune-asia-poker").opened()
    play.floor("declare_unusable", device="shuffler", reason="r")
    play.floor("set_method", step="shuffle", method="manual", reason="r")
    assert play.state.methods.shuffle == "device"
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.floor("set_method", step="shuffle", method="manual", reason="r")
    assert play.state.methods.shuffle == "manual"


@pytest.mark.parametrize(
    ("step", "method", "rule"),
    [("shuffle", "manual", "659a.5(a)"), ("deal", "manual_shoe", "659a.5(b)(1)"),
     ("start", "shaker", "659a.5(g)")],
)  # fmt: skip
def test_a_method_changed_without_a_failure_cites_the_paragraph_of_its_step(
    step: str, method: str, rule: str
) -> None:
    play = Play(FAP).opened()
    play.floor("set_method", step=step, method=method, reason="r")
    assert play.rule("method.changed") == rule


@covers("METHOD-COVER-FIRST")
def test_with_both_devices_out_another_method_waits_for_both_covers() -> None:
    play = Play().opened()
    for device in ("shuffler", "shoe"):
        play.floor("declare_unusable", device=device, reason="r")
    wish = {"step": "deal", "method": "manual_shoe", "reason": "r"}
    for device in ("shoe", "shuffler"):
        assert play.refused("floorperson", "set_method", **wish).endswith("687a.13(g)")
        play.dealer("covered", device=device, how="sign")
        play.floor("covered", device=device, how="sign")
    play.floor("set_method", **wish)


@covers("OOS-COVER")
def test_a_lifted_cover_bars_the_next_change_until_it_was_seen_again() -> None:
    play = Play().opened()
    play.floor("declare_unusable", device="shoe", reason="r")
    play.do("panel", "cover", device="shoe", on=True)
    play.floor("covered", device="shoe", how="cover")
    play.do("panel", "cover", device="shoe", on=False)
    wish = {"step": "deal", "method": "manual_shoe", "reason": "r"}
    play.refused("floorperson", "set_method", **wish)
    play.floor("covered", device="shoe", how="cover")
    play.refused("floorperson", "set_method", **wish)
    play.do("panel", "cover", device="shoe", on=True)
    play.floor("set_method", **wish)


@covers("PRESHUFFLED-SEAL")
@pytest.mark.parametrize("game", ["blackjack", "minibaccarat", FAP, "dj-wild"])
def test_a_seal_serves_for_one_load_and_not_for_the_next(game: str) -> None:
    play = Play(game)
    play.floor("open", preshuffled=True)
    play.floor("preshuffled", seal="S1", receipt="R1")
    assert play.state.phase is Phase.CUT, "the waiver is of the shuffle, not of the cut"
    play.floor("order_shuffle", reason="seal was broken")
    turn = play.do("shoe", "loaded", batch="A", cards=play.book.setup.batch_cards)
    assert "token.refused" in play.types(turn)
    play.refused("floorperson", "preshuffled", seal="S2", receipt="R2")
