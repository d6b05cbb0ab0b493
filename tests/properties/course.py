"""The ordinary course as lines: what a willing crew would do next in a state, fault or not."""

from __future__ import annotations

from typing import Any

from controller.core.book import Book
from controller.core.state import Phase, TableState

Line = dict[str, Any]
# Cards behind the cover card: enough for the round in which it comes out.
SHOE_ENDS_AT = 13


def _say(source: str, kind: str, by: str | None = None, **members: object) -> Line:
    return {"from": source, "type": kind, **members, **({} if by is None else {"by": by})}


def dealer(kind: str, **members: object) -> Line:
    return _say("dealer", kind, "d9", **members)


def floor(kind: str, **members: object) -> Line:
    return _say("floorperson", kind, "f9", **members)


def next_lines(book: Book, state: TableState) -> list[Line]:
    """What brings the table nearer to open bets or to its closing, the best first."""
    for step in (_out_of_void, _out_of_hold, _devices):
        lines = step(book, state)
        if lines:
            return lines
    return _phase(book, state)


def _out_of_void(book: Book, state: TableState) -> list[Line]:
    void = state.void
    if void is None:
        return []
    if void.settle and not void.bonuses_settled:
        return [dealer("bonuses_settled")]
    if void.returned_by is None:
        return [dealer("wagers_returned")]
    if void.deck_count_due:
        return [dealer("deck_counted", cards=book.setup.batch_cards)]
    confirm = _say("pit_manager", "confirm_void", "p9")
    return [floor("confirm_void"), confirm]


def _out_of_hold(book: Book, state: TableState) -> list[Line]:
    if not state.holds:
        return []
    one = state.holds[0]
    choices = sorted(one.choices, key=lambda choice: choice != "void")
    return [floor("decide", hold=one.id, choice=choice, reason="r") for choice in choices]


def _devices(book: Book, state: TableState) -> list[Line]:
    if not state.services.recording:
        return [_say("system", "storage", free_bytes=1, writable=True)]
    if state.in_round:
        return []
    if not state.shuffler.up:
        return [_say("shuffler", "link", up=True)]
    if state.shoe.health != "ok":
        return [floor("return_to_service", device="shoe")]
    if state.shuffler.health != "ok" or state.cycle.residue:
        if state.shuffler.health == "ok":
            return [_say("shuffler", "residue", cards=0)]
        return [floor("return_to_service", device="shuffler", chamber_empty=True)]
    if state.shuffler.lamp in ("red", "blink"):
        return [_say("shuffler", "lamp", colour="green")]
    law, by_hand = book.profile.deal, state.methods.shuffle == "manual"
    if state.methods.deal == "hand" and by_hand and law.hand_requires_shuffler.value:
        return [floor("set_method", step="deal", method=law.methods.value[0], reason="r")]
    return []


def _phase(book: Book, state: TableState) -> list[Line]:
    phase, play, cards = state.phase, state.round, book.setup.batch_cards
    if phase is Phase.OPENING and state.session.preshuffled:
        seal = f"seal-{len(state.session.seals)}-{state.counters.effects}"
        return [floor("preshuffled", seal=seal, receipt="r")]
    if phase is Phase.OPENING:
        return [floor("opening_verified"), dealer("inspected")]
    if phase is Phase.IDLE:
        face = "up" if state.session.asked_face_up else "down"
        return [dealer("spread", face=face)]
    if phase is Phase.SHUFFLE:
        return _shuffle(book, state)
    if phase is Phase.DECK:
        gone = next(one.name for one in state.batches if one.where == "removed")
        return [floor("new_deck", batch=gone, ids=["x"])]
    if phase is Phase.LOAD:
        if state.methods.deal == "hand":
            return [dealer("loaded", into="hand")]
        return [_say("shoe", "loaded", cards=cards), dealer("loaded", into="shoe")]
    if phase is Phase.START:
        return _start(state)
    if phase is Phase.DEAL:
        size = book.profile.deal.stack_cards.value
        to = play.order[play.due - 1]
        if state.methods.deal == "auto_shoe":
            return [_say("shoe", "stack", number=play.heard + 1, cards=size)]
        return [dealer("delivered", to=to, cards=size)]
    if phase is Phase.CUT:
        return [dealer("cut_made", cutter=state.cut.offers[0])]
    if phase is Phase.BURN:
        return _burn(state)
    if phase is Phase.PLAY:
        return _play(state)
    if phase is Phase.STUB:
        return [dealer("stub", cards=_stub(state)), dealer("round_done")]
    if phase is Phase.SETTLE:
        return [dealer("round_done"), dealer("stub", cards=_stub(state))]
    return _SIMPLE.get(phase, [])


