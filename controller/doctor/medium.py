"""What a folder lies on: mount, file system and medium, as the kernel tells. Nothing is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("proc/self/mountinfo")
BLOCK = Path("sys/dev/block")
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Medium:
    """A block device; `rotates`: a turning disk; `caches`: its own cache is told to write back."""

    name: str
    rotates: bool
    caches: bool

    @property
    def is_card(self) -> bool:
        """A memory card or an eMMC chip."""
        return self.name.startswith("mmcblk")

    @property
    def is_virtual(self) -> bool:
        """Another machine's promise: what lies below cannot be seen from here."""
        return self.name.startswith(("vd", "xvd", "nbd", "loop", "dm-"))


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system; `options` are those of the mount and of the file system."""

    point: Path
    kind: str
    source: str
    options: frozenset[str]
    device: str


def mount_of(folder: Path, root: Path = Path("/")) -> Mount | None:
    """The mount that `folder` lies on; None where the kernel does not tell."""
    try:
        lines = (root / MOUNTS).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    folder = folder.resolve()
    # The last of two at one place hides the first.
    found = None
    for line in lines:
        mount = _parsed(line)
        if mount is not None and folder.is_relative_to(mount.point):
            deeper = found is None or len(mount.point.parts) >= len(found.point.parts)
            found = mount if deeper else found
    return found


def _parsed(line: str) -> Mount | None:
    """`36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=…` (proc(5))."""
    before, dash, after = line.partition(" - ")
    words, rest = before.split(" "), after.split(" ")
    if not dash or len(words) < 6 or len(rest) < 3:
        return None
    point = _OCTAL.sub(lambda code: chr(int(code[1], 8)), words[4])
    options = frozenset((*words[5].split(","), *rest[2].split(",")))
    return Mount(Path(point), rest[0], rest[1], options, words[2])


def medium_of(mount: Mount, root: Path = Path("/")) -> Medium | None:
    """The disk below a mount; None where there is none of its own (overlay, network, memory)."""
    block = root / BLOCK / mount.device
    if not block.exists():
        return None
    block = block.resolve()
    # A partition has no queue; its disk, the folder above, has.
    disk = block if (block / "queue").is_dir() else block.parent
    queue = disk / "queue"
    if not queue.is_dir():
        return None
    return Medium(
        disk.name, _word(queue / "rotational") == "1", _word(queue / "write_cache") == "write back"
    )


def _word(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
