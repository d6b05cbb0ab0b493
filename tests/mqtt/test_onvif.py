"""What video systems get: the standard's form to the letter, none lost, none that is not theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from controller.contract.onvif import REQUIRED
from controller.core.events import CATALOGUE, Event
from controller.core.inputs import PublishRefused
from controller.core.stamp import milliseconds_of, stamp_of
from controller.journal.record import Chain
from controller.messages import Topics
from controller.onvif import (
    BOOKMARK_AFTER_S,
    BOOKMARK_BEFORE_S,
    KINDS,
    OnvifLetters,
    topic_of,
)
from tests.controller.contract.golden import FOLDER
from tests.controller.contract.validating import misfits
from tests.mqtt.mosquitto import Mosquitto, running, until
from tests.mqtt.rooms import NOW_MS, TOPICS, MemoryJournal, listener, serving, table_at

LETTERS = OnvifLetters(Topics("tables", "t-1"))
IRREGULARITY = {
    "irregularity": "I1", "code": "wrong_count", "outcome": "void", "round": 3, "shoe": 1,
    "reason": "seat 2 has 6 cards",
}  # fmt: skip
ALARM = {"alarm": "A1", "severity": 4, "code": "no_token", "reason": "no token", "age_s": 0,
         "round": 3, "shoe": 1}  # fmt: skip

# The grammar of ONVIF Core 25.12, "JSON Event Payload", for simple items (white space aside).
TEXT = r'"(?:[^"\\]|\\.)*"'
ITEMS = rf"\{{(?:{TEXT}:{TEXT}(?:,{TEXT}:{TEXT})*)?\}}"
MESSAGE = re.compile(rf'\{{"UtcTime":{TEXT},"Source":{ITEMS}(?:,"Data":{ITEMS})?\}}')
# "Topic Structure": prefix, payload's kind, topic, and the values of the source's items.
TOPIC = re.compile(
    r"(?P<prefix>[^+#]+)/onvif-ej/(?P<local>[^+#&]+[^/+#&])(?:/&(?P<source>[^+#/]+(?:/[^+#/]+)*))?"
)
# The example of that section, first message.
EXAMPLE_TOPIC = "MyDevice/onvif-ej/RuleEngine/LineDetector/Crossed/&1/2/MyImportantFence1"
EXAMPLE: dict[str, object] = {
    "UtcTime": "2008-10-10T12:24:57.321Z",
    "Source": {"VideoSource": "1", "AnalyticsConfiguration": "2", "Rule": "MyImportantFence1"},
    "Data": {"ObjectId": "15"},
}


def fits_the_standard(topic: str, payload: str) -> bool:
    """Whether both keep to the grammar, and the topic ends with the source's values."""
    place, message = TOPIC.fullmatch(topic), MESSAGE.fullmatch(payload)
    if place is None or message is None:
        return False
    return "/".join(json.loads(payload)["Source"].values()) == place["source"]


def test_the_standards_own_example_passes_and_what_differs_from_it_does_not() -> None:
    text = json.dumps(EXAMPLE, separators=(",", ":"))
    assert fits_the_standard(EXAMPLE_TOPIC, text)
    assert not fits_the_standard(EXAMPLE_TOPIC, text.replace('"15"', "[15]"))
    assert not fits_the_standard(EXAMPLE_TOPIC + "/more", text)
    assert not fits_the_standard(EXAMPLE_TOPIC.replace("onvif-ej", "onvif"), text)
    turned = json.dumps(EXAMPLE, sort_keys=True, separators=(",", ":"))
    assert not fits_the_standard(EXAMPLE_TOPIC, turned)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_the_standards_form_and_is_in_the_contract(kind: str) -> None:
    body = (FOLDER / f"{kind}.json").read_bytes()
    letter = LETTERS(kind, body, False)
    assert letter is not None
    assert letter == LETTERS(kind, body, False)
    assert not letter.retain
    assert fits_the_standard(letter.topic, letter.payload.decode())
    payload, event = json.loads(letter.payload), json.loads(body)
    assert not misfits(f"onvif.{kind}", payload)
    assert payload["UtcTime"] == event["time"]
    assert payload["Data"]["Event"] == event["id"]
    assert set(REQUIRED) <= set(payload["Data"])


def test_the_documented_example_is_what_is_sent() -> None:
    kind = "irregularity.raised"
    letter = LETTERS(kind, (FOLDER / f"{kind}.json").read_bytes(), False)
    assert letter is not None
    page = Path("docs/onvif.md").read_text(encoding="utf-8").splitlines()
    at = page.index(f"    {letter.topic}")
    shown = "".join(line.strip() for line in page[at + 1 : page.index("    }", at) + 1])
    assert json.loads(shown) == json.loads(letter.payload)
    assert list(json.loads(shown)) == ["UtcTime", "Source", "Data"]


def test_the_topic_stays_the_same_for_all_of_a_tables_alarms() -> None:
    topic = "tables/t-1/onvif-ej/tablecontroller:Alarm/Raised/&t-1"
    assert topic_of(Topics("tables", "t-1"), "alarm.raised") == topic