def _burn(state: TableState) -> list[Line]:
    """An ace first, so that one more card follows where its value counts."""
    if state.pack.burned < max(state.pack.burn_due, 1):
        face = {"face": "up", "rank": "A", "suit": "clubs"}
        return [_say("shoe", "card", index=1, **face)]
    return [dealer("burned", cards=state.pack.burned), dealer("no_more_bets", seats=[1])]


def _stub(state: TableState) -> int:
    """The stub as an honest dealer counts it."""
    load = state.load
    return next((one.cards.stub for one in state.batches if load and one.name == load.batch), 4)


def _play(state: TableState) -> list[Line]:
    card = _say("shoe", "card", index=1, face="down")
    left = next((one.cards.shoe for one in state.batches if one.where == "shoe"), 0)
    if state.round.cards < 4:
        return [card]
    if left < SHOE_ENDS_AT and not state.pack.cover_seen:
        return [_say("shoe", "cover_card")]
    return [dealer("round_done"), card]


def _shuffle(book: Book, state: TableState) -> list[Line]:
    if state.methods.shuffle == "manual":
        return [dealer("shuffled") if state.cycle.by_hand else dealer("shuffle_started")]
    cycle = state.cycle
    name = next(one.name for one in state.batches if one.where != "removed")
    batch = next(one for one in state.batches if one.name == name)
    if batch.token is not None:
        return [_say("shuffler", "ejected", batch=name)]
    if cycle.inside != name or batch.where != "shuffler":
        return [_say("shuffler", "loaded", batch=name)]
    if not cycle.running:
        return [_say("shuffler", "cycle_started", cycle=77, mode="shuffle")]
    if cycle.mode != "shuffle" or cycle.number is None:
        return [_say("shuffler", "stopped")]
    return [_say("shuffler", "cycle_ended", cycle=cycle.number, mode="shuffle", result="ok",
                 cards=book.setup.batch_cards)]  # fmt: skip


def _start(state: TableState) -> list[Line]:
    if state.methods.start == "shaker":
        if state.rng.shaker_reset_due:
            return [dealer("shaker_reset")]
        if state.round.shaken < 3:  # 659a.5(g)(1)(i)
            return [dealer("shaken", times=3)]
        return [dealer("dice", total=9)]
    if state.rng.pending_draw is not None:
        return [_say("rng", "drawn", number=3, draw=state.rng.pending_draw)]
    if not state.rng.in_service:
        return [floor("set_method", step="start", method="shaker", reason="r")]
    return [_say("rng", "button")]


_SIMPLE: dict[Phase, list[Line]] = {
    Phase.CLOSED: [floor("open")],
    Phase.SPREAD: [dealer("inspected")],
    Phase.WASH: [dealer("stacked"), dealer("washed")],
    Phase.CHECK: [floor("feathered", even=True)],
    Phase.RESTACK: [dealer("stacked")],
    Phase.COVER: [dealer("cover_inserted")],
    Phase.UNLOAD: [_say("shoe", "emptied")],
    Phase.BETS: [dealer("no_more_bets", seats=[1, 3], progressive=[1], trips=[3])],
    Phase.REMAINDER: [dealer("done")],
    Phase.EXTRA: [dealer("extra_card")],
    Phase.MISDEAL: [dealer("misdeal", misdealt=True, total=53)],
    Phase.DECISIONS: [dealer("raises_closed")],
}
