"""The shape of what a table says to video systems, where its file asks for it. Pure."""

from __future__ import annotations

from controller.contract.levels import STAMP
from controller.contract.shapes import Schema, object_of
from controller.onvif import NAMES

# Always there; the others as the event has them. All values are texts.
REQUIRED = ("Event", "Severity", "Round", "Shoe", "BookmarkStart", "BookmarkEnd", "ClockSync")
TRUTH: Schema = {"enum": ["true", "false"]}
NUMBER: Schema = {"type": "string", "pattern": "^[0-9]+$"}


def onvif_event() -> Schema:
    """`UtcTime`, `Source` and `Data` as ONVIF's Core Specification has them."""
    about: dict[str, object] = {
        **dict.fromkeys(NAMES.values(), str),
        "Event": str,
        "Severity": {"type": "string", "pattern": "^[0-5]$"},
        "Round": NUMBER,
        "Shoe": NUMBER,
        "Rule": str,
        "BookmarkStart": STAMP,
        "BookmarkEnd": STAMP,
        "ClockSync": TRUTH,
    }
    members: dict[str, object] = {
        "UtcTime": STAMP,
        "Source": object_of({"Table": str}, ["Table"]),
        "Data": object_of(about, REQUIRED),
    }
    return object_of(members, list(members))
