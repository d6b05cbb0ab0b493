"""`tablectl doctor`: what is wrong with a table's appliance, and how to mend it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.doctor.finding import Finding
    from controller.doctor.patient import Patient

# As the checks call themselves; the tests hold the two lists together.
NAMES = (
    "software", "unit", "secrets", "clock", "disk", "generator", "broker", "ports", "pins",
)  # fmt: skip
SHOWN = {"ok": "ok", "info": "-", "warning": "warning", "wrong": "WRONG"}
YES, NO = ("y", "yes"), ("n", "no")
# A person who types something else three times is not answering.
TRIES_MAX = 3


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="a table's file")
    parser.add_argument(
        "--only", action="append", choices=NAMES, default=[], help="this check; may be repeated"
    )
    parser.add_argument(
        "--no-ask", action="store_true",
        help="light nothing and ask nothing; as where standard input is no terminal",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object for each finding")


def run(args: argparse.Namespace) -> int:
    """Print each finding as it is made; 0 in order or with warnings only, 1 with something wrong, 3
    where all that is wrong is a device or broker that cannot be reached.

    Raises ConfigError and UnreadableConfig (exit 2).
    """
    from config.loader import load
    from controller.doctor.finding import exit_code_of
    from controller.doctor.patient import Patient

    ask = None if args.no_ask or not sys.stdin.isatty() else _asked
    patient = Patient(args.config, load(args.config), ask=ask)
    findings = asyncio.run(_told(patient, tuple(args.only), args.json))
    if not args.json:
        wrong = sum(one.severity == "wrong" for one in findings)
        warnings = sum(one.severity == "warning" for one in findings)
        sys.stdout.write(f"{args.config}: {wrong} wrong, {warnings} warnings\n")
    return exit_code_of(findings)


async def _told(patient: Patient, names: tuple[str, ...], as_json: bool) -> list[Finding]:
    from controller.doctor.examination import examined

    findings = []
    async for one in examined(patient, names):
        findings.append(one)
        sys.stdout.write(_json(one) if as_json else _lines(one))
        sys.stdout.flush()
    return findings


def _json(finding: Finding) -> str:
    # Some of it is what devices and the broker say: half a character ends no output.
    return json.dumps(finding.record(), ensure_ascii=True) + "\n"


def _lines(finding: Finding) -> str:
    from config.complaints import printable

    head = f"{SHOWN[finding.severity]:<8} {finding.check}: {finding.subject}: {finding.text}"
    return f"{printable(head)}\n" + (
        f"         mend: {printable(finding.mend)}\n" if finding.mend else ""
    )


def _asked(question: str) -> bool | None:
    """The person's answer; None at the end of input, or where none can be made out."""
    for _ in range(TRIES_MAX):
        sys.stdout.write(f"{question} [y/n] ")
        sys.stdout.flush()
        answer = sys.stdin.readline()
        word = answer.strip().lower()
        if not answer or word in YES + NO:
            return None if not answer else word in YES
    return None
