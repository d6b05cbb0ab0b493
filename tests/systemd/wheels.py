"""Which wheels a board gets: asks the package index, by the lock files, and writes the list down.

`python -m tests.systemd.wheels > systemd/package/wheels-arm64.txt` after every `.ci/lock`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.meta.sources import ROOT

LIST = ROOT / "systemd" / "package" / "wheels-arm64.txt"
# Python of a Debian -> the lock file that the package is built from (systemd/package/build.sh).
LOCKS = {"3.11": "systemd/requirements-board.txt", "3.13": "requirements.txt"}
# Debian 12 has glibc 2.36.
GLIBC = (34, 31, 28, 17)
MACHINE = "aarch64"
HEAD = "# Written by python -m tests.systemd.wheels: Python, wheel, SHA-256 of every package.\n"


def asked(python: str, lock: str) -> Iterator[str]:
    """One line a package, as the index has it now. Raises CalledProcessError where one is not."""
    tag = "cp" + python.replace(".", "")
    platforms = [f"manylinux_2_{minor}_{MACHINE}" for minor in GLIBC]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
             "--no-deps", "--require-hashes", "--only-binary", ":all:", "--implementation", "cp",
             "--python-version", python, "--target", folder, "--report", str(report),
             *(f"--abi={abi}" for abi in (tag, "abi3", "none")),
             *(f"--platform={name}" for name in (*platforms, f"manylinux2014_{MACHINE}")),
             "--requirement", str(ROOT / lock)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        found = json.loads(report.read_text())["install"]
    for one in sorted(found, key=lambda one: str(one["metadata"]["name"]).lower()):
        source = one["download_info"]
        name = source["url"].rpartition("/")[2].partition("#")[0]
        yield f"{python} {name} {source['archive_info']['hashes']['sha256']}\n"


def whole_list() -> str:
    """The file as it would be written now."""
    return HEAD + "".join(line for python, lock in LOCKS.items() for line in asked(python, lock))


if __name__ == "__main__":
    sys.stdout.write(whole_list())
