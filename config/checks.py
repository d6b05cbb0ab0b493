"""What no single key can know: mistakes between keys and between sections of a table's file."""

from __future__ import annotations

from collections.abc import Iterator

from config.complaints import Problem, nearest
from config.device_checks import DeviceChecks
from config.pin_checks import check_pins
from config.positions import Path, Positions
from config.profiles import games, usual_setup
from config.sections import (
    Alarms,
    Bench,
    Game,
    Journal,
    Mqtt,
    Panel,
    Rng,
    Roster,
    Shoe,
    Shuffler,
    Table,
    Time,
)
from controller.broker_address import is_loopback

# Who may hold a floorperson's key and decide a hold: the first line of roles from there on.
FLOOR_ROLES = frozenset(("floorperson", "pit_manager", "shift_manager"))


class Sections:
    """The sections that validated, each as its model; one that is absent or wrong is None.

    `present` names what the file has at all; `for_daemon`: the file must serve a daemon.
    """

    def __init__(self, positions: Positions, for_daemon: bool) -> None:
        self.positions = positions
        self.for_daemon = for_daemon
        self.present: set[str] = set()
        self.table: Table | None = None
        self.game: Game | None = None
        self.shuffler: Shuffler | None = None
        self.shoe: Shoe | None = None
        self.panel: Panel | None = None
        self.mqtt: Mqtt | None = None
        self.journal: Journal | None = None
        # These have a default for every key, so an absent section is not a missing one.
        self.rng = Rng()
        self.roster: Roster = {}
        self.roster_is_right = False
        self.alarms = Alarms()
        self.time = Time()
        self.bench: Bench | None = None

    def put(self, name: str, section: object) -> None:
        """Note that the file has this section, and its model where it is right."""
        self.present.add(name)
        if section is not None:
            setattr(self, name, section)
            self.roster_is_right |= name == "roster"

    def error(self, path: Path, text: str) -> Problem:
        """A mistake at the value of `path`."""
        return Problem(self.positions.value(path), text)

    def warning(self, path: Path, text: str) -> Problem:
        """Something likely not meant, at the key of `path`."""
        return Problem(self.positions.key(path), text, warning=True)


def check_together(sections: Sections) -> list[Problem]:
    """All problems between keys; sections that are wrong by themselves are left out."""
    return [
        *_check_game(sections),
        *_check_devices(sections),
        *check_pins(sections.panel, sections.table, sections.roster, sections.positions),
        *_check_number(sections),
        *_check_mqtt(sections),
        *_check_people(sections),
        *_check_rest(sections),
    ]


def _check_game(sections: Sections) -> Iterator[Problem]:
    game = sections.game
    if game is None:
        return
    if game.name not in games():
        yield sections.error(
            ("game", "name"), f"no game {game.name!r}; {nearest(game.name, games())}"
        )
        return
    deal = game.deal or usual_setup(game.name).deal
    if deal != "hand" and sections.for_daemon and "shoe" not in sections.present:
        yield sections.error(
            ("game", "deal"),
            f'[game] deal is {deal!r}, but there is no [shoe]; add one, or set deal = "hand"',
        )
    if game.rounds_after_cover is not None and game.name != "minibaccarat":
        yield sections.warning(
            ("game", "rounds_after_cover"),
            f"[game] rounds_after_cover has no effect in {game.name}; minibaccarat reads it",
        )
    if game.approved_device is not None and not sections.present & {"shuffler", "shoe"}:
        yield sections.error(
            ("game", "approved_device"),
            "[game] approved_device has nothing to compare: there is no [shuffler] and no [shoe]",
        )


def _check_devices(sections: Sections) -> Iterator[Problem]:
    checks = DeviceChecks(sections.positions, sections.for_daemon, sections.game, sections.panel)
    return checks.check(sections.shuffler, sections.shoe)


