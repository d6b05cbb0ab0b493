"""What was published stays as it was until a new major version: schemas, bytes, topics."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

from controller.broker_address import BrokerAddress
from controller.broker_line import LineSettings
from controller.contract.asyncapi import document
from controller.core.codec import canonical
from controller.core.events import CATALOGUE
from controller.core.stamp import milliseconds_of
from controller.journal.record import hash_of
from tests.controller.contract.compatibility import breaks
from tests.controller.contract.golden import FOLDER
from tests.controller.contract.publish import FILE
from tests.controller.contract.validating import misfits

GOLDEN = sorted(FOLDER.glob("*.json"))
HOW = "published: add to it, or raise CONTRACT_VERSION and run tests.controller.contract.publish"


def today() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document()))
    return found


def test_nothing_published_is_broken() -> None:
    assert breaks(json.loads(FILE.read_text(encoding="utf-8")), today()) == [], HOW


def test_a_tables_session_and_will_are_told_as_the_line_has_them() -> None:
    line = LineSettings(BrokerAddress("broker.pit.example", 8883))
    told = today()["servers"]["broker"]["bindings"]["mqtt"]
    assert told["cleanSession"] is (line.resume_s == 0)
    assert told["sessionExpiryInterval"] == line.resume_s
    assert f"told {line.will_delay_s} s after the loss" in told["lastWill"]["message"]


def test_all_of_today_is_published() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == today(), HOW


def payload(doc: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = doc["components"]["messages"][name]["payload"]
    return found


def data(doc: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = payload(doc, "stub.count_result")["allOf"][1]["properties"]["data"]
    return found


BREAKS: list[Callable[[dict[str, Any]], object]] = [
    lambda doc: doc["channels"].pop("state"),
    lambda doc: doc["channels"]["state"].update(address="x"),
    lambda doc: doc["operations"]["send.state"]["bindings"]["mqtt"].update(retain=False),
    lambda doc: doc["components"]["messages"].pop("table.opened"),
    lambda doc: doc["components"]["messages"]["state"].update(contentType="text/plain"),
    lambda doc: doc["components"]["schemas"]["envelope"]["properties"].pop("hash"),
    lambda doc: data(doc)["properties"].pop("got"),
    lambda doc: data(doc)["properties"]["got"].update(type="string"),
    lambda doc: data(doc)["properties"]["got"].update(maximum=10_000),
    lambda doc: data(doc)["properties"]["got"].pop("maximum"),
    lambda doc: data(doc)["required"].remove("got"),
    lambda doc: payload(doc, "state")["properties"]["sounder"]["enum"].append("siren"),
    lambda doc: payload(doc, "state")["properties"]["locks"].pop("additionalProperties"),
    lambda doc: payload(doc, "device")["anyOf"].pop(),
    lambda doc: payload(doc, "commands.decide")["properties"].pop("reason"),
    lambda doc: payload(doc, "commands.decide")["properties"]["reason"].update(maxLength=199),
    lambda doc: payload(doc, "commands.decide")["properties"]["choice"]["enum"].remove("void"),
    lambda doc: payload(doc, "commands.acknowledge")["required"].append("note"),
    lambda doc: payload(doc, "commands.new_deck")["properties"]["ids"]["items"].update(maxLength=9),
]
ADDITIONS: list[Callable[[dict[str, Any]], object]] = [
    lambda doc: doc["channels"].update(new={"address": "x"}),
    lambda doc: doc["components"]["messages"].update(new=doc["components"]["messages"]["state"]),
    lambda doc: data(doc)["properties"].update(more={"type": "string"}),
    lambda doc: data(doc)["properties"]["got"].update(maximum=9_998),
    lambda doc: payload(doc, "state")["properties"]["sounder"]["enum"].remove("alarm"),
    lambda doc: payload(doc, "commands.decide")["properties"]["reason"].update(maxLength=201),
    lambda doc: payload(doc, "commands.decide")["properties"]["choice"]["enum"].append("maybe"),
    lambda doc: payload(doc, "commands.decide")["required"].remove("reason"),
    lambda doc: payload(doc, "commands.decide")["properties"].update(note={"type": "string"}),
]


@pytest.mark.parametrize("change", BREAKS)
def test_a_break_is_found(change: Callable[[dict[str, Any]], object]) -> None:
    old = today()
    new = copy.deepcopy(old)
    change(new)
    assert len(breaks(old, new)) == 1, breaks(old, new)


@pytest.mark.parametrize("change", ADDITIONS)
def test_an_addition_is_none(change: Callable[[dict[str, Any]], object]) -> None:
    old = today()
    new = copy.deepcopy(old)
    change(new)
    assert breaks(old, new) == []


def test_every_type_has_a_golden_event() -> None:
    assert {file.stem for file in GOLDEN} == set(CATALOGUE)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_what_was_published_once_is_still_in_the_contract_and_proves_itself(file: Any) -> None:
    body = file.read_bytes()
    event = json.loads(body)
    assert canonical(event) == body
    assert hash_of(event) == event["hash"]
    assert not misfits(file.stem, event)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_a_public_cloudevents_library_reads_it_and_writes_the_same(file: Any) -> None:
    body = file.read_bytes()
    read = JSONFormat().read(CloudEvent, body)
    assert read.get_type() == file.stem
    written = json.loads(JSONFormat().write(read))
    event = json.loads(body)
    # The library writes an instant in its own way; it is the same one.
    instant = read.get_time()
    assert instant is not None
    assert milliseconds_of(event.pop("time")) == int(instant.timestamp() * 1000)
    written.pop("time")
    assert written == event
