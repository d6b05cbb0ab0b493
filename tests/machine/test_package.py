"""The package in a clean Debian: installed, used, upgraded, rolled back, removed, purged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller import VERSION
from controller.identity import program_digest
from tests.machine.debian import Debian, clean, needs_debian
from tests.machine.package import LATER, built, later, sha256
from tests.meta.sources import ROOT

pytestmark = [pytest.mark.machine, needs_debian]

ACCOUNT = "table-controller"
RECORDS = Path("var/lib/table-controller")
CONFIGURATION = Path("etc/table-controller")
DAY = f"/{RECORDS}/day"
ROUNDS = 2


@pytest.fixture(scope="module")
def package() -> Path:
    return built()


@pytest.fixture(scope="module")
def digest(package: Path) -> str:
    """Of the checkout, when the package was built from it."""
    return program_digest()


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def debian(
    request: pytest.FixtureRequest,
    package: Path,
    digest: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Debian:
    """A clean Debian with the package."""
    one = clean(str(request.param), tmp_path_factory.mktemp("debian") / str(request.param))
    one.done("dpkg", "--install", one.take(package))
    return one


def test_the_same_commit_gives_the_same_package(package: Path) -> None:
    before = sha256(package)
    assert sha256(built()) == before


def test_what_is_installed_is_what_was_tested(debian: Debian, digest: str) -> None:
    assert f"table-controller {VERSION} " in debian.done("tablectl", "version")
    python = json.loads(debian.done("tablectl", "version", "--json"))["python"]
    asked = "from controller.identity import program_digest; print(program_digest())"
    short = ".".join(python.split(".")[:2])
    interpreter = f"/opt/table-controller/python{short}/bin/python3"
    assert debian.done(interpreter, "-I", "-c", asked).strip() == digest
    assert "nothing wrong" in debian.done("tablectl", "version", "--verify")


def test_nobody_can_put_other_code_in_its_way_or_switch_its_assertions_off(debian: Debian) -> None:
    trap = debian.root / "tmp" / "trap"
    trap.mkdir(exist_ok=True)
    (trap / "controller.py").write_text("raise SystemExit('trapped')\n")
    said = debian.done(
        "env", "PYTHONPATH=/tmp/trap", "PYTHONOPTIMIZE=2", "sh", "-c",
        "cd /tmp/trap && tablectl version",
    )  # fmt: skip
    assert VERSION in said


def test_every_example_is_in_order(debian: Debian) -> None:
    folder = debian.root / "usr/share/doc/table-controller/examples"
    assert {file.name for file in folder.iterdir()} == {
        file.name for file in (ROOT / "config" / "examples").iterdir()
    }
    for file in folder.iterdir():
        debian.done("tablectl", "check", f"/{file.relative_to(debian.root)}")


def test_no_table_is_started_that_nobody_configured(debian: Debian) -> None:
    assert list((debian.root / CONFIGURATION).glob("*.toml")) == []
    enabled = [
        link for link in (debian.root / "etc/systemd/system").rglob("*")
        if "table-controller" in link.name
    ]  # fmt: skip
    assert enabled == []


def test_the_account_has_the_groups_of_its_ports_and_its_folders(debian: Debian) -> None:
    groups = debian.done("id", "-nG", ACCOUNT).split()
    assert groups == [ACCOUNT, "dialout", "gpio"]
    seen = debian.done("stat", "-c", "%a %U %G %n", f"/{CONFIGURATION}", f"/{RECORDS}",
                       f"/{CONFIGURATION}/secrets").splitlines()  # fmt: skip
    assert seen == [
        f"750 root {ACCOUNT} /{CONFIGURATION}",
        f"750 {ACCOUNT} {ACCOUNT} /{RECORDS}",
        f"700 root root /{CONFIGURATION}/secrets",
    ]


def test_a_table_is_dealt_then_upgraded_rolled_back_removed_and_purged(
    debian: Debian, package: Path, tmp_path: Path
) -> None:
    said = debian.done(
        "tablectl", "demo", "--game", "dj-wild", "--rounds", str(ROUNDS), "--keep", DAY,
        user=ACCOUNT,
    )  # fmt: skip
    assert f"dj-wild: {ROUNDS} rounds" in said
    assert said.rstrip().endswith("all as demanded")
    journal = debian.root / DAY.lstrip("/") / "journal.sqlite"
    record = sha256(journal)
    table = debian.root / CONFIGURATION / "t-12.toml"
    table.write_text("# of the house\n")

    for version, file in ((LATER, later(package, tmp_path)), (VERSION, package)):
        debian.done("dpkg", "--install", debian.take(file))
        assert f"table-controller {version} " in debian.done("tablectl", "version")
        assert sha256(journal) == record
        assert "in order" in debian.done("tablectl", "journal", "verify", f"{DAY}/journal.sqlite")
        assert table.read_text() == "# of the house\n"

    debian.done("dpkg", "--remove", "table-controller")
    assert not (debian.root / "opt/table-controller").exists()
    assert not (debian.root / "usr/bin/tablectl").is_symlink()
    assert table.exists()

    said = debian.done("dpkg", "--purge", "table-controller")
    assert "the records in /var/lib/table-controller were kept" in said
    assert not (debian.root / CONFIGURATION).exists()
    assert sha256(journal) == record

    debian.done("dpkg", "--install", debian.take(package))
    assert "in order" in debian.done("tablectl", "journal", "verify", f"{DAY}/journal.sqlite")
