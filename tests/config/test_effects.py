"""No key is dead: each one, changed alone, changes what the daemon is built from."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from config.loader import examine
from config.sections import SECTIONS, DeviceIdentity, Lamps, RosterEntry, Tls
from config.settings import Settings
from controller.core.setup import Setup, ShufflerSetup
from controller.table_broker import address_of
from hal.lamp_settings import LampSettings
from hal.pins import PanelSettings

ROOT = Path(__file__).parents[2]
BASE = """[table]
id = "t-1"
seats = 6
[game]
name = "minibaccarat"
deal = "manual_shoe"
[shuffler]
driver = "tdp1"
port = "/dev/table/shuffler"
[shoe]
driver = "tdp1"
port = "/dev/table/shoe"
[panel]
factory = "mock"
[panel.pins]
done = 5
[mqtt]
host = "localhost"
[mqtt.tls]

[journal]
path = "/var/lib/t/journal.sqlite"
key = "/var/lib/t/seal.key"
[roster]
chen = { role = "floorperson" }
eye-1 = { role = "surveillance" }
[bench]
hand = "/run/hand"
"""

LAMPS = 'green = 23\nred = 24\nfactory = "mock"\n'

# section.key -> line of the file that differs from what BASE says or leaves to the default. A key
# that is new stands here, or the first test fails.
CHANGES: dict[str, str] = {
    "table.id": 'id = "t-2"',
    "table.seats": "seats = 7",
    "table.numbering": 'numbering = "from_dealer_right"',
    "game.name": 'name = "blackjack"',
    "game.decks": "decks = 6",
    "game.deck_cards": "deck_cards = 53",
    "game.batches": "batches = 2",
    "game.deal": 'deal = "hand"',
    "game.start": 'start = "shaker"',
    "game.rounds_after_cover": "rounds_after_cover = 1",
    "game.idle_after_s": "idle_after_s = 900",
    "game.approved_device": 'approved_device = "Model"',
    "game.shuffle_timeout_s": "shuffle_timeout_s = 9",
    "game.dispense_timeout_s": "dispense_timeout_s = 9",
    "shuffler.driver": "driver =",
    "shuffler.driver_file": "driver_file =",
    "shuffler.port": 'port = "/dev/table/other"',
    "shuffler.baud": "baud = 9600",
    "shuffler.identity": 'identity = { make = "M", model = "N", serial = "1" }',
    "shuffler.counts": "counts = false",
    "shuffler.stores_one_batch": "stores_one_batch = false",
    "shuffler.direct_to_shoe": "direct_to_shoe = true",
    "shuffler.cycle_s_min": "cycle_s_min = 20",
    "shuffler.cycle_s_max": "cycle_s_max = 90",
    "shuffler.lamps": 'lamps = { green = 23, red = 24, factory = "mock" }',
    "shuffler.lamps.green": "green = 22",
    "shuffler.lamps.red": "red = 22",
    "shuffler.lamps.factory": "factory =",
    "shuffler.lamps.active_low": "active_low = false",
    "shuffler.lamps.red_normally_closed": "red_normally_closed = false",
    "shoe.driver": "driver =",
    "shoe.driver_file": "driver_file =",
    "shoe.port": 'port = "/dev/table/other"',
    "shoe.baud": "baud = 9600",
    "shoe.identity": 'identity = { make = "M", model = "N", serial = "1" }',
    "panel.pins": "done = 6",
    "panel.factory": "factory =",
    "panel.inputs_active_low": "inputs_active_low = false",
    "panel.senses_active_low": "senses_active_low = true",
    "panel.common_anode": "common_anode = true",
    "panel.lamps_active_low": "lamps_active_low = true",
    "panel.sounder_active_low": "sounder_active_low = true",
    "panel.stable_ms": "stable_ms = 40",
    "panel.key_id": 'key_id = "K-9"',
    "rng.source": 'source = "kernel"',
    "mqtt.host": 'host = "127.0.0.1"',
    "mqtt.port": "port = 1884",
    "mqtt.protocol": 'protocol = "3.1.1"',
    "mqtt.prefix": 'prefix = "pit"',
    "mqtt.username": 'username = "t-1"',
    "mqtt.password_file": 'username = "t-1"\npassword_file = "/etc/p"',
    "mqtt.keepalive_s": "keepalive_s = 30",
    "mqtt.store": 'store = "eye-1"',
    "mqtt.commands_per_minute": "commands_per_minute = 30",
    "mqtt.onvif": "onvif = true",
    "mqtt.tls": "",
    "mqtt.allow_plaintext": "",
    "mqtt.tls.ca": 'ca = "/etc/ca.pem"',
    "mqtt.tls.certificate": 'certificate = "/etc/c.pem"\nkey = "/etc/k.pem"',
    "mqtt.tls.key": 'certificate = "/etc/c.pem"\nkey = "/etc/other.pem"',
    "journal.path": 'path = "/var/lib/t/other.sqlite"',
    "journal.key": 'key = "/var/lib/t/other.key"',
    "journal.retention_days": "retention_days = 90",
    "journal.budget_mb": "budget_mb = 4096",
    "journal.checkpoint_s": "checkpoint_s = 60",
    "roster.role": 'chen = { role = "pit_manager" }',
    "roster.key": 'chen = { role = "floorperson", key = "K-1" }',
    "alarms.escalate_floor_s": "escalate_floor_s = 21",
    "alarms.escalate_pit_s": "escalate_pit_s = 61",
    "alarms.broker_away_s": "broker_away_s = 301",
    "alarms.broker_hold_s": "broker_hold_s = 3600",
    "time.stepped_ms_min": "stepped_ms_min = 501",
    "bench.hand": 'hand = "/run/other"',
    "bench.faults": 'faults = ["segment-dead"]',
}
# What shows itself elsewhere than in the settings that a daemon is built from.
ELSEWHERE = {
    # A driver that fits what stands beside it, one factory that fits a bench, and what the game's
    # text leaves no choice in: another value is refused.
    "shuffler.driver", "shoe.driver", "shuffler.driver_file", "shoe.driver_file", "panel.factory",
    "game.deal", "game.deck_cards",
    "shuffler.lamps.factory",
    # Whether a section or a broker elsewhere is allowed at all.
    "mqtt.tls", "mqtt.allow_plaintext",
}  # fmt: skip


def shapes() -> dict[str, type]:
    named = {name: shape for name, shape in SECTIONS.items() if isinstance(shape, type)}
    return {**named, "roster": RosterEntry, "mqtt.tls": Tls, "shuffler.lamps": Lamps}


def test_every_key_has_a_row() -> None:
    keys = {
        f"{section}.{field.name}"
        for section, shape in shapes().items()
        for field in dataclasses.fields(shape)
    }
    assert set(CHANGES) == keys


def observed(settings: Settings) -> dict[str, object]:
    """Everything that the daemon hands to a part that it builds."""
    assert settings.mqtt is not None
    assert settings.panel is not None
    lamps = settings.shuffler and settings.shuffler.lamps
    return {
        "rules": settings.setup(),
        "devices": (settings.shuffler, settings.shoe),
        "panel": settings.panel.wiring(),
        "lamps": lamps and lamps.wiring(),
        "rng": settings.rng.source,
        "broker": (address_of(settings), settings.mqtt.keepalive_s, settings.mqtt.prefix),
        "store": settings.mqtt.store,
        "allowance": settings.mqtt.commands_per_minute,
        "onvif": settings.mqtt.onvif,
        "journal": settings.journal,
        "roles": settings.roles(),
        "time": settings.time,
        "bench": settings.bench,
    }


def written(key: str, line: str) -> str:
    """BASE with the line of this key replaced, or added below its section's head."""
    section, _, name = key.rpartition(".")
    found = line.partition(" =")[0] if section in ("roster", "panel.pins") else name
    if key == "panel.pins":
        section, found = "panel.pins", "done"
    head = f"[{section}]\n"
    text = BASE if head in BASE else f"{BASE}{head}{LAMPS if section == 'shuffler.lamps' else ''}"
    before, _, after = text.partition(head)
    own, bracket, rest = after.partition("\n[")
    kept = [one for one in own.split("\n") if one.partition(" =")[0] != found]
    return before + head + "\n".join((line, *kept)) + bracket + rest


