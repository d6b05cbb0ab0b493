"""A daemon whose program was changed by one octet: it serves, says so, and opens no table."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from controller.core.software import short_code
from controller.demo.stage import FLOOR, TABLE, Stage
from controller.identity import identify
from controller.journal.source import open_source
from controller.manifest import HOME
from tests.controller.test_identity import copied
from tests.mqtt.mosquitto import Mosquitto, program, running
from tests.system.table_process import table_process

CHANGED = "hal/sim/faults.py"
INSPECTOR = "bgc-3"
SAID_S_MAX = 30


async def run(*words: str, cwd: Path = HOME, code: int | None = 0) -> str:
    """What a command says; `code` is how it has to end."""
    process = await asyncio.create_subprocess_exec(
        *words, cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await asyncio.wait_for(process.communicate(), SAID_S_MAX)
    assert process.returncode == code, said.decode()
    return said.decode()


async def sent(broker: Mosquitto, who: str, *words: str, code: int = 0) -> str:
    return await run(
        sys.executable, "-m", "controller", "send", "--broker", broker.url, "--table", TABLE,
        "--as", who, *words, code=code,
    )  # fmt: skip


async def retained(broker: Mosquitto, topic: str) -> dict[str, object]:
    said = await run(
        program("mosquitto_sub"), "-p", str(broker.port), "-t", f"tables/{TABLE}/{topic}", "-C", "1"
    )
    found: dict[str, object] = json.loads(said)
    return found


def a_stage(home: Path, broker: Mosquitto) -> Stage:
    stage = Stage(home, "fortune-asia-poker", broker.address(), 100.0, 1, ())
    text = stage.config.read_text()
    stage.config.write_text(
        text.replace("[roster]\n", f'[roster]\n{INSPECTOR} = {{ role = "inspector" }}\n')
    )
    return stage


@pytest.mark.parametrize("changed", [False, True])
async def test_a_changed_octet_keeps_the_table_closed_and_names_its_file(
    tmp_path: Path, changed: bool
) -> None:
    build = copied(tmp_path / "build")
    if changed:
        whole = (build / CHANGED).read_bytes()
        (build / CHANGED).write_bytes(whole[:-1] + b" ")
    expected = await asyncio.to_thread(identify, build)
    async with running(tmp_path) as broker:
        stage = a_stage(tmp_path, broker)
        # Nothing of the checkout, where the tests are run from, may get in its way.
        environment = {"PYTHONPATH": str(build), "PYTHONSAFEPATH": "1"}
        async with table_process(tmp_path, stage.config, environment) as table:
            await table.start()
            status = await retained(broker, "status")
            opened = await sent(broker, FLOOR, "open", code=int(changed))
            shown = await sent(broker, INSPECTOR, "show_code", "nonce=4711")
            if changed:
                alarm = await retained(broker, "alarms/A1")
            code, _ = await table.end()
    assert code == 0
    assert shown.startswith("accepted")
    assert (status["build"], status["intact"]) == (expected.build, not changed)
    if changed:
        assert f"{CHANGED}: changed" in opened
        assert f"{CHANGED}: changed" in str(alarm["text"])
        assert alarm["severity"] == 5
    else:
        assert opened.startswith("accepted")
    with open_source(stage.journal) as source:
        first, *others = [json.loads(turn.body) for turn in source.turns()]
        events = [json.loads(one) for turn in source.turns() for one in turn.events]
    assert (first["type"], first["build"]) == ("started", expected.build)
    told = [one for one in others if one["type"] == "software_changed"]
    assert [one["files"] for one in told] == ([[f"{CHANGED}: changed"]] if changed else [])
    (seen,) = [one["data"] for one in events if one["type"] == "software.code_shown"]
    assert seen["code"] == short_code("4711", expected.build)
