"""The part that decides runs where clock, chance, files and network are forbidden."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from config.profiles import games
from controller.games import PROCEDURES
from tests.meta.sources import ROOT, tree_of

PLAYABLE = [game for game in games() if game in PROCEDURES]

# A morning of everything: lawful steps, refused ones, facts out of order, jams, unknown words.
MORNING: list[dict[str, object]] = [
    {"from": "system", "type": "started", "version": "1", "digest": "d", "profile_digest": "p",
     "journal": "j"},
    {"from": "dealer", "by": "chen", "type": "sign_in", "dealer": "chen"},
    {"from": "floorperson", "by": "rivera", "type": "open"},
    {"from": "dealer", "by": "chen", "type": "inspected"},
    {"from": "dealer", "by": "chen", "type": "spread", "face": "up"},
    {"from": "floorperson", "by": "rivera", "type": "opening_verified"},
    {"from": "shuffler", "type": "loaded", "batch": "A", "cards": 53},
    {"from": "shuffler", "type": "cycle_started", "cycle": 1, "mode": "shuffle"},
    {"from": "shuffler", "type": "cycle_ended", "cycle": 1, "mode": "shuffle", "result": "ok",
     "cards": 53, "batch": "A"},
    {"from": "shuffler", "type": "ejected", "batch": "A", "cards": 53},
    {"from": "dealer", "by": "chen", "type": "player_arrived", "seat": 3},
    {"from": "dealer", "by": "chen", "type": "cut_refused", "seat": 3},
    {"from": "dealer", "by": "chen", "type": "cut_made", "cutter": "dealer", "from_top": 20},
    {"from": "dealer", "by": "chen", "type": "cover_inserted"},
    {"from": "shoe", "type": "loaded", "cards": 53, "batch": "A"},
    {"from": "dealer", "by": "chen", "type": "no_more_bets", "seats": [3]},
    {"from": "rng", "type": "button"},
    {"from": "rng", "type": "drawn", "number": 4, "draw": 1},
    {"from": "rng", "type": "shown", "number": 4, "readback": 4},
    {"from": "shoe", "type": "stack", "number": 1, "cards": 5},
    {"from": "shoe", "type": "card", "index": 6, "face": "up", "rank": "A"},
    {"from": "shoe", "type": "jam"},
    {"from": "dealer", "by": "chen", "type": "round_done"},
    {"from": "clock", "type": "stepped", "by_ms": -5000},
    {"from": "floorperson", "by": "rivera", "type": "void", "reason": "a jam"},
    {"from": "dealer", "by": "chen", "type": "no_such_thing"},
]  # fmt: skip

# Runs in a process of its own: what is forbidden there stays forbidden.
FORBIDDING = """
import builtins, json, os, random, socket, sys, time
from config.profiles import profile_document
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.day import Day
from controller.games import book_of

game = sys.argv[1]
lines = [line for line in sys.stdin.buffer.read().splitlines()]
book = book_of(DEFAULTS[game], profile_of(profile_document(game)[0]))
say = sys.stdout.write

def forbidden(*arguments, **named):
    raise AssertionError("the part that decides reached for the world")

builtins.open = forbidden
socket.socket = forbidden
for module, names in (
    (time, "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns sleep localtime"),
    (random, "random randint randrange choice shuffle getrandbits uniform"),
    (os, "urandom getrandom open read write fsync getpid environb stat listdir"),
):
    for name in names.split():
        setattr(module, name, forbidden)
count = 0
for line in Day(book).play_lines(lines):
    count += 1
    say(line.decode() + chr(10))
"""


def _play(game: str, seed: str = "0") -> bytes:
    lines = "".join(
        json.dumps({"at": f"2026-11-30T18:{n // 60:02}:{n % 60:02}.000Z", **line}) + "\n"
        for n, line in enumerate(MORNING)
    )
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDING, game],
        cwd=ROOT, input=lines.encode(), capture_output=True, check=False,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("game", PLAYABLE)
def test_a_morning_is_decided_without_the_world(game: str) -> None:
    assert _play(game).count(b"\n") > len(MORNING)


@pytest.mark.parametrize("game", PLAYABLE)
def test_the_order_of_hashing_changes_no_byte(game: str) -> None:
    assert _play(game, "1") == _play(game, "2")


def test_at_least_one_game_is_played_here() -> None:
    assert PLAYABLE


@pytest.mark.parametrize("package", ["core", "rules", "regions", "games"])
def test_no_float_is_written_in_the_part_that_decides(package: str) -> None:
    import ast

    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sorted((ROOT / "controller" / package).rglob("*.py"))
        for node in ast.walk(tree_of(Path(file.relative_to(ROOT))))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    ]  # fmt: skip
    assert not found, f"integers only: {found}"
