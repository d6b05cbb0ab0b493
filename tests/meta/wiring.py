"""Draws docs/wiring.svg from the shipped examples: `python -m tests.meta.wiring > docs/wiring.svg`.

One header, each wired line on the row of its pin: no two lines cross, and the picture cannot name
another pin than the examples do. `pin_table` gives the same as rows for docs/technician.md.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from html import escape

from tests.meta.sources import ROOT

# The 40-pin header of Raspberry Pi boards: physical pin to BCM line, or what it supplies.
HEADER: tuple[int | str, ...] = (
    "3.3 V", "5 V", 2, "5 V", 3, "ground", 4, 14, "ground", 15, 17, 18, 27, "ground", 22, 23,
    "3.3 V", 24, 10, "ground", 9, 25, 11, 8, "ground", 7, 0, 1, 5, "ground", 6, 12, 13, "ground",
    19, 16, 26, 20, "ground", 21,
)  # fmt: skip
# Together they wire all that a table can have, each purpose on one line alone.
EXAMPLES = ("dj-wild", "fortune-asia-poker", "lamp-shuffler")
WORDS = {
    "rng": "NUMBER button", "done": "DONE button", "no_more_bets": "NO MORE BETS button",
    "round_done": "ROUND DONE button", "call_floor": "CALL FLOOR button", "key": "key switch",
    "cover_shuffler": "shuffler's cover", "cover_shoe": "shoe's cover", "case": "case door",
    "red": "red lamp", "amber": "amber lamp", "green": "green lamp", "sounder": "sounder",
    "sensor_green": "sensor, shuffler's green lamp", "sensor_red": "sensor, shuffler's red lamp",
}  # fmt: skip
KINDS = {"switch": "#1f6f43", "driver": "#a02020", "segment": "#7a4b00", "sensor": "#2b4c9b"}
ROW, TOP, LEFT, RIGHT, WIDE = 24, 88, 430, 510, 940
DRIVEN = ("red", "amber", "green", "sounder")


@dataclass(frozen=True, slots=True)
class Wire:
    """One line: the header's pin, its BCM number, what hangs on it."""

    pin: int
    line: int
    purpose: str

    @property
    def words(self) -> str:
        """What it is called at the table."""
        segment = self.purpose.removeprefix("segment_")
        return WORDS.get(self.purpose) or f"digit, segment {segment}"

    @property
    def kind(self) -> str:
        """How it is wired."""
        if self.purpose.startswith("segment_"):
            return "segment"
        if self.purpose.startswith("sensor_"):
            return "sensor"
        return "driver" if self.purpose in DRIVEN else "switch"


def wires() -> list[Wire]:
    """All of the examples, by pin. Raises AssertionError where two examples disagree."""
    lines: dict[str, int] = {}
    for name in EXAMPLES:
        text = (ROOT / "config" / "examples" / f"{name}.toml").read_text(encoding="utf-8")
        document = tomllib.loads(text)
        sensors = document["shuffler"].get("lamps", {})
        pins = document["panel"]["pins"] | {
            f"sensor_{colour}": sensors[colour] for colour in ("green", "red") if sensors
        }
        for purpose, line in pins.items():
            assert lines.setdefault(purpose, line) == line, f"{name}: {purpose} is elsewhere"
    assert len(set(lines.values())) == len(lines), "two purposes have one line"
    return sorted(
        (Wire(HEADER.index(line) + 1, line, purpose) for purpose, line in lines.items()),
        key=lambda wire: wire.pin,
    )


def pin_table() -> str:
    """Rows of Markdown, by pin."""
    rows = ["| pin | BCM line | purpose | what | wired as |", "|---|---|---|---|---|"]
    rows += [
        f"| {one.pin} | {one.line} | `{_key(one)}` | {one.words} | {one.kind} |" for one in wires()
    ]
    return "\n".join(rows) + "\n"


def _key(wire: Wire) -> str:
    sensor = wire.purpose.removeprefix("sensor_")
    return f"[shuffler.lamps] {sensor}" if wire.kind == "sensor" else wire.purpose


