"""`tablectl rules`: every paragraph, enforced how and where, verified or not, tested by what."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from config.profiles import games, profile_document
from controller.catalogue import Line, lines_of, tests_by_rule
from controller.core.codec import canonical
from controller.core.profile import GameProfile, profile_of
from controller.errors import EXIT_OK, EXIT_USAGE, UserError
from controller.games import PROCEDURES

PROJECT = Path(__file__).parents[2]
TITLE = """# What each paragraph does here

Made by `tablectl rules --format markdown`; a test compares it. Change the code or the paragraph
files, then write it again: `tablectl rules --format markdown > docs/coverage.md`.

A leaf marked `unread` never decides against the play: the table holds and asks the floorperson.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `rules`."""
    parser.add_argument("--game", help="one game; all of them without it")
    parser.add_argument("--format", choices=("table", "json", "markdown"), default="table")


def run(args: argparse.Namespace) -> int:
    """Print the coverage of one game or of all."""
    known = games()
    if args.game is not None and args.game not in known:
        raise UserError(f"no game {args.game!r}; known are: {', '.join(known)}", EXIT_USAGE)
    tests = tests_by_rule(PROJECT / "tests") if (PROJECT / "tests").is_dir() else {}
    profiles = [
        profile_of(profile_document(name)[0]) for name in ((args.game,) if args.game else known)
    ]
    for profile in profiles:
        assert profile.id.procedure in PROCEDURES, "a shipped profile names a procedure that exists"
    covered = [(profile, lines_of(profile, tests)) for profile in profiles]
    sys.stdout.write(PRINTERS[args.format](covered))
    return EXIT_OK


Covered = list[tuple[GameProfile, tuple[Line, ...]]]


def _rules(line: Line) -> str:
    names = [f"{one.id} ({one.module.rsplit('.', 1)[-1]}.py:{one.line})" for one in line.rules]
    return ", ".join(names) or f"– {line.paragraph.reason}"


def _leaves(line: Line) -> str:
    return ", ".join(name if leaf.verified else f"{name} (unread)" for name, leaf in line.leaves)


def as_table(covered: Covered) -> str:
    """For a terminal: three lines a paragraph."""
    text = []
    for profile, lines in covered:
        text.append(f"{profile.id.title}, 58 Pa. Code ch. {profile.id.chapter}\n")
        for line in lines:
            paragraph = line.paragraph
            text.append(f"  {paragraph.cite:<20} {paragraph.disposition:<10} {paragraph.duty}\n")
            text.append(f"{'':<23}status {paragraph.status}; rules: {_rules(line)}\n")
            leaves = _leaves(line) or "–"
            text.append(f"{'':<23}profile: {leaves}; tests: {len(line.tests)}\n")
    return "".join(text)


def as_markdown(covered: Covered) -> str:
    """For docs/coverage.md."""
    text = [TITLE]
    for profile, lines in covered:
        text.append(f"\n## {profile.id.title} (ch. {profile.id.chapter})\n\n")
        text.append(
            "| paragraph | duty | status | disposition | rules | profile | tests | events |\n"
        )
        text.append("|---|---|---|---|---|---|---|---|\n")
        for line in lines:
            one = line.paragraph
            cells = (
                one.cite, one.duty, one.status, one.disposition,
                ", ".join(f"{rule.id} `{_place(rule.module)}`" for rule in line.rules)
                or f"– {one.reason}",
                _leaves(line) or "–", _test_files(line) or "–",
                ", ".join(f"`{event}`" for event in one.events) or "–",
            )  # fmt: skip
            text.append("| " + " | ".join(cells) + " |\n")
        text.append(_sentences(lines))
    return "".join(text)


def _sentences(lines: tuple[Line, ...]) -> str:
    """What each paragraph that was read in full says, thing by thing, and who sees to it."""
    rows = [
        f"| {line.paragraph.cite} | {part.says} | {', '.join(part.rules) or part.by} "
        f"| {part.why or '–'} |\n"
        for line in lines
        for part in line.paragraph.parts
    ]
    if not rows:
        return ""
    head = (
        "\n### Sentence by sentence\n\n| paragraph | says | by | why no rule |\n|---|---|---|---|\n"
    )
    return head + "".join(rows)


def _test_files(line: Line) -> str:
    return ", ".join(sorted({f"`{name.partition('::')[0]}`" for name in line.tests}))


def _place(module: str) -> str:
    return module.replace(".", "/") + ".py"


def as_json(covered: Covered) -> str:
    """For scripts: one object a paragraph."""
    out = []
    for profile, lines in covered:
        for line in lines:
            one = line.paragraph
            out.append(
                {
                    "game": profile.id.game, "paragraph": one.cite, "id": one.id,
                    "duty": one.duty, "status": one.status, "disposition": one.disposition,
                    "reason": one.reason, "events": list(one.events),
                    "parts": [
                        {"says": part.says, "by": part.by, "why": part.why} for part in one.parts
                    ],
                    "rules": [
                        {"id": rule.id, "file": _place(rule.module), "line": rule.line,
                         "function": rule.function, "summary": rule.summary}
                        for rule in line.rules
                    ],
                    "profile": [
                        {"leaf": name, "value": _json(leaf.value), "verified": leaf.verified,
                         "source": leaf.source}
                        for name, leaf in line.leaves
                    ],
                    "tests": list(line.tests),
                }
            )  # fmt: skip
    return canonical(out).decode() + "\n"


def _json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


PRINTERS = {"table": as_table, "json": as_json, "markdown": as_markdown}
