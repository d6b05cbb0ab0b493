"""The contract as one AsyncAPI 3 document, seen from the table: what it sends and receives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller import VERSION
from controller.contract import levels
from controller.contract.commands import all_commands
from controller.contract.events import all_events, envelope, own_of
from controller.contract.onvif import onvif_event
from controller.contract.shapes import Schema
from controller.core.events import CATALOGUE
from controller.messages import EVENT_CONTENT, LEVEL_CONTENT, Json, Topics
from controller.onvif import KINDS, topic_of

# The shapes' own number: a break takes a new one, an addition to what the table says does not.
CONTRACT_VERSION = 1
MQTT_BINDING = "0.2.0"
ENVELOPE = "envelope"
ROOT = Topics("{prefix}", "{table}")
PARAMETERS: dict[str, str] = {
    "prefix": "first levels of every topic of a house; `tables` where nothing else is set",
    "table": "the table's id: letters, digits and `-`",
    "principal": "the name by which the broker knows a person or a program",
    "alarm": "an alarm's id, unique for its table",
    "device": "`shuffler`, `shoe` or `rng`",
}
LEVELS: dict[str, tuple[str, Schema, str]] = {
    "state": ("state", levels.state(), "everything that the table shows, after event `sequence`"),
    "prompt": ("prompt", levels.prompt(), "what the dealer or the floor does next"),
    "alarm": ("alarms/{alarm}", levels.alarm(), "an open alarm; an empty payload clears it"),
    "device": ("devices/{device}", levels.device(), "identity, link, faults and counters"),
    "status": ("status", levels.status(), "birth, farewell, and the broker's last will"),
    "health": ("health", levels.health(), "the board's own figures, every 30 s"),
}


def document() -> dict[str, Json]:
    """The whole document, in an order that is the same every time."""
    channels: dict[str, Json] = {}
    operations: dict[str, Json] = {}
    messages: dict[str, Json] = {}
    for part in (_events(), _levels(), _commands(), _answers(), _onvif()):
        for name, channel, operation, message in part:
            channels[name], operations[_verb(operation, name)] = channel, operation
            messages.update(message)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Table controller",
            "version": f"{CONTRACT_VERSION}.0.0",
            "description": (
                "What the controller of one casino table says over MQTT and what it can be asked. "
                f"Printed by table-controller {VERSION}."
            ),
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": LEVEL_CONTENT,
        "servers": _servers(),
        "channels": channels,
        "operations": operations,
        "components": {
            "schemas": {ENVELOPE: envelope()},
            "messages": messages,
            "parameters": {name: {"description": text} for name, text in PARAMETERS.items()},
        },
    }


Part = tuple[str, dict[str, Json], dict[str, Json], dict[str, Json]]


def _verb(operation: Mapping[str, Json], channel: str) -> str:
    return f"{operation['action']}.{channel}"


def _events() -> Iterator[Part]:
    for kind, schema in all_events().items():
        whole: Schema = {"allOf": [_to("components/schemas", ENVELOPE), schema]}
        message = _message(whole, EVENT_CONTENT, f"severity {CATALOGUE[kind]} as a rule")
        text = "published once it is durable, in sequence, at least once"
        channel = _channel(ROOT.event(kind), kind, text)
        yield kind, channel, _operation("send", kind, retain=False), {kind: message}


def _levels() -> Iterator[Part]:
    for name, (place, schema, text) in LEVELS.items():
        channel = _channel(ROOT.below(place), name, text)
        yield (
            name,
            channel,
            _operation("send", name, retain=True),
            {name: _message(schema, LEVEL_CONTENT, text)},
        )


def _commands() -> Iterator[Part]:
    for kind, (schema, roles) in all_commands().items():
        name = f"commands.{kind}"
        text = f"stated by {', '.join(roles)}; a retained one is refused"
        channel = _channel(ROOT.below("commands", "{principal}", kind), name, text)
        operation = _operation("receive", name, retain=False)
        operation["reply"] = {
            "channel": _to("channels", "reply"),
            "address": {
                "description": "the MQTT 5 response topic at or below it, where one is given",
                "location": "$message.header#/responseTopic",
            },
        }
        yield name, channel, operation, {name: _message(schema, LEVEL_CONTENT, text)}


def _answers() -> Iterator[Part]:
    text = "what became of a command; its correlation data is echoed"
    yield (
        "reply",
        _channel(ROOT.below("replies", "{principal}"), "reply", text),
        _operation("send", "reply", retain=False),
        {"reply": _message(levels.reply(), LEVEL_CONTENT, text)},
    )
    channel: dict[str, Json] = {
        "address": ROOT.below("replay", "{principal}"),
        "description": "events that were asked for again with `replay`, as they were",
        "messages": {kind: _to("components/messages", kind) for kind in CATALOGUE},
        "parameters": {name: _to("components/parameters", name) for name in
                       ("prefix", "table", "principal")},
    }  # fmt: skip
    operation: dict[str, Json] = {
        "action": "send", "channel": _to("channels", "replay"), "bindings": _bindings(retain=False),
    }  # fmt: skip
    yield "replay", channel, operation, {}


def _onvif() -> Iterator[Part]:
    text = "ONVIF event with JSON payload; only where the table's file has `[mqtt] onvif = true`"
    for kind in KINDS:
        name = f"onvif.{kind}"
        channel = _channel(topic_of(ROOT, kind), name, text)
        message = _message(onvif_event(), LEVEL_CONTENT, f"`{kind}` for video systems")
        yield name, channel, _operation("send", name, retain=False), {name: message}


def _channel(address: str, message: str, text: str) -> dict[str, Json]:
    named = [name for name in PARAMETERS if f"{{{name}}}" in address]
    return {
        "address": address,
        "description": text,
        "messages": {message: _to("components/messages", message)},
        "parameters": {name: _to("components/parameters", name) for name in named},
    }


def _operation(action: str, channel: str, *, retain: bool) -> dict[str, Json]:
    place = f"channels/{_escaped(channel)}/messages"
    return {
        "action": action,
        "channel": _to("channels", channel),
        "messages": [_to(place, channel)],
        "bindings": _bindings(retain=retain),
    }


def _bindings(*, retain: bool) -> dict[str, Json]:
    return {"mqtt": {"qos": 1, "retain": retain, "bindingVersion": MQTT_BINDING}}


def _message(schema: Schema, content: str, text: str) -> dict[str, Json]:
    return {"contentType": content, "summary": text, "payload": dict(schema)}


def _servers() -> dict[str, Json]:
    return {
        "broker": {
            "host": "{host}",
            "protocol": "secure-mqtt",
            "protocolVersion": "5.0",
            "description": "TLS 1.2 or newer with a client certificate; 3.1.1 by configuration",
            "variables": {"host": {"description": "name and port of the house's broker"}},
            "security": [{"type": "X509"}],
            "bindings": {"mqtt": _session()},
        }
    }


def _session() -> dict[str, Json]:
    """How a table connects where its file says nothing else; a test holds it to the line."""
    return {
        # Commands for a table that is away for a moment are kept, to be refused on record if late.
        "cleanSession": False,
        "sessionExpiryInterval": 120,
        "lastWill": {
            "topic": ROOT.status,
            "qos": 1,
            "message": (
                "status `offline` with reason `lost` and the boot of its birth; "
                "under MQTT 5 told 3 s after the loss, unless the table is back"
            ),
            "retain": True,
        },
        "bindingVersion": MQTT_BINDING,
    }


def _to(place: str, name: str) -> dict[str, Json]:
    return {"$ref": f"#/{place}/{_escaped(name)}"}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def schema_named(name: str) -> Schema:
    """The JSON Schema of one message, whole by itself. Raises KeyError."""
    if name in CATALOGUE:
        return {"allOf": [envelope(), own_of(name)]}
    if name in LEVELS:
        return LEVELS[name][1]
    if name.removeprefix("onvif.") in KINDS:
        return onvif_event()
    if name == "reply":
        return levels.reply()
    return all_commands()[name.removeprefix("commands.")][0]