def picture() -> str:
    """The whole SVG."""
    parts = [*_header(), *(part for wire in wires() for part in _wire(wire)), *_circuits()]
    tall = TOP + 20 * ROW + 230
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {tall}" '
        f'font-family="sans-serif" font-size="13">\n'
        f"<title>Wiring of a table: the board's header, each line on the row of its pin</title>\n"
        f'<rect width="{WIDE}" height="{tall}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" {more}>{escape(words)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#333333") -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="2"/>'


def _place(pin: int) -> tuple[int, int]:
    """Where a pin is: odd ones left, even ones right, pin 1 at the top."""
    return (LEFT if pin % 2 else RIGHT), TOP + (pin - 1) // 2 * ROW


def _header() -> list[str]:
    box = (
        f'<rect x="{LEFT - 30}" y="{TOP - 24}" width="{RIGHT - LEFT + 60}" '
        f'height="{20 * ROW + 20}" rx="6" fill="#eef2ee" stroke="#333333"/>'
    )
    parts = [
        _text(20, 30, "Wiring of a table", 'font-size="20" font-weight="bold"'),
        _text(20, 52, "Header of the board, seen from above; pin 1 has the square pad."),
        box,
    ]
    used = {wire.pin for wire in wires()}
    for pin, what in enumerate(HEADER, start=1):
        x, y = _place(pin)
        fill = "#333333" if pin in used else "#ffffff"
        parts.append(f'<circle cx="{x}" cy="{y}" r="7" fill="{fill}" stroke="#333333"/>')
        inside = x + 12 if pin % 2 else x - 12
        anchor = "" if pin % 2 else 'text-anchor="end" '
        parts.append(_text(inside, y + 4, str(pin), f'{anchor}font-size="11" fill="#555555"'))
        if isinstance(what, str):
            away = x - 38 if pin % 2 else x + 38
            side = 'text-anchor="end" ' if pin % 2 else ""
            parts.append(_text(away, y + 4, what, f'{side}font-size="11" fill="#777777"'))
    return parts


def _wire(wire: Wire) -> list[str]:
    x, y = _place(wire.pin)
    colour = KINDS[wire.kind]
    far = x - 110 if wire.pin % 2 else x + 110
    at, anchor = (far - 8, "end") if wire.pin % 2 else (far + 8, "start")
    words = f"{wire.words} · BCM {wire.line}"
    return [
        _line(x + (-7 if wire.pin % 2 else 7), y, far, y, colour),
        f'<circle cx="{far}" cy="{y}" r="4" fill="{colour}"/>',
        _text(at, y + 4, words, f'text-anchor="{anchor}" fill="{colour}"'),
    ]


def _circuits() -> list[str]:
    """How each kind hangs on its line."""
    top = TOP + 20 * ROW + 40
    shown = (
        ("switch", "Buttons, key, covers, door",
         ("line", "contact", "ground"), "a cut wire reads as open"),
        ("sensor", "Light sensors of a shuffler", ("line", "contact", "ground"),
         "red's contact opens when it sees light"),
        ("driver", "Lamps and sounder", ("line", "1 kΩ", "driver"),
         "a transistor; the lamp has its own supply, grounds joined"),
        ("segment", "Digit, common anode", ("line", "330 Ω", "segment", "3.3 V"),
         "a resistor for each segment: 4 mA"),
    )  # fmt: skip
    parts = []
    for number, (kind, title, chain, remark) in enumerate(shown):
        x, y = 20 + number % 2 * 470, top + number // 2 * 115
        colour = KINDS[kind]
        parts.append(_text(x, y, title, f'font-weight="bold" fill="{colour}"'))
        for place, word in enumerate(chain):
            left = x + place * 112
            parts.append(
                f'<rect x="{left}" y="{y + 14}" width="96" height="30" fill="none" '
                f'stroke="{colour}"/>'
            )
            size = 'font-size="11" ' if len(word) > 12 else ""
            parts.append(_text(left + 48, y + 34, word, f'{size}text-anchor="middle"'))
            if place:
                parts.append(_line(left - 16, y + 29, left, y + 29, colour))
        parts.append(_text(x, y + 64, remark, 'fill="#555555"'))
    return parts


if __name__ == "__main__":
    sys.stdout.write(pin_table() if sys.argv[1:] == ["--table"] else picture())
