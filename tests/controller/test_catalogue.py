"""From paragraph to code and back: nothing cites what is not there, nothing is cited by nobody."""

import ast
from pathlib import Path

import pytest

import controller.games as rooms
from config.profiles import games, profile_document, usual_setup
from controller import catalogue
from controller.catalogue import (
    DISPOSITIONS,
    STATUSES,
    leaves_of,
    lines_of,
    paragraphs_of,
)
from controller.cli.rules import as_markdown
from controller.core.events import CATALOGUE
from controller.core.inputs import BY_SOURCE
from controller.core.profile import profile_of
from controller.games import REPORTS, book_of
from controller.rules.registry import RULES, rule
from hal.facts import CardDrawn

PROJECT = Path(__file__).parents[2]
CHAPTERS = ("627a", "633a", "659a", "687a")
PROFILES = {name: profile_of(profile_document(name)[0]) for name in games()}
# Rules on what no paragraph says in words: a hand shuffle is stated, a leaf is a declaration.
SHARED = frozenset(("SHUFFLE-BY-HAND", "SHUFFLE-BEGAN", "ORDER-CHECK", "SHOE-ROUNDS-AFTER"))
# Leaves that say what a paragraph demands where the rows themselves are the code: cited there.
ROWS = Path(rooms.__file__).parents[1]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_paragraph_has_a_rule_or_a_reason(chapter: str) -> None:
    for one in paragraphs_of(chapter):
        obeyed = [entry.id for entry in RULES.values() if one.cite in entry.cites]
        assert one.status in STATUSES
        assert one.disposition in DISPOSITIONS
        assert obeyed or one.reason, f"{one.cite} has neither rule nor reason"
        if one.disposition == "rule":
            assert obeyed, f"{one.cite} says that a rule obeys it, none does"
        assert set(one.events) <= CATALOGUE.keys(), f"{one.cite} names an event that is none"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_everything_that_a_paragraph_says_is_seen_to_by_a_rule_or_has_a_reason(
    chapter: str,
) -> None:
    for one in paragraphs_of(chapter):
        assert bool(one.parts) is (one.status == "seed"), one.cite
        for part in one.parts:
            assert set(part.rules) <= RULES.keys(), f"{one.cite}: {part.by}"
            assert bool(part.why) is not bool(part.rules), f"{one.cite}: {part.says}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_rule_of_a_paragraph_that_was_read_obeys_something_that_it_says(
    chapter: str,
) -> None:
    for one in paragraphs_of(chapter):
        if one.status == "seed":
            obeyed = {entry.id for entry in RULES.values() if one.cite in entry.cites}
            named = {rule for part in one.parts for rule in part.rules}
            beyond = obeyed - named - SHARED
            assert not beyond, f"{one.cite}: {beyond} obey nothing that the paragraph says"


def test_every_citation_of_a_rule_is_a_paragraph() -> None:
    cites = {one.cite for chapter in CHAPTERS for one in paragraphs_of(chapter)}
    for entry in RULES.values():
        assert set(entry.cites) <= cites, f"{entry.id} cites {set(entry.cites) - cites}"


@pytest.mark.parametrize("game", games())
def test_every_leaf_cites_a_paragraph_of_its_chapter(game: str) -> None:
    cites = {one.cite for one in paragraphs_of(PROFILES[game].id.chapter)}
    for name, leaf in leaves_of(PROFILES[game]):
        # An unread section may be known by its number alone; 603a.15 is the chapter of all decks.
        elsewhere = not leaf.verified or leaf.cite == "603a.15"
        near = any(one.startswith(leaf.cite) or leaf.cite.startswith(one) for one in cites)
        assert near or elsewhere, f"{name} cites {leaf.cite}"


@pytest.mark.parametrize("game", games())
def test_every_leaf_is_read_by_the_code(game: str) -> None:
    read: set[str] = set()
    for file in ROWS.rglob("*.py"):
        if file.name != "profile.py":
            tree = ast.parse(file.read_text(encoding="utf-8"))
            read |= {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
            read |= {
                str(one.value)
                for one in ast.walk(tree)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    for name, _ in leaves_of(PROFILES[game]):
        assert name.rpartition(".")[2] in read, f"{name} has no effect"


def test_every_rule_has_a_test() -> None:
    named = catalogue.tests_by_rule(PROJECT / "tests")
    for entry in RULES.values():
        assert entry.id in named, f"no test covers {entry.id}"


def test_a_rule_is_entered_once_with_a_docstring_and_a_citation() -> None:
    def undocumented() -> None: ...

    for identity, cites in (("CUT-DEPTH", ("1",)), ("X-NEW", ()), ("X-NEW", ("1",))):
        with pytest.raises(AssertionError):
            rule(identity, cites=cites)(undocumented)


@pytest.mark.parametrize("game", games())
def test_rows_are_for_inputs_that_exist(game: str) -> None:
    known = {kind for kinds in BY_SOURCE.values() for kind in kinds}
    book = book_of(usual_setup(game), PROFILES[game])
    for phase, rows in book.rows.items():
        assert set(rows) <= known, phase
        # Reports stand in every phase of a round, whether the game has that phase or not.
        own = set(rows) - REPORTS - {CardDrawn}
        assert phase in book.steps or not own, f"{phase} has rows and no prompt"
    for table in (book.common, book.voiding, book.unexpected):
        assert set(table) <= known
    for source, moves in book.moves.items():
        # Clock and system share one table: who may state what is settled when a line is read.
        assert source == "press" or set(moves) <= known


@pytest.mark.parametrize("game", games())
def test_a_line_of_the_coverage_has_rules_leaves_and_tests(game: str) -> None:
    named = {"CUT-DEPTH": ("test_cut::x",)}
    lines = lines_of(PROFILES[game], named)
    assert len(lines) == len(paragraphs_of(PROFILES[game].id.chapter))
    # A chapter added by data alone is obeyed by the rules of its family.
    by_data = not any(
        cite.startswith(PROFILES[game].id.chapter) for one in RULES.values() for cite in one.cites
    )
    assert by_data or any(line.rules for line in lines)
    assert any(line.leaves for line in lines)


def test_a_chapter_without_a_file_is_not_found() -> None:
    with pytest.raises(FileNotFoundError):
        paragraphs_of("1a")


def test_the_coverage_page_is_what_the_program_prints() -> None:
    page = (PROJECT / "docs" / "coverage.md").read_text(encoding="utf-8")
    named = catalogue.tests_by_rule(PROJECT / "tests")
    covered = [(one, lines_of(one, named)) for one in PROFILES.values()]
    assert page == as_markdown(covered), "write it again: see its first lines"
