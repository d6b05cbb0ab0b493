"""Everything that may be said to a small table in any game: people, devices, clock and system.

What only one game knows is in `courses.py`. Refused lines cost little, so nothing is left out for
being unlikely; only two seats, two dealers and one floorperson speak.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from controller.core.state import Phase, TableState
from tests.exploration.key import of_alarm
from tests.exploration.lines import Line, answer, dealer, device, floor, mistake, usual

KEY = "key1"
DEVICES = ("shuffler", "shoe")
STARTED = {"version": "1", "digest": "d", "profile_digest": "p", "journal": "j"}


@functools.cache
def always(cards: int, batches: tuple[str, ...]) -> tuple[Line, ...]:
    """Lines that are the same in every state of every game."""
    return (
        *_people(), *_mistakes(), *_orders(), *_pipeline(cards, batches), *_both_devices(),
        *_shuffler(cards), *_shoe(), *_panel(), *_system(),
    )  # fmt: skip


def _people() -> Iterator[Line]:
    yield from (floor("open"), floor("opening_verified"), dealer("inspected"), dealer("done"))
    yield from (dealer("round_done"), dealer("extra_card"), dealer("spread", face="down"))
    yield from (dealer("washed"), dealer("stacked"), dealer("shuffle_started"))
    yield from (dealer("shuffled"), floor("feathered", even=True))
    yield from (dealer("loaded", into="shoe"), dealer("loaded", into="hand"))
    yield from (dealer("cut_made", cutter="dealer"), dealer("no_more_bets", seats=(1,)))
    yield from (answer(dealer("wagers_returned")), answer(dealer("bonuses_settled")))
    yield from (answer(floor("confirm_void")), answer(floor("resume", reason="r")))
    yield answer(floor("void", reason="r"))


def _mistakes() -> Iterator[Line]:
    """People err, or say twice what holds once."""
    yield from (mistake(dealer("face_up_card")), mistake(dealer("revealed", whose=1)))
    yield from (mistake(dealer("drawn_in_error", exposed=one)) for one in (False, True))
    yield mistake(dealer("wrong_count", to=1, cards=2))
    yield from (mistake(dealer("call_floor", reason="r")), mistake(dealer("idle")))
    yield from (mistake(dealer("asked_face_up")), mistake(dealer("asked_spread")))
    yield from (mistake(dealer("spread", face="up")), mistake(dealer("player_left", seat=1)))
    yield from (mistake(floor("inspected")), mistake(floor("wagers_returned")))
    yield from (
        mistake(floor("feathered", even=False)),
        mistake(dealer("loaded", into="shoe", cards=1)),
    )
    yield mistake(dealer("no_more_bets", seats=(1, 9)))
    yield mistake(device("surveillance", "annotate", event="e", text="t"))
    # Words that no table knows, and words of the wrong person.
    yield from (mistake(dealer("open")), mistake(dealer("confirm_void")), mistake(dealer("x")))


def _orders() -> Iterator[Line]:
    """What a floorperson may order beside the ordinary course."""
    yield from (mistake(floor("close")), mistake(floor("open", preshuffled=True)))
    yield from (
        mistake(floor("order_shuffle", reason="r")),
        mistake(floor("order_recut", reason="r")),
    )
    ways = {"shuffle": ("device", "manual"), "deal": ("auto_shoe", "manual_shoe", "hand"),
            "start": ("rng", "shaker")}  # fmt: skip
    for step, methods in ways.items():
        for method in methods:
            yield mistake(floor("set_method", step=step, method=method, reason="r"))
    for name in DEVICES:
        yield mistake(floor("declare_unusable", device=name, reason="r"))
        yield answer(dealer("covered", device=name, how="sign"))
        yield answer(floor("covered", device=name, how="sign"))
        yield answer(floor("return_to_service", device=name, chamber_empty=True))


def _pipeline(cards: int, batches: tuple[str, ...]) -> Iterator[Line]:
    """The cards of the batches between table, shuffler and shoe."""
    for batch in batches:
        yield device("shuffler", "loaded", batch=batch)
        yield device("shuffler", "ejected", batch=batch)
        yield mistake(device("shuffler", "ejected", batch=batch, cards=cards - 1))
        yield answer(floor("new_deck", batch=batch, ids=("x",)))
    yield mistake(device("shuffler", "loaded", batch="Z"))
    yield from (mistake(device("shuffler", "cycle_started", cycle=1, mode=mode))
                for mode in ("sort", "count"))  # fmt: skip
    yield ended(cards)
    yield from (mistake(ended(cards - 1)), mistake(ended(cards, "incomplete")))
    yield mistake(ended(cards, "aborted"))
    yield device("shoe", "loaded")
    yield mistake(device("shoe", "loaded", cards=cards - 1))


def ended(cards: int | None, result: str = "ok") -> Line:
    """The end of the cycle; a device that does not count tells no cards."""
    counted = {} if cards is None else {"cards": cards}
    return device("shuffler", "cycle_ended", cycle=1, mode="shuffle", result=result, **counted)


def _both_devices() -> Iterator[Line]:
    for name in DEVICES:
        yield from (mistake(device(name, "jam")), answer(device(name, "jam_cleared")))
        yield mistake(device(name, "stopped"))
        yield from (mistake(device(name, "link", up=False)), answer(device(name, "link", up=True)))
        yield mistake(device(name, "facts_missing", count=1))
        yield mistake(device(name, "restarted"))
        yield mistake(device(name, "identity_changed", make="m", model="x", serial="s"))
        yield from (mistake(device(name, "fault", code="c", severity=one)) for one in (2, 3))
        yield answer(device(name, "fault_cleared", code="c"))
        yield mistake(device(name, "power", state="lost"))
        yield mistake(device(name, "noise", octets=9, reason="crc"))
        yield mistake(device(name, "mode", mode="service"))


def _shuffler(cards: int) -> Iterator[Line]:
    yield from (mistake(device("shuffler", "residue", cards=2)),
                answer(device("shuffler", "residue", cards=0)))  # fmt: skip
    yield from (mistake(device("shuffler", "lamp", colour="red")),
                answer(device("shuffler", "lamp", colour="green")))  # fmt: skip
    yield mistake(device("shuffler", "door", open=True))


def _shoe() -> Iterator[Line]:
    yield mistake(device("shoe", "incomplete"))
    yield mistake(device("shoe", "lid", open=True))


def _panel() -> Iterator[Line]:
    yield from (mistake(dealer("sign_in", dealer=one)) for one in ("d1", "d2"))
    for button in ("done", "no_more_bets", "round_done", "card_up", "seat_1"):
        yield mistake(device("panel", "pressed", button=button))
    yield answer(device("panel", "key", id=KEY, on=True))
    for name in DEVICES:
        yield from (mistake(device("panel", "cover", device=name, on=on)) for on in (True, False))
    yield mistake(device("panel", "case", open=True))
    yield mistake(device("panel", "display_fault", segment="a"))
    yield mistake(device("panel", "stuck", button="rng"))


def _system() -> Iterator[Line]:
    yield mistake(device("system", "started", **STARTED))
    yield mistake(device("system", "power_lost"))
    yield from (mistake(device("system", "storage", free_bytes=0, writable=False)),
                answer(device("system", "storage", free_bytes=9, writable=True)))  # fmt: skip
    yield mistake(device("system", "overrun", lost=1))
    for code in ("slow", "full"):
        yield mistake(device("system", "unrecorded", code=code, reason="r"))
    yield mistake(device("system", "taken_over", program="p", state="s", reason="r"))
    yield mistake(device("system", "record_disputed", sequence=1, reason="r"))
    yield from (mistake(device("system", "recorder", up=up)) for up in (True, False))
    yield mistake(device("system", "publish_refused", sequence=1, reason="r"))
    yield from (mistake(device("system", "broker", up=up)) for up in (True, False))
    yield mistake(device("clock", "stepped", by_ms=9))
    yield mistake(device("clock", "synchronised", offset_ms=600))


def in_season(state: TableState, counts: bool) -> Iterator[Line]:
    """What is the ordinary course at its own time alone. `counts`: a cycle's count proves more
    than the shuffle, so that one without it is no mistake either."""
    started = device("shuffler", "cycle_started", cycle=1, mode="shuffle")
    yield usual(started, state.cycle.inside is not None)
    yield usual(ended(None), counts)
    out = state.phase in (Phase.UNLOAD, Phase.REMAINDER)
    yield usual(device("shoe", "emptied"), out)


def open_questions(state: TableState) -> Iterator[Line]:
    """What answers the open holds, the void, the first alarm; and every timer that runs."""
    for one in state.holds:
        for choice in one.choices:
            yield answer(floor("decide", hold=one.id, choice=choice, reason="r"))
        if one.irregularity is not None:
            yield answer(floor("withdraw", irregularity=one.irregularity, reason="r"))
    if state.void is not None:
        for cause in (state.void, *state.void.also):
            yield answer(floor("withdraw", irregularity=cause.irregularity, reason="r"))
    for name in sorted(state.timers):
        if not of_alarm(name):
            yield mistake(device("clock", "timer", name=name))
    # Always as many lines for equal states: alarms are no part of a state's key.
    alarm = state.alarms[0].id if state.alarms else "A0"
    yield answer(floor("acknowledge", alarm=alarm))
    yield device("clock", "timer", name=f"{alarm}.floorperson")
