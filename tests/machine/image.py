"""The disk of an emulated machine: Debian 13 with the package installed and one table's file.

Made by mmdebstrap and mke2fs as root. The bare Debian is kept below `build/`, because it takes
minutes; package, table and disk are new each time.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.meta.sources import ROOT

KEPT = ROOT / "build" / "machine"
RELEASE = "trixie"
PACKAGES = (
    "systemd", "systemd-sysv", "udev", "dbus", "python3", "kmod", "iproute2", "linux-image-amd64",
    "initramfs-tools", "zstd",
)  # fmt: skip
# What the kernel must find its disk with; everything else comes from the disk.
MODULES = ("virtio_pci", "virtio_blk", "ext4")
DISK_MB = 2_500
# Ports inside of the machine: a root shell for the test, and the hand at the panel.
SHELL_PORT, HAND_PORT = 7001, 7000
TABLE = "demo"
UNIT = f"table-controller@{TABLE}.service"
# Where QEMU's own network puts the host: the broker's address.
BROKER_HOST = "10.0.2.2"

# What a table needs nothing of; each costs an emulated processor seconds at every start.
IDLE = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "getty.target",
    "systemd-networkd.service", "systemd-networkd.socket", "systemd-logind.service",
    "systemd-pstore.service",
    "sys-kernel-debug.mount", "sys-kernel-tracing.mount", "dev-hugepages.mount",
    "dev-mqueue.mount", "sys-fs-fuse-connections.mount", "modprobe@drm.service",
    "modprobe@fuse.service", "modprobe@efi_pstore.service", "mosquitto.service",
)  # fmt: skip

NETWORK = f"""[Unit]
After=systemd-modules-load.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0'
ExecStart=/bin/sh -c 'ip route add default via {BROKER_HOST}'
[Install]
WantedBy=multi-user.target
"""
EMULATED_S_MAX = 600
# What a technician would write: where the broker is, and that no certificates are used here; and
# that this bench table may be pressed at, which takes a listening socket. An emulated processor on
# a busy host takes ten times as long as a board.
DROP_IN = f"""[Service]
LoadCredential=
IPAddressAllow={BROKER_HOST}
SystemCallFilter=listen accept accept4
TimeoutStartSec={EMULATED_S_MAX}
WatchdogSec={EMULATED_S_MAX}
"""
SHELL_SOCKET = f"""[Socket]
ListenStream={SHELL_PORT}
Accept=yes
[Install]
WantedBy=sockets.target
"""
SHELL = """[Service]
ExecStart=-/bin/sh
StandardInput=socket
StandardError=socket
"""
HAND_SOCKET = f"""[Socket]
ListenStream={HAND_PORT}
[Install]
WantedBy=sockets.target
"""
HAND = f"""[Service]
ExecStart=/usr/lib/systemd/systemd-socket-proxyd /run/table-controller/{TABLE}/hand
"""
RULES = "".join(
    f'SUBSYSTEM=="tty", ENV{{ID_SERIAL_SHORT}}=="SIM-{name.upper()}",'
    f' SYMLINK+="table/{TABLE}-{name}"\n'
    for name in ("shuffler", "shoe")
)


@dataclass(frozen=True, slots=True)
class Image:
    """What QEMU starts: a disk, and kernel and first disk beside it."""

    disk: Path
    kernel: Path
    initrd: Path


def image_of(package: Path, config: str, home: Path) -> Image:
    """A machine with this package and this table's file, below `home`."""
    root = home / "root"
    subprocess.run(["cp", "-a", "--reflink=auto", str(_debian()), str(root)], check=True)
    shutil.copy(package, root / "tmp" / "table-controller.deb")
    _inside(root, "dpkg", "--install", "/tmp/table-controller.deb")
    for name, text in _files(config).items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with (root / "etc/udev/rules.d/90-table-devices.rules").open("a") as rules:
        rules.write(RULES)
    _inside(root, "systemctl", "enable", UNIT, "network-of-machine", "shell.socket", "hand.socket")
    _inside(root, "systemctl", "mask", *IDLE)
    kernel, initrd = (next((root / "boot").glob(f"{name}-*")) for name in ("vmlinuz", "initrd.img"))
    image = Image(home / "disk.img", home / "vmlinuz", home / "initrd")
    shutil.copy(kernel, image.kernel)
    shutil.copy(initrd, image.initrd)
    subprocess.run(
        ["mke2fs", "-q", "-F", "-t", "ext4", "-d", str(root), str(image.disk), f"{DISK_MB}M"],
        check=True,
    )
    shutil.rmtree(root)
    return image


def _files(config: str) -> dict[str, str]:
    units = "etc/systemd/system"
    return {
        f"etc/table-controller/{TABLE}.toml": config,
        # The disk's driver is in the first disk; the network's comes before its unit.
        "etc/modules-load.d/machine.conf": "virtio_net\n",
        f"{units}/network-of-machine.service": NETWORK,
        f"{units}/{UNIT}.d/machine.conf": DROP_IN,
        f"{units}/shell.socket": SHELL_SOCKET,
        f"{units}/shell@.service": SHELL,
        f"{units}/hand.socket": HAND_SOCKET,
        f"{units}/hand.service": HAND,
        "etc/fstab": "/dev/vda / ext4 defaults 0 1\n",
        "etc/hostname": "machine\n",
        # Not the first start: nothing is to be set up.
        "etc/machine-id": f"{'7' * 32}\n",
    }


def _debian() -> Path:
    """Debian without anything of ours, made once."""
    bare = KEPT / RELEASE
    if bare.exists():
        return bare
    KEPT.mkdir(parents=True, exist_ok=True)
    making = KEPT / f"{RELEASE}.new"
    shutil.rmtree(making, ignore_errors=True)
    # The first disk holds these modules and no others: it is read through an emulated processor.
    small = (
        'sed -i s/^MODULES=.*/MODULES=list/ "$1/etc/initramfs-tools/initramfs.conf"; '
        f'printf "%s\\n" {" ".join(MODULES)} >>"$1/etc/initramfs-tools/modules"; '
        'chroot "$1" update-initramfs -u'
    )
    subprocess.run(
        ["mmdebstrap", "--variant=minbase", "--mode=root", "--format=directory", "--quiet",
         f"--include={','.join(PACKAGES)}", f"--customize-hook={small}", RELEASE, str(making)],
        check=True,
    )  # fmt: skip
    making.rename(bare)
    return bare


def _inside(root: Path, *command: str) -> None:
    # In a space of mounts of its own, so that nothing stays mounted whatever happens.
    enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", enter, str(root), *command],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"


def copy_out(image: Image, inside: str, outside: Path) -> None:
    """A file of a machine that is off."""
    subprocess.run(
        ["debugfs", "-R", f"dump {inside} {outside}", str(image.disk)],
        capture_output=True, check=True,
    )  # fmt: skip
