"""Everything that may be said to a small table: two seats, two people, all faults and choices."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.state import Phase, TableState

Line = dict[str, object]
SEATS = 2
CHOICES = (
    "continue", "discard", "use_next", "void", "reshuffle", "remove_deck", "resume",
    "return_to_service",
)  # fmt: skip


class Fault(dict[str, object]):
    """A line that is not the ordinary course: an exploration allows so many of them on a way."""


def fault(line: Line) -> Line:
    return Fault(line)


def dealer(kind: str, **members: object) -> Line:
    return {"from": "dealer", "by": "d1", "type": kind, **members}


def floor(kind: str, **members: object) -> Line:
    return {"from": "floorperson", "by": "f1", "type": kind, **members}


def device(source: str, kind: str, **members: object) -> Line:
    return {"from": source, "type": kind, **members}


def common(cards: int, batches: tuple[str, ...]) -> Iterator[Line]:
    """Lines that make sense in every game; refused ones cost nothing."""
    yield from (floor("open"), floor("opening_verified"), fault(floor("close")))
    yield from (dealer("inspected"), dealer("done"))
    yield from (fault(floor("order_shuffle", reason="r")), fault(floor("order_recut", reason="r")))
    yield from (floor("confirm_void"), floor("resume", reason="r"), floor("void", reason="r"))
    yield from (dealer("wagers_returned"), dealer("bonuses_settled"))
    yield from (dealer("round_done"), fault(dealer("face_up_card")), dealer("extra_card"))
    yield from (
        fault(dealer("drawn_in_error", exposed=False)),
        fault(dealer("drawn_in_error", exposed=True)),
    )
    yield from (fault(dealer("revealed", whose=1)), fault(dealer("wrong_count", to=1, cards=2)))
    yield from (
        fault(dealer("idle")),
        dealer("spread", face="down"),
        dealer("washed"),
        dealer("stacked"),
    )
    yield from (dealer("shuffle_started"), dealer("shuffled"), floor("feathered", even=True))
    yield from (dealer("cut_made", cutter="dealer"), dealer("loaded", into="shoe"))
    yield from (
        fault(device("shoe", "jam")),
        device("shoe", "jam_cleared"),
        fault(device("shoe", "stopped")),
    )
    yield from (fault(device("shuffler", "jam")), device("shuffler", "jam_cleared"))
    yield fault(device("shuffler", "stopped"))
    yield from (device("shoe", "emptied"), device("shoe", "loaded"))
    yield from (fault(device("shoe", "link", up=False)), device("shoe", "link", up=True))
    yield from (fault(device("shuffler", "link", up=False)), device("shuffler", "link", up=True))
    yield from (
        fault(device("shoe", "facts_missing", count=1)),
        fault(device("shuffler", "residue", cards=2)),
    )
    yield device("shuffler", "residue", cards=0)
    for method in ("device", "manual"):
        yield fault(floor("set_method", step="shuffle", method=method, reason="r"))
    for name in ("shuffler", "shoe"):
        yield fault(floor("declare_unusable", device=name, reason="r"))
        yield dealer("covered", device=name, how="sign")
        yield floor("covered", device=name, how="sign")
        yield floor("return_to_service", device=name, chamber_empty=True)
    for batch in batches:
        yield device("shuffler", "loaded", batch=batch)
        yield device("shuffler", "ejected", batch=batch)
        yield floor("new_deck", batch=batch, ids=["x"])
    yield device("shuffler", "cycle_started", cycle=1, mode="shuffle")
    yield fault(device("shuffler", "cycle_started", cycle=1, mode="sort"))
    yield ended(cards, "ok")
    yield device("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok")
    yield fault(ended(cards - 1, "ok"))
    yield fault(ended(cards, "incomplete"))
    started = {"version": "1", "digest": "d", "profile_digest": "p", "journal": "j"}
    yield fault(device("system", "started", **started))


def ended(cards: int, result: str) -> Line:
    return device(
        "shuffler", "cycle_ended", cycle=1, mode="shuffle", result=result, cards=cards
    )  # fmt: skip


def open_questions(state: TableState) -> Iterator[Line]:
    """Decisions and withdrawals that answer what is open in this state."""
    for hold in state.holds:
        for choice in hold.choices:
            yield floor("decide", hold=hold.id, choice=choice, reason="r")
        if hold.irregularity is not None:
            yield floor("withdraw", irregularity=hold.irregularity, reason="r")
    if state.void is not None:
        yield floor("withdraw", irregularity=state.void.irregularity, reason="r")


def stacks(state: TableState, size: int) -> Iterator[Line]:
    """The next stack, whole and short, one out of turn, and the rest of the cards."""
    due = state.round.due
    yield device("shoe", "stack", number=due, cards=size)
    yield fault(device("shoe", "stack", number=due, cards=size - 1))
    yield fault(device("shoe", "stack", number=due + 1, cards=size))
    yield device("shoe", "remainder_removed")
    yield fault(device("shoe", "incomplete"))


def dj_wild(state: TableState, cards: int) -> Iterator[Line]:
    yield from stacks(state, 5)
    yield dealer("no_more_bets", seats=[1], progressive=[1], trips=[1])
    yield dealer("no_more_bets", seats=[1, 2])
    yield dealer("raises_closed")
    held = 5 * len(state.round.order) + int(state.round.extra) + state.round.face_up
    yield dealer("stub", cards=cards - held)
    yield fault(dealer("stub", cards=1))
    yield from (dealer("deck_counted", cards=count) for count in (cards, cards - 1))
    yield dealer("misdeal", misdealt=True, total=cards)
    yield fault(dealer("misdeal", misdealt=False, total=cards))


def fortune_asia(state: TableState, cards: int) -> Iterator[Line]:
    yield from stacks(state, 7)
    yield dealer("no_more_bets", seats=[1])
    yield device("rng", "button")
    draw = state.rng.pending_draw
    for number in (1, 2, 3):
        if draw is not None:
            yield device("rng", "drawn", number=number, draw=draw)
    yield fault(device("rng", "drawn", number=9, draw=draw or 0))
    yield fault(device("rng", "health_failed", test="repetition"))
    yield device("rng", "restored")
    start = state.round.start
    raw = start.raw if start is not None else 1
    yield device("rng", "shown", number=raw, readback=raw)
    yield fault(device("rng", "shown", number=raw, readback=0))
    yield from (dealer("shaken", times=3), dealer("dice", total=4), dealer("shaker_reset"))
    yield dealer("start_marked")
    yield from (dealer("stub", cards=4), fault(dealer("stub", cards=3)))
    for method in ("rng", "shaker"):
        yield fault(floor("set_method", step="start", method=method, reason="r"))


def card_by_card(state: TableState, cards: int) -> Iterator[Line]:
    yield dealer("no_more_bets", seats=[1])
    yield device("shoe", "card", index=1, face="down")
    if state.phase is Phase.BURN or len(state.round.ranks) == state.round.cards:
        yield device("shoe", "card", index=1, face="up", rank="A", suit="clubs")
    yield device("shoe", "cover_card")
    yield dealer("cover_card_out", where=1)
    yield fault(dealer("cover_card_out", where="dealer"))
    yield from (dealer("cut_refused", seat=1), dealer("cut_made", cutter=1))
    yield dealer("cover_inserted")
    yield from (dealer("player_arrived", seat=1), fault(dealer("player_left", seat=1)))
    yield from (dealer("burned", cards=1), dealer("burned", cards=2))
    yield fault(dealer("burned", cards=3))
    yield dealer("first_card", rank="A")
    yield fault(dealer("asked_spread"))
    yield dealer("sign_in", dealer="d1")
    yield fault(dealer("sign_in", dealer="d2"))


GAMES = {
    "dj-wild": dj_wild,
    "fortune-asia-poker": fortune_asia,
    "blackjack": card_by_card,
    "minibaccarat": card_by_card,
}
