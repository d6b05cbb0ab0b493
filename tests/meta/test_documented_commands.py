"""The readers' pages say what is so: commands run or are read, lamps and pins are as they say."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli.send import members_of
from controller.contract.commands import all_commands
from controller.core.codec import canonical, item_of
from controller.journal.seal import Sealer
from tests.hil.bench import broker_for
from tests.hil.playing import Player
from tests.hil.sentences import scripts
from tests.hil.virtual import Nursery, VirtualRig
from tests.meta.documented import PAGES, PROGRAMS, Documented, commands_of, parsed, short_forms
from tests.meta.sources import ROOT, project_files
from tests.meta.wiring import picture, pin_table
from tests.mqtt.mosquitto import free_port, until
from tests.scenarios.reading import begun, play_step, scenarios

ALL = [command for page in PAGES for command in commands_of(page)]
ON_BOARD = [command for command in ALL if command.where == "board"]
UNITS = {"table-controller@t-12", "table-controller-verify@t-12"}
SYSTEMCTL = {"status", "edit", "reload", "restart", "start", "stop", "enable"}
# A busy machine takes its time to start an interpreter and to sync a disk.
ENDS_S_MAX = 300.0
NEWS_S = 0.5
# People of the pages, beside those of the case that is played for them.
PEOPLE = {
    "rivera": "floorperson", "chen": "dealer", "surveillance": "surveillance",
    "bgc-3": "inspector",
}  # fmt: skip
# A round is open and on its way to be void: there is something to see, to say and to refuse.
DAY = "687a.13-c: six cards in a stack"
TABLE = "t-12"


# ---- read --------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", ON_BOARD, ids=lambda one: f"{one.page}: {one.text}")
def test_a_command_for_the_board_is_one(command: Documented) -> None:
    for part in re.split(r"\s(?:&&|\|)\s", command.text):
        words = [word for word in shlex.split(part) if word != "sudo"]
        if words[0] == "tablectl":
            parsed(words[1:])
        elif words[0] == "systemctl":
            assert SYSTEMCTL & set(words), part
            assert UNITS & set(words), part
        elif words[0] in ("sudoedit", "install"):
            for path in (word for word in words[1:] if word.startswith("/usr/share/doc/")):
                assert (ROOT / "config" / "examples" / Path(path).name).is_file(), path
        else:
            assert words[0] in {*PROGRAMS, "apt", "grep", "sha256sum"}, part


def test_every_unit_that_a_page_names_is_shipped() -> None:
    for unit in UNITS:
        assert (ROOT / "systemd" / f"{unit.removesuffix(TABLE)}.service").is_file()


def test_what_a_floorperson_types_is_what_a_table_takes() -> None:
    forms = short_forms("floorperson")
    assert len(forms) > 15
    for kind, *pairs in forms:
        item_of("floorperson", kind, members_of(kind, pairs))


def test_every_command_stands_with_its_roles_and_members_in_the_page_of_the_topics() -> None:
    text = (ROOT / "docs" / "mqtt.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (`\w+[^|]*) \|$", text, re.MULTILINE)
    told = {
        command: tuple(re.findall(r"\w+", roles))
        for roles, commands in rows
        for command in re.findall(r"`([^`]+)`", commands)
    }
    taken = {}
    for kind, (schema, roles) in all_commands().items():
        members, required = schema["properties"], schema["required"]
        assert isinstance(members, dict)
        assert isinstance(required, list)
        must = [name for name in required if name not in ("id", "issued_at")]
        may = [f"[{name}]" for name in members if name not in required]
        taken[" ".join((kind, *must, *may))] = roles
    assert told.items() >= taken.items(), set(taken) - set(told)
    # What else stands in two such columns is a word of another table of the page.
    assert not [one for one, roles in told.items() if "dealer" in roles and one not in taken]


# ---- run ---------------------------------------------------------------------------------------
class Desk:
    """A folder with what a page speaks of, beside a table in play and its broker."""

    def __init__(self, home: Path, port: int, table: Path, room: bytes) -> None:
        """`table` is the folder of its record, `room` what the room has seen of it."""
        home.mkdir()
        self.home = home
        self._port = port
        self.page_port = free_port()
        for name in ("config", "tests"):
            (home / name).symlink_to(ROOT / name)
        # Where it is, beside its log; a link to it would lead past the log.
        self._journal = table / "journal.sqlite"
        key = Sealer.from_file(table / "seal.key").public_key.hex()
        (home / "t-12.pub").write_text(key + "\n", encoding="utf-8")
        (home / "room.jsonl").write_bytes(room)

    async def ends(self, command: Documented) -> tuple[int, str]:
        """Exit code of a command, and what it said; one that runs on is interrupted at its work."""
        process = await asyncio.create_subprocess_exec(
            *self._words(command), cwd=self.home, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said = asyncio.create_task(process.communicate())
        if command.where == "runs on":
            # A program that reads its first line of a pipe would not be told from one that waits.
            await until(self._at_work(command, said), ENDS_S_MAX)
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        out, _ = await asyncio.wait_for(said, ENDS_S_MAX)
        assert process.returncode is not None
        return process.returncode, out.decode(errors="replace")

    def _words(self, command: Documented) -> list[str]:
        """As they run here: this program, this broker, a port that nobody has."""
        here = rf"mqtt://\1@127.0.0.1:{self._port}"
        words = [re.sub(r"^mqtts://([\w-]+)@\S*", here, word) for word in command.words]
        words = [str(self._journal) if word == "journal.sqlite" else word for word in words]
        words = [word.replace("127.0.0.1:8650", f"127.0.0.1:{self.page_port}") for word in words]
        if words[0] == "tablectl":
            words[:1] = [sys.executable, "-m", "controller"]
        return [sys.executable if word == "python3" else word for word in words]

    def _at_work(self, command: Documented, said: asyncio.Task[object]) -> Callable[[], bool]:
        verb = command.words[1]
        begun_s = asyncio.get_running_loop().time()

        def is_at_work() -> bool:
            if said.done():
                return True
            if verb == "monitor":
                with closing(socket.socket()) as probe:
                    return probe.connect_ex(("127.0.0.1", self.page_port)) == 0
            if verb == "record":
                return (self.home / "room.sqlite").exists()
            # `watch` says nothing of itself: it has begun once it would have failed.
            return asyncio.get_running_loop().time() - begun_s > 4 * NEWS_S

        return is_at_work


@asynccontextmanager
async def table_in_play(home: Path) -> AsyncIterator[Callable[[str], Desk]]:
    """A table that is called as in the pages, with their people; gives a desk for each page."""
    script = scripts()[DAY]
    script = replace(script, roster={**script.roster, **PEOPLE})
    nursery = Nursery()
    try:
        with broker_for(home) as address:
            (home / "table").mkdir()
            rig = VirtualRig(home / "table", script, address, nursery, TABLE)
            async with rig.wired():
                await Player(rig, script).play()
                # Each start is signed: so what was played is covered by a signature.
                await rig.power_cut()
                seen = [canonical(event) for _, event in sorted(rig.pit.events.items())]
                room = b"\n".join(seen) + b"\n"

                async def news() -> None:
                    while True:
                        await rig.pit.fence()
                        await asyncio.sleep(NEWS_S)

                going_on = asyncio.create_task(news())
                try:
                    yield lambda page: Desk(home / page, address.port, rig.home, room)
                finally:
                    going_on.cancel()
                    with suppress(asyncio.CancelledError):
                        await going_on
    finally:
        nursery.close()


def expected(command: Documented) -> set[int]:
    """How a command may end: what asks a table may be refused, what tests chance may fail."""
    if command.where == "runs on":
        return {0, 1, 130}
    words = command.words
    asks = words[0] == "tablectl" and (words[1] == "send" or words[1:3] == ["rng", "test"])
    return {0, 1} if asks else {0}


async def test_the_commands_of_each_page_run_one_after_the_other(tmp_path: Path) -> None:
    async with table_in_play(tmp_path) as desk_of:
        for page in PAGES:
            commands = [command for command in commands_of(page) if command.where != "board"]
            assert commands, f"docs/{page}.md: nothing that can be tried"
            desk = desk_of(page)
            for command in commands:
                code, said = await desk.ends(command)
                assert code in expected(command), f"{command.text}: exit {code}: {said[-1500:]}"
                assert "Traceback" not in said, said


# ---- lamps, pins, pages ------------------------------------------------------------------------
def test_every_combination_of_lamps_that_a_case_brings_is_explained() -> None:
    seen: set[tuple[str, ...]] = set()
    for _, one, case in scenarios():
        play = begun(case, one.game)
        for step in case.step:
            play_step(play, step)
            lamps = play.outputs.lamps
            seen.add((lamps["red"], lamps["amber"], lamps["green"]))
    words = {"dark": "off", "lit": "on", "blinks": "blink"}
    text = (ROOT / "docs" / "technician.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (dark|lit|blinks) \| (\w+) \| (\w+) \| ", text, re.MULTILINE)
    explained = {tuple(words[word] for word in row) for row in rows}
    assert explained == {*seen, ("off", "off", "off")}


def test_the_picture_of_the_wiring_is_that_of_the_examples() -> None:
    assert (ROOT / "docs" / "wiring.svg").read_text(encoding="utf-8") == picture(), (
        "python -m tests.meta.wiring > docs/wiring.svg"
    )


def test_the_table_of_pins_is_that_of_the_examples() -> None:
    assert pin_table() in (ROOT / "docs" / "technician.md").read_text(encoding="utf-8"), (
        "python -m tests.meta.wiring --table"
    )


def test_the_readme_leads_to_each_readers_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"(docs/{page}.md)" in readme, page


def test_a_page_for_the_floor_fits_on_one_sheet() -> None:
    for page in ("dealer", "floorperson"):
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        # A sheet of letter paper at ten points holds some 60 lines of 110 characters.
        lines = sum(1 + len(line) // 110 for line in text.splitlines() if line)
        assert lines <= 60, f"docs/{page}.md: {lines} lines"


def test_there_are_no_other_pictures_than_those_that_a_page_shows() -> None:
    texts = [
        (ROOT / file).read_text(encoding="utf-8")
        for file in project_files()
        if file.suffix == ".md" and file.parts[0] == "docs"
    ]
    for file in project_files():
        if file.parts[0] == "docs" and file.suffix in (".svg", ".webp"):
            assert any(f"({file.name})" in text for text in texts), file
