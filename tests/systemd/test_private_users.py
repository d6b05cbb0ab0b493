"""`PrivateUsers=yes` hides the names of the account's groups, not what they may open."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ACCOUNT, GROUP_OF_PORTS, NOBODY = 990, 20, 65_534
# As systemd does it: groups first, then a user namespace that maps root and the account alone, then
# the account. `os.unshare` comes with Python 3.12 only.
SANDBOX = f"""
import ctypes, os, sys
os.setgroups([{GROUP_OF_PORTS}])
os.setresgid({ACCOUNT}, {ACCOUNT}, {ACCOUNT})
asked, answer = os.pipe()
main = os.getpid()
outside = os.fork()
if outside == 0:
    os.read(asked, 1)
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{{main}}/{{name}}", "w") as file:
            file.write("0 0 1\\n{ACCOUNT} {ACCOUNT} 1\\n")
    os._exit(0)
if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0:
    os.kill(outside, 9)
    raise SystemExit("no user namespace")
os.write(answer, b"x")
os.waitpid(outside, 0)
os.setresuid({ACCOUNT}, {ACCOUNT}, {ACCOUNT})
print(os.getgroups())
for path in sys.argv[1:]:
    try:
        open(path, "r+").close()
        print("opened")
    except PermissionError:
        print("refused")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that the account may walk through; pytest's own are their owner's alone."""
    with tempfile.TemporaryDirectory() as name:
        one = Path(name)
        one.chmod(0o711)
        yield one


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may map other users into a namespace")
def test_a_port_of_the_group_opens_and_another_does_not(folder: Path) -> None:
    files = {"port": GROUP_OF_PORTS, "of-another-group": GROUP_OF_PORTS + 1}
    for name, group in files.items():
        file = folder / name
        file.touch()
        os.chown(file, 0, group)
        file.chmod(0o660)
    done = subprocess.run(
        [sys.executable, "-I", "-c", SANDBOX, *(str(folder / name) for name in files)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "no user namespace" in done.stderr:
        pytest.skip("this kernel or container gives no user namespaces")
    assert done.stdout.splitlines() == [f"[{NOBODY}]", "opened", "refused"], done.stderr
