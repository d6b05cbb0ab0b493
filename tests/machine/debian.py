"""A clean Debian in a folder, made by mmdebstrap as root and kept below `build/` as an archive."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.meta.sources import ROOT

KEPT = ROOT / "build" / "machine"
NEEDED = ("mmdebstrap", "unshare", "dpkg-deb")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# What a board has before the package comes; mosquitto stands for the broker of the house.
PACKAGES = ("systemd", "systemd-sysv", "udev", "python3", "mosquitto")

needs_debian = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, NEEDED)),
    reason=f"a Debian in a folder needs root and {', '.join(NEEDED)} (apt-get install mmdebstrap)",
)


class Debian:
    """One release in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *command: str, user: str = "root") -> subprocess.CompletedProcess[str]:
        """What a command inside ends with; it is not asked for success."""
        # In a space of mounts of its own, so that nothing stays mounted whatever happens.
        enter = (
            'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&'
            ' mount --bind /dev/pts "$0/dev/pts" && exec chroot "$0" "$@"'
        )
        words = command if user == "root" else ("runuser", "-u", user, "--", *command)
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", enter, str(self.root), *words],
            capture_output=True, text=True, check=False, env={"PATH": PATH},
        )  # fmt: skip

    def done(self, *command: str, user: str = "root") -> str:
        """What a command inside said, errors first; it must succeed."""
        ended = self.run(*command, user=user)
        said = ended.stderr + ended.stdout
        assert ended.returncode == 0, f"{' '.join(command)}: {ended.returncode}: {said}"
        return said

    def take(self, file: Path) -> str:
        """Copy a file in; its path inside."""
        shutil.copy(file, self.root / "tmp" / file.name)
        return f"/tmp/{file.name}"


def clean(release: str, folder: Path) -> Debian:
    """A Debian in which nothing of ours was ever installed."""
    archive = KEPT / f"{release}.tar"
    if not archive.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        making = KEPT / f"{release}.new.tar"
        subprocess.run(
            ["mmdebstrap", "--variant=minbase", "--mode=root", "--quiet",
             f"--include={','.join(PACKAGES)}", release, str(making)],
            check=True,
        )  # fmt: skip
        making.rename(archive)
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", str(folder), "-f", str(archive)], check=True)
    return Debian(folder)
