"""The way of one byte names real functions: a rename breaks this test before it breaks a reader."""

import ast
import re
from pathlib import Path

import pytest

from tests.meta.sources import ROOT, project_files, text_of, tree_of

# `hal/link.SerialLink._readable`: a file below a package, then names inside of it.
NAME = re.compile(
    r"`((?:controller|hal|config)/[\w/]+)\.((?!py\b|toml\b|md\b)[A-Za-z_]\w*(?:\.\w+)*)"
)
# A file of the checkout within a command, such as `    tablectl check config/examples/x.toml`.
FILE = re.compile(r"(?<![\w./-])((?:config|docs|systemd|tests)/[\w./@-]+\.[a-z]+)\b")
READMES = [file for file in project_files() if file.suffix == ".md"]


def _has(tree: ast.AST, names: list[str]) -> bool:
    """Whether `names` lead from class to method, or to a function or constant."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == names[0]:
                return len(names) == 1 or _has(node, names[1:])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Name) and t.id == names[0] for t in targets):
                return True
    # What a class inherits or sets in its methods is looked for by its name alone.
    attribute = f"self.{names[-1]}"
    return len(names) == 1 and isinstance(tree, ast.ClassDef) and attribute in ast.unparse(tree)


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_every_function_that_a_document_names_exists(readme: Path) -> None:
    missing = []
    for module, dotted in NAME.findall(text_of(readme)):
        file = Path(f"{module}.py")
        if not (ROOT / file).is_file():
            file = Path(module) / "__init__.py"
        if not (ROOT / file).is_file() or not _has(tree_of(file), dotted.split(".")):
            missing.append(f"{module}.{dotted}")
    assert not missing, f"{readme} names what is not there: {missing}"


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_every_file_that_a_document_links_to_exists(readme: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text_of(readme))
    missing = [link for link in links if not (ROOT / readme.parent / link).exists()]
    assert not missing, f"{readme} links to what is not there: {missing}"


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_every_file_of_the_checkout_in_a_command_exists(readme: Path) -> None:
    commands = re.findall(r"^(?: {4}|sudo )(.+)$", text_of(readme), re.MULTILINE)
    missing = [
        file for line in commands for file in FILE.findall(line) if not (ROOT / file).exists()
    ]
    assert not missing, f"{readme} has commands on what is not there: {missing}"
