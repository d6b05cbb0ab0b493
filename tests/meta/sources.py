"""The repository as the meta-tests see it: tracked files, modules, functions."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which

ROOT = Path(__file__).parents[2]
PACKAGES = ("controller", "hal", "config")
# Never part of the project: environments, caches, builds.
_SKIPPED = {"__pycache__", "build", "dist", "node_modules"}


@cache
def project_files() -> tuple[Path, ...]:
    """Every file of the project, relative to its root: what git knows or would add.

    All files that are no environment, cache or build, where there is no git to ask.
    """
    if (ROOT / ".git").exists() and which("git"):
        # A checkout may belong to somebody else than who runs the tests (root in a container).
        command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard"]
        listed = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        return tuple(Path(name) for name in sorted(set(listed)) if (ROOT / name).is_file())
    return tuple(sorted(_walk()))


def _walk() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name for name in folders
            if name not in _SKIPPED and not name.endswith((".egg-info", "_cache"))
            and name not in (".venv", ".git", ".hypothesis")
        ]  # fmt: skip
        yield from ((Path(folder) / name).relative_to(ROOT) for name in names)


@cache
def python_files(*tops: str) -> tuple[Path, ...]:
    """Python files below `tops` (such as `hal`), relative to the root."""
    return tuple(file for file in project_files() if file.suffix == ".py" and file.parts[0] in tops)


@cache
def text_of(file: Path) -> str:
    """The text of a file that is named relative to the root."""
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def tree_of(file: Path) -> ast.Module:
    """The syntax tree of a Python file that is named relative to the root."""
    return ast.parse(text_of(file), str(file))


def module_name(file: Path) -> str:
    """`hal/sim/wire.py` -> `hal.sim.wire`."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a file; `lines` is its length without decorators and docstring."""

    file: Path
    name: str
    line: int
    lines: int


def functions(file: Path) -> Iterator[Function]:
    """All functions and methods of a file."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                words = node.body[0]
                length -= (words.end_lineno or words.lineno) - words.lineno + 1
            yield Function(file, node.name, node.lineno, length)


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """Names of the modules that a file imports, wherever in it, with the line."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module, node.lineno
