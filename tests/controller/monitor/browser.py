"""A headless Chromium in the hand of a test, over its own debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "no chromium: on Debian run `sudo apt-get install chromium`"
START_S_MAX = 60.0
ANSWER_S_MAX = 60.0
# Letters stay clear, and a wall of 3840 pixels stays below 300 kB.
WEBP_QUALITY = 25
MESSAGE_OCTETS_MAX = 64 * 1024 * 1024


class Browser:
    """One page. `console` has what scripts threw and what the page's policy refused."""

    def __init__(self, socket: ClientConnection, session: str) -> None:
        self._socket = socket
        self._session = session
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.console: list[str] = []

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """One command of the protocol."""
        self._number += 1
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = answered
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        await self._socket.send(json.dumps(message))
        answer = await asyncio.wait_for(answered, ANSWER_S_MAX)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    async def listen(self) -> None:
        """Take what the browser says, until cancelled."""
        async for octets in self._socket:
            message = json.loads(octets)
            waiting = self._waiting.pop(message.get("id", 0), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            elif message.get("method") == "Runtime.exceptionThrown":
                self.console.append(json.dumps(message["params"]["exceptionDetails"])[:500])
            elif message.get("method") == "Log.entryAdded":
                self.console.append(str(message["params"]["entry"]["text"])[:500])

    async def attach(self) -> None:
        """Open a page and speak to it from now on."""
        target = await self.call("Target.createTarget", url="about:blank")
        attached = await self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            await self.call(f"{domain}.enable")

    async def go(self, url: str) -> None:
        """Load a page."""
        await self.call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def value(self, expression: str) -> Any:
        """What a script's expression is, in the page."""
        answer = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, expression: str, seconds: float = 30.0) -> float:
        """Wait until it holds in the page; gives the seconds that it took."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        while not await self.value(f"Boolean({expression})"):
            if loop.time() - began_s > seconds:
                shown = await self.value("document.body.innerText.slice(0, 2000)")
                raise AssertionError(f"{expression}: not within {seconds} s; {shown}")
            await asyncio.sleep(0.02)
        return loop.time() - began_s

    async def text(self, selector: str) -> str:
        """The text of the first node that a selector finds."""
        return str(await self.value(f"document.querySelector({json.dumps(selector)}).innerText"))

    async def press(self, key: str, code: int = 0) -> None:
        """One key, down and up."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                **({"text": text} if text and kind == "keyDown" else {}),
            )  # fmt: skip

    async def size(self, width: int, height: int) -> None:
        """The window's size in pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    async def picture(self, file: Path) -> None:
        """What is seen now, as PNG or, smaller, as WebP."""
        kind = file.suffix.removeprefix(".")
        more = {"quality": WEBP_QUALITY} if kind == "webp" else {}
        answer = await self.call("Page.captureScreenshot", format=kind, **more)
        file.write_bytes(base64.b64decode(answer["data"]))


@contextlib.asynccontextmanager
async def browsing(home: Path) -> AsyncIterator[Browser]:
    """A browser for the body's duration, with its profile in `home`."""
    assert PROGRAM is not None, MISSING
    profile = home / "chromium"
    (profile / "DevToolsActivePort").unlink(missing_ok=True)
    log = (home / "chromium.log").open("ab")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}",
        "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--hide-scrollbars", "--force-color-profile=srgb", *root, "about:blank",
        stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
        env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)},
    )  # fmt: skip
    log.close()
    try:
        port, path = await _address_of(profile / "DevToolsActivePort")
        url = f"ws://127.0.0.1:{port}{path}"
        async with connect(url, max_size=MESSAGE_OCTETS_MAX, ping_interval=None) as socket:
            browser = Browser(socket, "")
            listening = asyncio.create_task(browser.listen())
            await browser.attach()
            yield browser
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _address_of(file: Path) -> tuple[str, str]:
    """Port and path of the debugging protocol, once the browser has written them."""
    async with asyncio.timeout(START_S_MAX):
        while True:
            with contextlib.suppress(OSError):
                lines = file.read_text().splitlines()
                if len(lines) >= 2:
                    return lines[0], lines[1]
            await asyncio.sleep(0.05)
