"""The top level stays as it was asked for, and no machine shows through."""

import re
import stat

import pytest

from tests.meta.sources import ROOT, project_files, text_of

LOCKS = ("requirements.txt", "requirements-demo.txt", "requirements-dev.txt")
FOLDERS = {"controller", "hal", "config", "systemd", "tests", "docs"}
FILES = {
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", *LOCKS,
}  # fmt: skip
TEXTS = {
    ".py", ".toml", ".md", ".sh", ".txt", ".service", ".rules", ".conf", ".acl", ".c", ".jsonl",
    ".sysusers", ".tmpfiles", ".timer", ".modules", "",
}  # fmt: skip

# Homes, checkouts and package mirrors of whoever wrote or built something. `/tmp` is not among
# them: examples and tests may name it.
MACHINE = re.compile(
    r"/(root|home/[a-z][\w-]*|Users/\w+|work/(main|shared|\.library))/"
    r"|file:///|--(extra-)?index-url|--find-links|--trusted-host"
    r"|https?://[\w.-]*(py" r"pi|pythonhosted|piwheels|artifactory|nexus)[\w.-]*"
)  # fmt: skip


def test_the_top_level_has_what_was_asked_for_and_hidden_files() -> None:
    tops = {file.parts[0] for file in project_files() if not file.parts[0].startswith(".")}
    assert tops - FOLDERS - FILES == set()


def test_no_machine_and_no_registry_shows_through() -> None:
    found = [
        f"{file}:{number}: {match[0]}"
        for file in project_files()
        if file.suffix in TEXTS and file.name != "test_tree.py"
        for number, line in enumerate(text_of(file).splitlines(), start=1)
        if (match := MACHINE.search(line))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [*LOCKS, "systemd/requirements-board.txt"])
def test_every_locked_package_has_its_hashes(name: str) -> None:
    blocks = re.split(r"^(?=[a-zA-Z0-9])", (ROOT / name).read_text(), flags=re.MULTILINE)[1:]
    assert blocks
    for block in blocks:
        assert re.match(r"[a-zA-Z0-9._-]+==\S+ \\\n", block), block.splitlines()[0]
        assert "--hash=sha256:" in block


def test_the_locks_agree_on_every_version() -> None:
    dev = _versions("requirements-dev.txt")
    for name in LOCKS:
        for package, version in _versions(name).items():
            assert dev[package] == version, f"{name}: run .ci/lock"


def _versions(name: str) -> dict[str, str]:
    return dict(re.findall(r"^(\S+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", [".ci/run", ".ci/lock", "tests/all.sh", "tests/demo.sh"])
def test_commands_can_be_run(name: str) -> None:
    assert (ROOT / name).stat().st_mode & stat.S_IXUSR
    assert (ROOT / name).read_text().startswith("#!/bin/sh\n")
