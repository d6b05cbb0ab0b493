"""The package of this checkout, built once, and a later one that differs in its version alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from controller import VERSION
from tests.meta.sources import ROOT

LATER = f"{VERSION}+later"


def built() -> Path:
    """The package as the documented command builds it, or one that `MACHINE_PACKAGE` names."""
    if "MACHINE_PACKAGE" in os.environ:
        return Path(os.environ["MACHINE_PACKAGE"])
    subprocess.run(["sh", "systemd/package/build.sh"], cwd=ROOT, check=True)
    packages = sorted((ROOT / "dist").glob(f"table-controller_{VERSION}_*.deb"))
    return max(packages, key=lambda file: file.stat().st_mtime)


def sha256(file: Path) -> str:
    """Of the file's content."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def later(package: Path, folder: Path) -> Path:
    """The package of a later release: its program says so."""
    root = folder / "later"
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(root)], check=True)
    for name, old, new in (
        ("DEBIAN/control", f"Version: {VERSION}", f"Version: {LATER}"),
        ("opt/table-controller/program/controller/__init__.py", f'"{VERSION}"', f'"{LATER}"'),
    ):
        file = root / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
    made = folder / "later.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--build", str(root), str(made)], check=True)
    return made
