"""What this project never does; each finding names what to do instead."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.meta.sources import (
    PACKAGES,
    imports,
    module_name,
    project_files,
    python_files,
    text_of,
    tree_of,
)

PRODUCT = python_files(*PACKAGES)
TESTS = python_files("tests")
Finding = tuple[int, str]

# Modules that only one file may import, so that a replacement touches one file.
SINGLE_IMPORTERS = {
    "aiomqtt": {"controller.mqtt"},
    "paho": {"controller.mqtt", "controller.mqtt_properties"},
    "psycopg": {"controller.recorder.postgres_database"},
    "serial": {"hal.port"},
    "gpiozero": {"hal.gpio"},
    "cryptography": {"controller.journal.seal", "controller.credentials"},
    "starlette": {"controller.monitor.server"},
    "uvicorn": {"controller.monitor.server"},
}
# In controller time is one module's; hal stamps edges and chunks where they arrive.
TIME_IMPORTERS = {"controller.clock"}

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def _called(node: ast.AST) -> str:
    """The dotted name of a call, such as `time.sleep`; empty where it is none."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _sleeps(file: Path) -> Iterator[Finding]:
    for node in ast.walk(tree_of(file)):
        if _called(node) == "time.sleep":
            yield node.lineno, "time.sleep stops whoever waits; use the loop or an Event's wait"


def _broad_handlers(file: Path) -> Iterator[Finding]:
    lines = text_of(file).splitlines()
    for node in ast.walk(tree_of(file)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = "" if node.type is None else ast.unparse(node.type)
        if caught not in ("", "Exception", "BaseException"):
            continue
        ends_in_raise = isinstance(node.body[-1], ast.Raise)
        reasons = " ".join(lines[max(0, node.lineno - 4) : node.lineno])
        if not ends_in_raise and "# " not in reasons:
            yield node.lineno, "a broad except needs its reason in a comment; better name the error"


def _eager_logs(file: Path) -> Iterator[Finding]:
    for node in ast.walk(tree_of(file)):
        name = _called(node)
        if re.fullmatch(r"(_?log(ger)?|logging)\.(debug|info|warning|error|exception)", name):
            assert isinstance(node, ast.Call)
            if node.args and isinstance(node.args[0], ast.JoinedStr):
                yield node.lineno, 'log.info("… %s", value): the text must stay constant'


def _unbounded_queues(file: Path) -> Iterator[Finding]:
    for node in ast.walk(tree_of(file)):
        name = _called(node)
        if name in ("asyncio.Queue", "queue.Queue", "Queue", "queue.SimpleQueue"):
            assert isinstance(node, ast.Call)
            if not node.args and not node.keywords:
                yield node.lineno, "every queue has a bound with a name"


def _listeners(file: Path) -> Iterator[Finding]:
    for node in ast.walk(tree_of(file)):
        if re.search(
            r"(start_server|create_server|start_unix_server|sock(et)?\.(listen|bind))$",
            _called(node),
        ):
            yield node.lineno, "the appliance opens no listening socket (interfaces, 2.2)"


def _dangerous_calls(file: Path) -> Iterator[Finding]:
    lines = text_of(file).splitlines()
    for node in ast.walk(tree_of(file)):
        name = _called(node)
        banned = name in ("eval", "exec", "pickle.loads", "pickle.load", "os.system", "os.popen")
        # A reviewed exception bears ruff's mark and its reason above.
        if banned and "noqa: S301" not in lines[node.lineno - 1]:
            yield node.lineno, f"{name} runs what others wrote"
        if name == "print":
            yield node.lineno, "results go through sys.stdout.write of a verb, the rest to a log"


def _unwritten_parts(file: Path) -> Iterator[Finding]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Name) and node.id == "NotImplementedError":
            yield node.lineno, "a part that is not written is not declared either"


CHECKS: list[Callable[[Path], Iterator[Finding]]] = [
    _sleeps, _broad_handlers, _eager_logs, _unbounded_queues, _listeners, _dangerous_calls,
    _unwritten_parts,
]  # fmt: skip


@pytest.mark.parametrize("file", PRODUCT, ids=str)
def test_the_product_does_nothing_that_is_banned(file: Path) -> None:
    found = [
        f"{file}:{line}: {why}"
        for check in CHECKS
        # The demo's broker listens, on loopback; so do a simulator's TCP port and the page of the
        # surveillance room on its own machine; never a table.
        if not (
            check is _listeners
            and ("sim" in file.parts or file.stem in ("broker", "demo", "monitor"))
        )
        for line, why in check(file)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("check", "wrong", "right"),
    [
        (_sleeps, "import time\ntime.sleep(1)", "import time\ntime.monotonic()"),
        (_broad_handlers, "try: f()\nexcept Exception: pass", "try: f()\nexcept OSError: pass"),
        (_broad_handlers, "try: f()\nexcept: pass", "try: f()\nexcept Exception:\n    raise"),
        (_eager_logs, "log.info(f'{x}')", "log.info('%s', x)"),
        (_unbounded_queues, "asyncio.Queue()", "asyncio.Queue(queue_items_max)"),
        (_listeners, "asyncio.start_server(f)", "asyncio.open_connection(h, p)"),
        (_dangerous_calls, "eval(x)", "int(x)"),
        (_unwritten_parts, "raise NotImplementedError", "raise ValueError"),
    ],
)
def test_a_check_finds_the_wrong_and_passes_the_right(
    check: Callable[[Path], Iterator[Finding]], wrong: str, right: str, tmp_path: Path
) -> None:
    for name, text, expected in (("wrong.py", wrong, True), ("right.py", right, False)):
        file = tmp_path / name
        file.write_text(text)
        assert bool(list(check(file))) is expected


def test_nothing_unfinished_is_marked_in_the_tree() -> None:
    found = [
        f"{file}:{number}"
        for file in project_files()
        if file.suffix in (".py", ".toml", ".md", ".sh", ".service", ".rules", ".c", ".conf")
        for number, line in enumerate(text_of(file).splitlines(), start=1)
        if UNFINISHED.search(line)
    ]
    assert not found, f"finish it or open an issue: {found}"


def test_a_foreign_library_has_one_importer() -> None:
    found = [
        f"{file}:{line}: {name}"
        for file in PRODUCT
        for name, line in imports(file)
        if module_name(file) not in SINGLE_IMPORTERS.get(name.split(".")[0], {module_name(file)})
    ]
    assert not found, f"only {SINGLE_IMPORTERS} may import these: {found}"


def test_the_controller_asks_one_module_for_the_time() -> None:
    found = [
        f"{file}:{line}"
        for file in python_files("controller")
        for name, line in imports(file)
        if name == "time"
        and module_name(file) not in TIME_IMPORTERS
        # A verb is a program of its own, beside the daemon: it waits and measures.
        and not module_name(file).startswith("controller.cli.")
    ]
    assert not found, f"use controller.clock: {found}"


def test_a_skipped_or_failing_test_says_why() -> None:
    found = [
        f"{file}:{node.lineno}"
        for file in TESTS
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Attribute)
        and node.attr in ("skip", "xfail", "skipif")
        and ast.unparse(node) in ("pytest.mark.skip", "pytest.mark.xfail", "pytest.mark.skipif")
        and not _gives_a_reason(file, node)
    ]
    assert not found, f"reason=… is missing: {found}"


def _gives_a_reason(file: Path, marker: ast.Attribute) -> bool:
    return any(
        isinstance(node, ast.Call)
        and node.func is marker
        and any(keyword.arg == "reason" for keyword in node.keywords)
        for node in ast.walk(tree_of(file))
    )