def _check_number(sections: Sections) -> Iterator[Problem]:
    """A number that is drawn needs its button and its digit."""
    if sections.game is None or sections.game.start != "rng" or not sections.for_daemon:
        return
    pins = {} if sections.panel is None else sections.panel.pins
    if sections.panel is None and "panel" in sections.present:
        return
    for purpose in ("rng", "segment_a"):
        if purpose not in pins:
            yield sections.error(
                ("game", "start"),
                f'[game] start = "rng" needs a button and a digit; [panel.pins] has no {purpose}',
            )


def _check_mqtt(sections: Sections) -> Iterator[Problem]:
    mqtt = sections.mqtt
    if mqtt is None:
        return
    tls = mqtt.tls
    if tls is None and not mqtt.allow_plaintext and not is_loopback(mqtt.host):
        yield sections.error(
            ("mqtt", "host"),
            f"[mqtt] host {mqtt.host} would be reached without TLS; add [mqtt.tls], "
            "or allow_plaintext = true where the network itself is protected",
        )
    if tls is not None and mqtt.allow_plaintext:
        yield sections.warning(
            ("mqtt", "allow_plaintext"), "[mqtt] allow_plaintext has no effect beside [mqtt.tls]"
        )
    if tls is not None and (tls.certificate is None) != (tls.key is None):
        given, missing = ("certificate", "key") if tls.key is None else ("key", "certificate")
        yield sections.error(
            ("mqtt", "tls", given), f"[mqtt.tls] {given} needs {missing}; neither serves alone"
        )
    nameless = tls is not None and tls.certificate is None and mqtt.password_file is None
    if nameless and not is_loopback(mqtt.host):
        yield sections.error(
            ("mqtt", "tls"),
            "[mqtt.tls] certificate and key are missing: the broker could not tell this table from "
            "a stranger; where it goes by passwords, add username and password_file",
        )
    if mqtt.password_file is not None and mqtt.username is None:
        yield sections.error(
            ("mqtt", "password_file"),
            "[mqtt] password_file needs username; a password has an owner",
        )
    if mqtt.store is not None and sections.roster_is_right:
        entry = sections.roster.get(mqtt.store)
        if entry is None or entry.role != "surveillance":
            yield sections.error(
                ("mqtt", "store"),
                f"[mqtt] store {mqtt.store} must stand in [roster] with the role surveillance",
            )


def _check_people(sections: Sections) -> Iterator[Problem]:
    people = sections.roster
    holders: dict[str, str] = {}
    for name, entry in people.items():
        if entry.key is None:
            continue
        path = ("roster", name, "key")
        if entry.role not in FLOOR_ROLES:
            yield sections.error(
                path, f"[roster] {name} is {entry.role}; a key is a floorperson's, or above"
            )
        if entry.key in holders:
            yield sections.error(
                path, f"[roster] {name} has the key of {holders[entry.key]}; a key has one holder"
            )
        holders.setdefault(entry.key, name)
    decides = any(entry.role in FLOOR_ROLES for entry in people.values())
    if sections.for_daemon and sections.roster_is_right and not decides:
        yield Problem(
            sections.positions.key(("roster",)),
            "[roster] has no floorperson or above, but every hold waits for one",
        )


def _check_rest(sections: Sections) -> Iterator[Problem]:
    alarms, journal = sections.alarms, sections.journal
    if alarms.escalate_pit_s <= alarms.escalate_floor_s:
        yield sections.error(
            ("alarms", "escalate_pit_s"),
            f"[alarms] escalate_pit_s must be above escalate_floor_s ({alarms.escalate_floor_s})",
        )
    if journal is not None and journal.key == journal.path:
        yield sections.error(("journal", "key"), "[journal] key and path name the same file")
    if sections.bench is not None and (sections.panel is None or sections.panel.factory != "mock"):
        yield sections.error(
            ("bench", "hand"),
            '[bench] is for a simulated person at mock pins; set [panel] factory = "mock"',
        )
