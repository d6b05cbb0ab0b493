"""The panel as a whole, under a simulated hand in another thread."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import pytest

from hal import facts
from hal.gpio import BoardError, open_factory
from hal.panel import Panel
from hal.pins import PanelPins
from hal.ports import Heard
from hal.ports import Panel as PanelPort
from hal.sim.panel import SimBoard, SimPanel

SETTLED_S = 0.06


@dataclass
class Bench:
    """A running panel, the person at it, and the facts that came."""

    panel: Panel
    person: SimPanel
    heard: list[Heard] = field(default_factory=list)

    async def act(self, future: Future[None]) -> list[tuple[str, object]]:
        """Let an act happen; gives what was heard of it."""
        already = len(self.heard)
        await asyncio.wrap_future(future)
        await asyncio.sleep(SETTLED_S)
        return [(heard.source, heard.fact) for heard in self.heard[already:]]

    def facts(self) -> list[object]:
        return [heard.fact for heard in self.heard]


@contextlib.asynccontextmanager
async def running(
    person: SimPanel, before: Callable[[SimPanel], None] = SimPanel.ready
) -> AsyncIterator[Bench]:
    asyncio.get_running_loop().set_debug(True)
    heard: list[Heard] = []
    panel = Panel(person.settings, heard.append, person.board)
    before(person)
    task = asyncio.create_task(panel.run())
    await asyncio.sleep(0.15)
    async with asyncio.timeout(5):  # a busy machine takes its time for a self-test without pauses
        while person.settings.self_test_step_ms == 0 and panel._digit._loop is None:
            await asyncio.sleep(0.01)
    try:
        yield Bench(panel, person, heard)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        panel.close()
        person.close()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with running(SimPanel()) as bench:
        yield bench


def test_it_is_what_the_controller_asks_for() -> None:
    person = SimPanel()
    panel: PanelPort = Panel(person.settings, lambda _heard: None, person.board)
    panel.close()
    panel.close()
    person.close()


async def test_doors_covers_and_an_idle_key_are_told_at_the_start(bench: Bench) -> None:
    assert sorted(map(str, bench.facts())) == sorted(
        map(
            str,
            [
                facts.Case(open=False),
                facts.Cover(device="shuffler", on=False),
                facts.Cover(device="shoe", on=False),
                facts.Key(on=False, id="key-1"),
            ],
        )
    )


async def test_a_press_of_the_number_button_is_a_request_of_the_generator(bench: Bench) -> None:
    assert await bench.act(bench.person.press("rng")) == [("rng", facts.Button())]


@pytest.mark.parametrize("button", ["done", "no_more_bets", "round_done", "call_floor", "seat_3"])
async def test_a_press_of_another_button_is_one_press(bench: Bench, button: str) -> None:
    assert await bench.act(bench.person.press(button)) == [("panel", facts.Pressed(button))]


async def test_a_worn_contact_gives_one_press_for_each_press() -> None:
    async with running(SimPanel(seed=7, faults={"button-bounce"})) as bench:
        for _ in range(5):
            heard = await bench.act(bench.person.press("rng"))
            assert heard == [("rng", facts.Button())]


async def test_a_glitch_is_no_press_and_does_not_disable_the_next(bench: Bench) -> None:
    for length_ms in (1, 5, 15):
        assert await bench.act(bench.person.glitch("rng", length_ms)) == []
        assert await bench.act(bench.person.press("rng")) == [("rng", facts.Button())]


async def test_the_key_names_its_holder_both_ways(bench: Bench) -> None:
    for on in (True, False):
        assert await bench.act(bench.person.key(on)) == [("panel", facts.Key(on=on, id="key-1"))]


async def test_a_cover_and_the_case_are_told_both_ways(bench: Bench) -> None:
    for on in (True, False):
        heard = await bench.act(bench.person.cover("shoe", on))
        assert heard == [("panel", facts.Cover(device="shoe", on=on))]
        heard = await bench.act(bench.person.case(on))
        assert heard == [("panel", facts.Case(open=on))]


async def test_a_case_whose_wire_is_cut_reads_as_open() -> None:
    async with running(SimPanel(), before=lambda _person: None) as bench:
        assert facts.Case(open=True) in bench.facts()


async def test_a_key_left_in_over_a_restart_confirms_nothing_until_it_is_turned_again() -> None:
    def key_in(person: SimPanel) -> None:
        person.ready()
        person.key(True).result()

    async with running(SimPanel(), before=key_in) as bench:
        assert not [fact for fact in bench.facts() if isinstance(fact, facts.Key)]
        assert await bench.act(bench.person.key(False)) == [("panel", facts.Key(False, "key-1"))]
        assert await bench.act(bench.person.key(True)) == [("panel", facts.Key(True, "key-1"))]


async def test_a_button_held_over_a_restart_was_not_pressed() -> None:
    def finger_on(person: SimPanel) -> None:
        person.ready()
        person.hold("rng").result()

    async with running(SimPanel(), before=finger_on) as bench:
        assert facts.Button() not in bench.facts()
        assert await bench.act(bench.person.let_go("rng")) == []
        assert await bench.act(bench.person.press("rng")) == [("rng", facts.Button())]


async def test_a_button_that_never_comes_up_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hal.switches.STUCK_MS", 200)
    async with running(SimPanel(faults={"button-stuck"})) as bench:
        assert await bench.act(bench.person.press("done")) == [("panel", facts.Pressed("done"))]
        await asyncio.sleep(0.25)
        assert bench.facts()[-1] == facts.Stuck("done")
        assert await bench.act(bench.person.let_go("done")) == []
        assert await bench.act(bench.person.press("done")) == [("panel", facts.Pressed("done"))]


async def test_the_number_that_is_shown_is_read_back(bench: Bench) -> None:
    bench.panel.show("-")
    assert bench.person.digit() == "-"
    bench.panel.show("6")
    await asyncio.sleep(SETTLED_S)
    assert bench.person.digit() == "6"
    assert (bench.heard[-1].source, bench.heard[-1].fact) == ("rng", facts.Shown(6, 6))


async def test_a_dead_segment_is_found_at_the_start_and_no_wrong_number_stands() -> None:
    async with running(SimPanel(faults={"segment-dead"})) as bench:
        assert facts.DisplayFault("a") in bench.facts()
        bench.panel.show("7")
        await asyncio.sleep(SETTLED_S)
        assert bench.facts()[-1] == facts.Shown(7, 1)
        assert bench.person.digit() == " "
        assert bench.panel.status()["failing_segments"] == ["a"]


async def test_a_number_asked_for_during_the_self_test_comes_after_it() -> None:
    person = SimPanel()
    person.settings = replace(person.settings, self_test_step_ms=30)
    async with running(person) as bench:
        bench.panel.show("2")
        assert facts.Shown(2, 2) not in bench.facts()
        await asyncio.sleep(0.3)
        assert bench.facts()[-1] == facts.Shown(2, 2)


async def test_lamps_are_seen_as_they_were_told(bench: Bench) -> None:
    bench.panel.lamps("blink", "off", "on")
    await asyncio.sleep(1.7)
    assert bench.person.lamps() == {"red": "blink", "amber": "off", "green": "on"}
    bench.panel.lamps("on", "on", "off")
    assert bench.person.lamps() | {"red": ""} == {"red": "", "amber": "on", "green": "off"}
    with pytest.raises(AssertionError, match="amber"):
        bench.panel.lamps("on", "dim", "off")


async def test_the_sounder_sounds_and_is_silent_again(bench: Bench) -> None:
    bench.panel.sound("alarm")
    noises = set()
    for _ in range(60):
        noises.add(bench.person.sounds())
        await asyncio.sleep(0.01)
    assert noises == {True, False}
    bench.panel.sound("off")
    assert not bench.person.sounds()
    with pytest.raises(AssertionError, match="siren"):
        bench.panel.sound("siren")


async def test_everything_is_dark_after_the_end() -> None:
    person = SimPanel()
    async with running(person) as bench:
        bench.panel.show("5")
        bench.panel.lamps("on", "on", "on")
        bench.panel.sound("alarm")
        await asyncio.sleep(SETTLED_S)
        outputs = dict(person.board.outputs)
    assert [name for name, output in outputs.items() if output.reads_on()] == []


async def test_a_panel_that_was_closed_while_it_ran_drives_nothing_any_more() -> None:
    async with running(SimPanel()) as bench:
        bench.panel.close()
        bench.panel.show("5")
        bench.panel.lamps("on", "blink", "off")
        bench.panel.sound("alarm")
        await asyncio.sleep(0.02)
        # Leaving cancels `run`, which finds the lines gone.


async def test_what_a_killed_daemon_left_lit_is_dark_before_the_next_one_runs() -> None:
    killed, metal = SimPanel(), open_factory("mock")
    left = SimBoard(metal)
    Panel(killed.settings, lambda _heard: None, left)
    for output in left.outputs.values():
        output.set(True)
    again = SimBoard(metal)
    panel = Panel(killed.settings, lambda _heard: None, again)
    assert [name for name, output in again.outputs.items() if output.reads_on()] == []
    panel.close()
    killed.close()


def test_a_line_that_cannot_be_had_releases_the_others() -> None:
    person = SimPanel()
    person.settings = replace(person.settings, pins=PanelPins({"red": 5, "rng": 77}))
    with pytest.raises(BoardError, match=r"line 77 \(rng\)"):
        Panel(person.settings, lambda _heard: None, person.board)
    assert person.board._claimed == {}


def test_a_table_without_any_wire_has_a_silent_panel() -> None:
    person = SimPanel()
    person.settings = replace(person.settings, pins=PanelPins())
    panel = Panel(person.settings, lambda _heard: None, person.board)
    panel.lamps("on", "on", "on")
    panel.sound("alarm")
    panel.close()
    person.close()
