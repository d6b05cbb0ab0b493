"""Lines of a board on gpiozero's mock pins, and lgpio's habits kept in bounds."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hal.gpio import Board, BoardError, open_factory


@pytest.fixture
def board() -> Board:
    return Board(open_factory("mock"))


@pytest.mark.parametrize("active_low", [True, False])
def test_a_line_that_nobody_touches_reads_as_an_open_switch(board: Board, active_low: bool) -> None:
    assert not board.input("case", 5, active_low).closed()


@pytest.mark.parametrize("active_low", [True, False])
def test_an_output_is_off_when_made_and_reads_back_what_is_driven(
    board: Board, active_low: bool
) -> None:
    output = board.output("red", 5, active_low)
    assert not output.reads_on()
    output.set(True)
    assert output.reads_on()
    assert bool(output.pin.state) is not active_low


def test_one_line_cannot_serve_two_purposes(board: Board) -> None:
    board.input("rng", 5, active_low=True)
    with pytest.raises(BoardError, match="line 5 is wanted for done and for rng"):
        board.input("done", 5, active_low=True)


def test_a_line_that_the_board_does_not_have_is_named(board: Board) -> None:
    with pytest.raises(BoardError, match=r"line 99 \(rng\): "):
        board.input("rng", 99, active_low=True)


def test_an_unknown_pin_factory_is_named_with_the_known_ones() -> None:
    with pytest.raises(BoardError, match="'lpgio': expected one of lgpio, "):
        open_factory("lpgio")


def test_a_closed_board_has_no_listener_and_closes_again(board: Board) -> None:
    line = board.input("rng", 5, active_low=True)
    heard: list[tuple[str, bool]] = []
    line.listen(lambda name, closed: heard.append((name, closed)))
    line.pin.drive_low()  # type: ignore[attr-defined]  # the mock's own
    board.close()
    board.close()
    line.pin.drive_high()  # type: ignore[attr-defined]
    assert heard == [("rng", True)]


def test_a_board_can_be_claimed_again_after_it_was_closed() -> None:
    for _ in range(2):
        board = Board(open_factory("mock"))
        board.output("red", 5, active_low=False)
        board.close()


def test_importing_the_panel_does_not_load_gpiozero() -> None:
    code = "import sys, hal.panel, hal.sim.panel; print('gpiozero' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "False"


def test_lgpio_leaves_nothing_in_the_working_directory_and_the_process_where_it_was(
    tmp_path: Path,
) -> None:
    if importlib.util.find_spec("lgpio") is None:
        # Importing it here, to find out, would do what this test forbids.
        pytest.skip("lgpio has no wheel for this Python; Debian's package brings it on a board")
    code = (
        "import os\n"
        "from hal.gpio import BoardError, open_factory\n"
        "try:\n    open_factory('lgpio')\n"
        "except BoardError as error:\n    assert 'pin factory lgpio: ' in str(error)\n"
        "print(os.getcwd(), os.environ.get('LG_WD'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert done.stdout.split() == [str(tmp_path), str(os.environ.get("LG_WD"))]
    assert list(tmp_path.iterdir()) == []
