"""What a demo ends with: counts, checks and faults, for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from config.profiles import profile_document
from controller.core.profile import profile_of
from controller.core.setup import Setup
from controller.demo.strikes import Finding
from controller.games import book_of
from controller.journal.replay import compare
from controller.journal.seal import checkpoint_is_signed
from controller.journal.source import NoJournal, open_source
from controller.journal.trouble import CorruptJournal
from controller.journal.verify import Report, verify
from controller.program import program_of


@dataclass(slots=True)
class Summary:
    """All numbers of one demo. A check is in order where its text is empty.

    `where`: cards by batch and place, as the table showed them last.
    """

    game: str
    seed: int
    seconds: float = 0.0
    rounds: int = 0
    voided: int = 0
    cards: int = 0
    events: int = 0
    refusals: int = 0
    alarms: int = 0
    repeats: int = 0
    asked_again: int = 0
    power_cuts: int = 0
    where: dict[str, dict[str, int]] = field(default_factory=dict)
    frame_to_subscriber_ms: dict[str, float | None] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)
    faults: list[Finding] = field(default_factory=list)

    @property
    def as_demanded(self) -> bool:
        """Every check is in order and every fault ended as it must."""
        return not any(self.checks.values()) and not any(one.missing for one in self.faults)

    def record(self) -> dict[str, object]:
        """For scripts."""
        return {**asdict(self), "as_demanded": self.as_demanded}

    def lines(self) -> list[str]:
        """For people."""
        took = self.frame_to_subscriber_ms
        return [
            (
                f"{self.game}: {self.rounds} rounds ({self.voided} void), {self.cards} cards, "
                f"{self.events} events, {self.refusals} refusals, {self.alarms} alarms "
                f"in {self.seconds:.1f} s; seed {self.seed}"
            ),
            (
                f"frame to subscriber: median {_ms(took.get('median'))}, "
                f"p99 {_ms(took.get('p99'))};"
                f" {self.repeats} repeats known as such, {self.asked_again} events asked for again"
            ),
            *(f"cards of batch {name}: {_places(cards)}" for name, cards in self.where.items()),
            *(f"{name}: {trouble or 'in order'}" for name, trouble in self.checks.items()),
            *(_words(one) for one in self.faults),
            "all as demanded" if self.as_demanded else "NOT as demanded",
        ]


def _ms(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1f} ms"


def _places(cards: dict[str, int]) -> str:
    each = ", ".join(f"{count} {place}" for place, count in cards.items())
    return f"{sum(cards.values())} in all ({each})"


def _words(one: Finding) -> str:
    end = f"NOT as demanded: {one.missing}" if one.missing else "as demanded"
    return f"fault {one.name}: {', '.join(one.shown) or 'nothing may show'}: {end}"


def check_journal(path: Path) -> tuple[Report | None, str]:
    """Verify the record; the report and what is wrong, empty where nothing is."""
    try:
        report = verify(path)
    except NoJournal as error:
        return None, str(error)
    if report.faults:
        return report, f"{report.faults} inputs broke the program"
    return report, "" if report.problem is None else str(report.problem)


def check_seals(path: Path, public_key: bytes) -> str:
    """Check that every checkpoint is signed by the table's key, and that there is one."""
    try:
        with open_source(path) as source:
            bodies = source.checkpoints()
    except NoJournal as error:
        return str(error)
    if not bodies:
        return "the record has no checkpoint"
    unsigned = sum(not checkpoint_is_signed(body, public_key) for body in bodies)
    return f"{unsigned} checkpoints are not signed by the table" if unsigned else ""


def check_replay(path: Path, setup: Setup) -> str:
    """Decide every input of the record again; the first difference in words, else empty."""
    document, _ = profile_document(setup.game)
    program = program_of(book_of(setup, profile_of(document)))
    try:
        with open_source(path) as source:
            difference = compare(source.turns(), source.journal, source.table_id, program)
    except (NoJournal, CorruptJournal) as error:
        return str(error)
    return "" if difference is None else str(difference)
