"""All that tables say is in the contract: each member named, each bound held."""

from __future__ import annotations

import pytest

from controller.contract.asyncapi import LEVELS, document, schema_named
from controller.contract.commands import all_commands
from controller.contract.event_members import EVENTS, WORDS
from controller.contract.events import all_events
from controller.contract.levels import reply
from controller.core.events import CATALOGUE
from controller.core.inputs import ROLES
from tests.controller.contract.samples import (
    day_events,
    level_payloads,
    rare_events,
    scenario_events,
)
from tests.controller.contract.validating import message_of_topic, misfits


def test_the_contract_knows_every_event_and_no_other() -> None:
    assert list(EVENTS) == list(CATALOGUE) == list(all_events())
    used = {word.removesuffix("?") for words in EVENTS.values() for word in words.split()}
    assert set(WORDS) == used | {"round", "shoe"}


@pytest.mark.parametrize("samples", [day_events, rare_events, scenario_events])
def test_every_event_is_as_the_contract_says(samples: object) -> None:
    assert callable(samples)
    for event in samples():
        assert not misfits(event["type"], event), event


def test_every_level_is_as_the_contract_says() -> None:
    seen = set()
    for topic, payload in level_payloads():
        seen.add(message_of_topic(topic))
        assert not misfits(message_of_topic(topic), payload), (topic, payload)
    assert seen == {"state", "prompt", "alarm", "device"}


def test_a_member_that_nobody_described_is_noticed() -> None:
    event = dict(day_events()[0])
    event["data"] = {**event["data"], "surprise": 1}  # type: ignore[dict-item]
    assert misfits(str(event["type"]), event) == ["$.data.surprise is not in the contract"]


def test_every_command_of_every_role_is_in_the_document() -> None:
    channels = document()["channels"]
    assert isinstance(channels, dict)
    for kind, (_, roles) in all_commands().items():
        assert roles
        assert set(roles) <= set(ROLES)
        address = channels[f"commands.{kind}"]["address"]  # type: ignore[index, call-overload]
        assert address == f"{{prefix}}/{{table}}/commands/{{principal}}/{kind}"


def test_every_reference_of_the_document_leads_somewhere() -> None:
    whole = document()

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if isinstance(place := value.get("$ref"), str):
                at: object = whole
                for part in place.removeprefix("#/").split("/"):
                    assert isinstance(at, dict)
                    at = at[part.replace("~1", "/").replace("~0", "~")]
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(whole)


def test_one_message_is_named_by_what_it_is() -> None:
    assert schema_named("state") is LEVELS["state"][1]
    assert "allOf" in schema_named("round.voided")
    assert schema_named("commands.decide")["additionalProperties"] is False
    assert schema_named("reply") == reply()
    with pytest.raises(KeyError):
        schema_named("round.vanished")
