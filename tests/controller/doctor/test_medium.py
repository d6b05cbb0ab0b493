"""What a folder lies on, read from a kernel's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.doctor.medium import Medium, Mount, medium_of, mount_of

MOUNTS = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw,barrier=0
23 22 0:21 / /dev/shm rw,nosuid - tmpfs tmpfs rw
24 22 8:1 / /srv/a\\040disk rw - ext4 /dev/sda1 rw
nonsense
25 22 0:40 / /srv/share rw - nfs4 server:/x rw,vers=4.2
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(MOUNTS)
    for disk, number, turns, cache in (
        ("mmcblk0", "179:2", "0", "write through"), ("sda", "8:1", "1", "write back"),
    ):  # fmt: skip
        folder = tmp_path / "sys/block" / disk
        (folder / "queue").mkdir(parents=True)
        (folder / "queue/rotational").write_text(f"{turns}\n")
        (folder / "queue/write_cache").write_text(f"{cache}\n")
        (folder / f"{disk}1").mkdir()
        (tmp_path / "sys/dev/block").mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys/dev/block" / number).symlink_to(folder / f"{disk}1")
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "kind", "medium"),
    [
        ("/var/lib/x", "ext4", Medium("mmcblk0", False, False)),
        ("/srv/a disk/x", "ext4", Medium("sda", True, True)),
        ("/srv/share", "nfs4", None),
        ("/dev/shm/x", "tmpfs", None),
    ],
)
def test_the_deepest_mount_counts_and_a_partition_is_its_disks(
    root: Path, folder: str, kind: str, medium: Medium | None
) -> None:
    mount = mount_of(Path(folder), root)
    assert mount is not None
    assert mount.kind == kind
    assert medium_of(mount, root) == medium


def test_options_of_mount_and_file_system_are_both_known(root: Path) -> None:
    mount = mount_of(Path("/"), root)
    assert mount is not None
    assert {"noatime", "barrier=0", "rw"} <= mount.options


def test_cards_and_virtual_disks_are_known_by_name() -> None:
    assert Medium("mmcblk1", False, False).is_card
    assert not Medium("nvme0n1", False, True).is_card
    names = ("vda", "dm-0", "sda", "mmcblk0")
    hidden = [name for name in names if Medium(name, False, False).is_virtual]
    assert hidden == ["vda", "dm-0"]


def test_this_machine_has_mounts_and_another_may_not_tell(tmp_path: Path) -> None:
    assert isinstance(mount_of(tmp_path), Mount)
    assert mount_of(tmp_path, tmp_path) is None
