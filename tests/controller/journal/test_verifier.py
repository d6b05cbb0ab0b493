"""The one-file verifier: nothing but Python, the same code, the same bytes, the same verdict."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.seal import Sealer
from controller.journal.verifier import MODULES, START, verifier_octets
from tests.controller.journal.writing import MIX, write_journal


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal, its export, the public key and the verifier."""
    folder = tmp_path_factory.mktemp("desk")
    sealer = Sealer.from_file(folder / "seal.key")
    asyncio.run(write_journal(folder / "journal", MIX * 2, sealer))
    assert main(["journal", "export", str(folder / "journal"), "--output",
                 str(folder / "export.jsonl")]) == 0  # fmt: skip
    (folder / "table.pub").write_text(sealer.public_key.hex() + "\n", encoding="ascii")
    assert main(["journal", "verifier", "--output", str(folder / "verify.pyz")]) == 0
    return folder


def run(desk: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Isolated, without site packages and from elsewhere: as on an auditor's machine."""
    command = [sys.executable, "-I", "-S", str(desk / "verify.pyz"), *arguments]
    return subprocess.run(
        command, cwd="/", env={}, capture_output=True, text=True, check=False, timeout=60
    )


def test_it_finds_a_sound_record_in_order(desk: Path) -> None:
    for name in ("journal", "export.jsonl"):
        ended = run(desk, str(desk / name), "--key", str(desk / "table.pub"))
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "in order" in ended.stdout
        assert "up to event 10" in ended.stdout


def test_it_says_what_the_command_says(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = desk / "damaged.jsonl"
    damaged.write_bytes((desk / "export.jsonl").read_bytes().replace(b'"cards":2', b'"cards":3'))
    capsys.readouterr()
    assert main(["journal", "verify", str(damaged)]) == 1
    ended = run(desk, str(damaged))
    assert (ended.returncode, ended.stdout) == (1, capsys.readouterr().out)
    assert "hash" in ended.stdout
    ended = run(desk, str(damaged), "--json", "--against", str(desk / "journal"))
    assert json.loads(ended.stdout)["problem"]["kind"] == "hash"


def test_what_is_no_record_is_said_without_a_traceback(desk: Path) -> None:
    for arguments in ((str(desk / "none"),), (str(desk / "table.pub"),), ("/dev/null",),
                      (str(desk / "journal"), "--key", str(desk / "journal"))):  # fmt: skip
        ended = run(desk, *arguments)
        assert ended.returncode == 2
        assert "Traceback" not in ended.stderr
        assert ended.stderr.strip()


def test_it_holds_the_project_s_own_modules_and_they_need_nothing_else() -> None:
    known = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in MODULES
    }
    with zipfile.ZipFile(io.BytesIO(verifier_octets())) as archive:
        assert archive.namelist() == ["__main__.py", *MODULES]
        for name in MODULES:
            source = archive.read(name)
            assert source == Path(name).read_bytes()
            for imported in imports_of(source):
                top = imported.split(".")[0]
                assert imported in known or top in sys.stdlib_module_names, (name, imported)


def imports_of(source: bytes) -> list[str]:
    named = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            inner = [f"{module}.{alias.name}" for alias in node.names]
            packages = ("controller", "controller.journal")
            named += inner if module in packages else [module]
    return named


def test_its_bytes_are_the_same_wherever_it_is_made(desk: Path) -> None:
    told = hashlib.sha256((desk / "verify.pyz").read_bytes()).hexdigest()
    program = (
        "import hashlib, sys; from controller.journal.verifier import verifier_octets as made;"
        "sys.stdout.write(hashlib.sha256(made()).hexdigest())"
    )
    for zone in ("UTC", "Asia/Tokyo"):
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env={"TZ": zone, "PYTHONPATH": str(Path.cwd())},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert ended.stdout == told


def test_an_older_python_is_told_which_one_it_needs() -> None:
    before = START.partition("\nfrom ")[0]
    older = before.replace("sys.version_info < (3, 11)", "sys.version_info < (99, 0)")
    ended = subprocess.run(
        [sys.executable, "-c", older], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "needs Python 3.11 or newer" in ended.stderr