@pytest.mark.parametrize("key", sorted(set(CHANGES) - ELSEWHERE))
def test_a_key_that_is_changed_alone_changes_what_is_built(key: str) -> None:
    start = f"{BASE}[shuffler.lamps]\n{LAMPS}" if key.startswith("shuffler.lamps.") else BASE
    base, changed = examine(start.encode()), examine(written(key, CHANGES[key]).encode())
    assert base.settings is not None, base.problems
    assert changed.settings is not None, changed.problems
    assert observed(changed.settings) != observed(base.settings)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('deal = "manual_shoe"', 'deal = "hand"', "dealt by manual_shoe, not hand"),
        ("[game]", "[game]\ndeck_cards = 53", "a deck has 52 cards, not 53"),
        ('driver = "tdp1"', 'driver = "tdp2"', "driver 'tdp2' is unknown"),
        (
            "[shoe]",
            "lamps = { green = 23, red = 24 }\n[shoe]",
            "[shuffler.lamps] factory must be that of [panel], 'mock'",
        ),
        (
            'driver = "tdp1"',
            'driver = "tdp1"\ndriver_file = "/etc/d.toml"',
            "[shuffler] driver_file has no effect without",
        ),
        ('factory = "mock"', 'factory = "lgpio"', "[bench] is for a simulated person at mock pins"),
        ('"localhost"\n[mqtt.tls]', '"b"', "would be reached without TLS"),
        ('"localhost"\n[mqtt.tls]', '"b"\nallow_plaintext = true', None),
    ],
)
def test_the_others_decide_whether_a_file_is_allowed(old: str, new: str, said: str | None) -> None:
    problems = examine(BASE.replace(old, new, 1).encode()).problems
    assert (not problems) if said is None else any(said in one.text for one in problems)


@pytest.mark.parametrize(
    ("shape", "rooms"),
    [
        (Setup, ("controller",)),
        (ShufflerSetup, ("controller",)),
        (PanelSettings, ("hal",)),
        (LampSettings, ("hal",)),
        (DeviceIdentity, ("controller", "hal")),
    ],
)
def test_each_member_that_is_built_from_a_key_is_read_somewhere(
    shape: type, rooms: tuple[str, ...]
) -> None:
    sources = "".join(
        file.read_text(encoding="utf-8")
        for room in rooms
        for file in sorted((ROOT / room).rglob("*.py"))
    )
    for field in dataclasses.fields(shape):
        assert re.search(rf"\.{field.name}\b", sources), f"{shape.__name__}.{field.name} is dead"
