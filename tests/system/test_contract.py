"""What a daemon really publishes and takes is in the contract, every payload and command."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import aiomqtt
import pytest

from controller.broker import demo_broker
from controller.contract.asyncapi import document
from controller.demo.stage import DEALER, FLOOR, TABLE, Stage
from tests.controller.contract.validating import message_of_topic, misfits
from tests.system.table_process import table_process

SECONDS_MAX = 20.0
ROOT = f"tables/{TABLE}/"
NODE = """
import {Parser} from '@asyncapi/parser';
import fs from 'node:fs';
const found = await new Parser().validate(fs.readFileSync(process.argv[2], 'utf8'));
const errors = found.filter((one) => one.severity === 0);
for (const one of errors) console.log(one.path.join('/'), one.message);
process.exit(errors.length ? 1 : 0);
"""
PARSER = "@asyncapi/parser@3"


async def heard(client: aiomqtt.Client, payloads: list[tuple[str, bytes]]) -> None:
    async for message in client.messages:
        assert isinstance(message.payload, bytes)
        payloads.append((str(message.topic).removeprefix(ROOT), message.payload))


async def test_what_a_daemon_publishes_is_as_the_contract_says(tmp_path: Path) -> None:
    payloads: list[tuple[str, bytes]] = []

    async def until(*topics: str) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            while not {topic for topic, _ in payloads}.issuperset(topics):
                await asyncio.sleep(0.05)

    async with demo_broker() as broker:
        stage = Stage(tmp_path, "fortune-asia-poker", broker.address, 100.0, 1, ())
        address = broker.address
        async with (
            aiomqtt.Client(address.host, address.port, identifier="reader") as client,
            table_process(tmp_path, stage.config) as table,
        ):
            await client.subscribe(f"{ROOT}#", qos=1)
            listening = asyncio.create_task(heard(client, payloads))
            await table.start()
            await until("state", "prompt", "status", "health", "devices/shuffler", "devices/rng")
            for principal, kind, members in (
                (FLOOR, "open", {}),
                (DEALER, "inspected", {}),
                (DEALER, "call_floor", {"reason": "who is next"}),
                (DEALER, "open", {}),
            ):
                payload = {"id": f"c-{kind}-{principal}", "issued_at": _now(), **members}
                assert not misfits(f"commands.{kind}", payload)
                await client.publish(f"{ROOT}commands/{principal}/{kind}", json.dumps(payload), 1)
            await until(f"replies/{DEALER}", f"replies/{FLOOR}", "events/input/refused")
            await until("events/table/opening", "alarms/A1")
            assert (await table.end())[0] == 0
            await until("events/config/profile_loaded")
            listening.cancel()
    for topic, body in payloads:
        if body:
            name = message_of_topic(topic)
            assert not misfits(name, json.loads(body)), (topic, body)
    results = [json.loads(body)["result"] for topic, body in payloads if topic[:7] == "replies"]
    assert sorted(results) == ["accepted", "accepted", "accepted", "refused"]


def _now() -> str:
    from controller.clock import SystemClock
    from controller.core.stamp import stamp_of

    return stamp_of(SystemClock().wall_ms())


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("npm") is None, reason="the public validator comes from npm")
def test_a_public_validator_takes_the_document(tmp_path: Path) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(document()), encoding="utf-8")
    (tmp_path / "validate.mjs").write_text(NODE, encoding="utf-8")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", PARSER]
    subprocess.run(install, cwd=tmp_path, check=True, timeout=300)
    done = subprocess.run(
        ["node", "validate.mjs", "contract.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