@pytest.mark.parametrize("kind", sorted(set(CATALOGUE) - set(KINDS)))
def test_what_is_no_alarm_and_no_irregularity_is_not_told(kind: str) -> None:
    assert LETTERS(kind, b"not even read", False) is None


@pytest.mark.parametrize("age_s", [0, 75])
def test_the_bookmark_begins_before_the_alarm_was_raised_and_ends_after_it_was_told(
    age_s: int,
) -> None:
    event = MemoryJournal(Chain("j", "t-1")).say(
        Event("alarm.escalated", {**ALARM, "to": "pit_manager", "age_s": age_s})
    )
    letter = LETTERS(event.type, event.body, False)
    assert letter is not None
    data = json.loads(letter.payload)["Data"]
    told_ms = milliseconds_of(json.loads(event.body)["time"])
    assert data["BookmarkStart"] == stamp_of(told_ms - (age_s + BOOKMARK_BEFORE_S) * 1000)
    assert data["BookmarkEnd"] == stamp_of(told_ms + BOOKMARK_AFTER_S * 1000)
    assert data["Level"] == "pit_manager"


def test_hostile_words_of_a_person_stay_within_their_text() -> None:
    note = 'seen", "Severity": "0'
    event = MemoryJournal(Chain("j", "t-1")).say(
        Event("alarm.acknowledged", {**ALARM, "note": note})
    )
    letter = LETTERS(event.type, event.body, False)
    assert letter is not None
    assert fits_the_standard(letter.topic, letter.payload.decode())
    assert json.loads(letter.payload)["Data"]["Note"] == note
    assert json.loads(letter.payload)["Data"]["Severity"] == "4"


ONVIF = TOPICS.below("onvif-ej", "#")


async def test_none_is_lost_through_an_outage_and_a_restart_and_the_order_is_kept(
    broker: Mosquitto,
) -> None:
    journal = MemoryJournal()
    async with listener(broker, ONVIF) as (_, heard):
        for boot in (1, 2):
            table = table_at(broker, journal, onvif=True, boot=boot)
            async with serving(table):
                await until(lambda: table.line.counters.up, 10)  # noqa: B023 - awaited here
                for _ in range(5):
                    table.commit(30)
                    table.say(Event("irregularity.raised", IRREGULARITY))
                await until(lambda: journal.cursors.get("onvif") == journal.chain.sequence)
            # Made while nobody serves; the next life tells it.
            journal.say(Event("alarm.raised", ALARM))
        last = table_at(broker, journal, onvif=True, boot=3)
        async with serving(last):
            await until(lambda: len(heard) == 12, 10)
        heard_ids = [json.loads(one.payload)["Data"]["Event"] for one in heard]
    wanted = [json.loads(one.body)["id"] for one in journal.events if one.type in KINDS]
    assert heard_ids == wanted
    assert [one.retain for one in heard] == [False] * 12


async def test_switched_on_later_it_begins_there_and_not_with_last_years_alarms(
    broker: Mosquitto,
) -> None:
    journal = MemoryJournal()
    for _ in range(3):
        journal.say(Event("alarm.raised", ALARM))
    table = table_at(broker, journal, onvif=True)
    async with listener(broker, ONVIF) as (_, heard), serving(table):
        await until(lambda: table.line.counters.up)
        table.say(Event("irregularity.raised", IRREGULARITY))
        await until(lambda: len(heard) == 1)
        await until(lambda: journal.cursors.get("onvif") == 4)
    assert heard[0].topic.endswith("tablecontroller:Irregularity/Raised/&T1")


async def test_switched_off_nothing_of_it_is_told(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    async with listener(broker, TOPICS.below("#")) as (_, heard), serving(table):
        await until(lambda: table.line.counters.up)
        table.say(Event("irregularity.raised", IRREGULARITY))
        table.commit(1)
        await until(lambda: any("dealt" in one.topic for one in heard))
    assert not any("onvif" in one.topic for one in heard)


async def test_a_broker_that_refuses_it_does_not_hold_up_the_record(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text("".join(f"topic readwrite tables/T1/{one}\n" for one in ("events/#", "+")))
    async with running(tmp_path, "allow_anonymous true", f"acl_file {acl}") as broker:
        table = table_at(broker, MemoryJournal(), onvif=True)
        filters = (ONVIF, TOPICS.below("events", "#"))
        async with listener(broker, *filters) as (_, heard), serving(table):
            await until(lambda: table.line.counters.up)
            table.say(Event("irregularity.raised", IRREGULARITY))
            table.commit(50)
            await until(lambda: len(heard) == 51)
            await until(lambda: len(table.door.facts(PublishRefused)) == 1)
            assert table.door.facts(PublishRefused)[0].reason.startswith("for video systems: ")
            acl.write_text("topic readwrite #\n")
            broker.reload()
            await until(lambda: len(heard) == 52, 10)
    assert "onvif-ej" in heard[-1].topic
    assert milliseconds_of(json.loads(heard[-1].payload)["UtcTime"]) == NOW_MS + 1
