"""An emulated machine: QEMU as a process, a root shell in it, adapters to plug, and its supply."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
from dataclasses import dataclass, field
from pathlib import Path

from tests.machine.image import HAND_PORT, SHELL_PORT, Image

PROGRAM = "qemu-system-x86_64"
# An emulated processor on a busy host.
UP_S_MAX = 1_800.0
DOWN_S_MAX = 120.0
ANSWER_S_MAX = 120.0
AGAIN_S = 0.5
MEMORY_MB = 768


def free_port() -> int:
    """A port of this host that nobody has."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


@dataclass(slots=True)
class Machine:
    """One machine; `plugged` adapters are in it when its supply comes on."""

    image: Image
    home: Path
    plugged: set[str] = field(default_factory=set)
    lines: dict[str, int] = field(default_factory=dict)
    starts: int = 0
    shell_port: int = field(default_factory=free_port)
    hand_port: int = field(default_factory=free_port)
    _process: asyncio.subprocess.Process | None = None

    @property
    def console(self) -> Path:
        """Everything that the machine said, over all starts."""
        return self.home / "console.log"

    def line(self, name: str) -> int:
        """The TCP port that a simulated device speaks to, as its end of the serial line."""
        return self.lines.setdefault(name, free_port())

    async def start(self) -> None:
        """Switch the supply on."""
        self.starts += 1
        with self.console.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *_guard(), PROGRAM, *self._arguments(),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    async def cut(self) -> None:
        """The supply fails: what was not on the disk is lost."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        self._process = None

    async def off(self) -> None:
        """An orderly end."""
        assert self._process is not None
        with contextlib.suppress(OSError, TimeoutError):
            await self.run("systemctl poweroff")
        async with asyncio.timeout(DOWN_S_MAX):
            await self._process.wait()
        self._process = None

    async def close(self) -> None:
        """Whatever still runs is ended."""
        if self._process is not None:
            await self.cut()

    async def run(self, script: str) -> str:
        """What the root shell inside answers."""
        async with asyncio.timeout(ANSWER_S_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.shell_port)
            try:
                writer.write(f"{script}\nexit\n".encode())
                await writer.drain()
                return (await reader.read()).decode(errors="replace")
            finally:
                writer.close()

    async def until(self, script: str, wanted: str) -> str:
        """Ask again until the answer has `wanted`; the answer."""
        answer = ""
        try:
            async with asyncio.timeout(UP_S_MAX):
                while wanted not in answer:
                    with contextlib.suppress(OSError, TimeoutError):
                        answer = await self.run(script)
                    await asyncio.sleep(AGAIN_S)
        except TimeoutError:
            raise AssertionError(f"{script}: no {wanted!r} in {answer[-2000:]!r}") from None
        return answer

    async def plug(self, name: str) -> None:
        """Plug an adapter into the running machine."""
        await self._monitor("device_add", driver="usb-serial", id=f"usb-{name}", chardev=name,
                            serial=f"SIM-{name.upper()}", bus="usb.0")  # fmt: skip

    async def pull(self, name: str) -> None:
        """Pull it out."""
        await self._monitor("device_del", id=f"usb-{name}")

    async def _monitor(self, command: str, **arguments: str) -> None:
        reader, writer = await asyncio.open_unix_connection(self.home / "monitor")
        try:
            for name, members in (("qmp_capabilities", {}), (command, arguments)):
                writer.write(json.dumps({"execute": name, "arguments": members}).encode())
                answer: dict[str, object] = {}
                while not {"return", "error"} & answer.keys():
                    answer = json.loads(await reader.readline())
                assert "error" not in answer, answer
        finally:
            writer.close()

    def _arguments(self) -> list[str]:
        image = self.image
        doors = f"hostfwd=tcp:127.0.0.1:{self.shell_port}-:{SHELL_PORT}"
        doors += f",hostfwd=tcp:127.0.0.1:{self.hand_port}-:{HAND_PORT}"
        words = [
            "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", f"{MEMORY_MB}M",
            # Time inside is the host's: by instructions (-icount) it would fall behind on a busy
            # host, and a table refuses what people say with a clock that is minutes ahead.
            "-display", "none", "-nodefaults", "-no-reboot", "-serial", "stdio",
            "-kernel", str(image.kernel), "-initrd", str(image.initrd),
            "-append", "root=/dev/vda rw console=ttyS0 panic=-1 net.ifnames=0",
            "-drive", f"file={image.disk},format=raw,if=virtio",
            "-netdev", f"user,id=net,{doors}", "-device", "virtio-net-pci,netdev=net,romfile=",
            "-device", "virtio-rng-pci", "-device", "qemu-xhci,id=usb",
            "-qmp", f"unix:{self.home / 'monitor'},server=on,wait=off",
        ]  # fmt: skip
        for name, port in self.lines.items():
            words += [
                "-chardev", f"socket,id={name},host=127.0.0.1,port={port},server=on,wait=off",
            ]  # fmt: skip
            if name in self.plugged:
                words += [
                    "-device",
                    f"usb-serial,id=usb-{name},chardev={name},serial=SIM-{name.upper()},bus=usb.0",
                ]
        return words


def _guard() -> list[str]:
    """What ends the machine where the test itself is killed."""
    guard = shutil.which("setpriv")
    return [] if guard is None else [guard, "--pdeathsig", "KILL"]
