"""The page's server: a handful of routes; the only file that knows the web framework.

Nothing that a table says is ever made into HTML: the page is files as they are, all the rest is
JSON that the page's script shows as text.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.clock import Clock
from controller.core.codec import canonical
from controller.messages import Json
from controller.monitor.gate import COOKIE, SESSION_S, Gate, is_own_request
from controller.monitor.speaker import Speaker
from controller.monitor.wall import Wall

# A burst of events shows its last state; people see no difference below this.
GATHER_S = 0.1
# A page that heard nothing for three of these says that it is blind.
BEAT_S = 5.0
# A wall of screens and every desk of a large room; each costs a socket and a set of names.
BROWSERS_MAX = 64
CONNECTIONS_MAX = 256
BODY_OCTETS_MAX = 4_096
END_S_MAX = 2
PAGE = {
    "monitor.css": "text/css", "monitor.svg": "image/svg+xml", "monitor.js": "text/javascript",
    "tiles.js": "text/javascript", "alarms.js": "text/javascript", "detail.js": "text/javascript",
    "words.js": "text/javascript",
}  # fmt: skip
# Nothing from another host, nothing inline, no frame around it, no text that becomes markup.
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
# What needs no session: the way in, and how it looks.
OPEN_PATHS = frozenset(("/enter", "/monitor.css", "/monitor.svg"))


class MonitorServer:
    """The routes over a wall, a gate and, where somebody may acknowledge, a speaker."""

    def __init__(
        self, wall: Wall, gate: Gate, speaker: Speaker | None, clock: Clock, *, secure: bool
    ) -> None:
        """`secure`: served over TLS, so that the session's cookie never leaves it."""
        self._wall = wall
        self._gate = gate
        self._speaker = speaker
        self._clock = clock
        self._secure = secure
        self._ending = asyncio.Event()
        routes = [
            Route("/", self._page_of("index.html", "text/html")),
            Route("/enter", self._page_of("enter.html", "text/html"), methods=["GET"]),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/stream", self._stream),
            Route("/tables/{table}", self._detail),
            Route("/acknowledge", self._acknowledge, methods=["POST"]),
            *(Route(f"/{name}", self._page_of(name, kind)) for name, kind in PAGE.items()),
        ]
        self.app: ASGIApp = _Door(Starlette(routes=routes), gate, clock)

    async def serve(
        self, sock: socket.socket, certificate: Path | None = None, key: Path | None = None
    ) -> None:
        """Serve on a socket that listens, until `end`."""
        config = uvicorn.Config(
            self.app, log_config=None, access_log=False, server_header=False, lifespan="off",
            proxy_headers=False, ws="none", http="h11", loop="asyncio",
            limit_concurrency=CONNECTIONS_MAX, timeout_graceful_shutdown=END_S_MAX,
            ssl_certfile=certificate, ssl_keyfile=key,
        )  # fmt: skip
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait((serving, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            self._ending.set()
            server.should_exit = True
            await serving

    def end(self) -> None:
        """Let every browser go and stop."""
        self._ending.set()

    async def ended(self) -> None:
        """Wait until somebody calls `end`."""
        await self._ending.wait()

    # ---- routes ---------------------------------------------------------------------------
    def _page_of(self, name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
        body = (files("controller.monitor") / "page" / name).read_bytes()

        async def page(request: Request) -> Response:
            return Response(body, media_type=kind)

        return page

    async def _enter(self, request: Request) -> Response:
        form = parse_qs((await _body(request)).decode("ascii", "replace"), max_num_fields=4)
        session = self._gate.enter(form.get("token", [""])[0], self._now_s())
        if session is None:
            return RedirectResponse("/enter?again=1", 303)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            COOKIE, session, max_age=SESSION_S, httponly=True, samesite="strict",
            secure=self._secure,
        )  # fmt: skip
        return answer

    async def _detail(self, request: Request) -> Response:
        body = self._wall.detail(request.path_params["table"], self._clock.wall_ms())
        if body is None:
            return _refused(404, "this table is not known here")
        return Response(body, media_type="application/json")

    async def _acknowledge(self, request: Request) -> Response:
        if not is_own_request(request.headers):
            return _refused(403, "a command comes from this page alone")
        if self._speaker is None:
            return _refused(403, "this monitor only looks on: it was started without --as")
        try:
            said = json.loads(await _body(request))
            table, alarm = said["table"], said["alarm"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return _refused(400, "expected table and alarm")
        if not (isinstance(table, str) and isinstance(alarm, str)):
            return _refused(400, "expected table and alarm as texts")
        if not self._wall.has_alarm(table, alarm):
            return _refused(409, "this alarm is not open any more")
        return JSONResponse(await self._speaker.acknowledge(table, alarm))

    async def _stream(self, request: Request) -> Response:
        if self._wall.browsers >= BROWSERS_MAX:
            return _refused(503, f"{BROWSERS_MAX} browsers look on already; close one")
        return StreamingResponse(self._news(), media_type="text/event-stream")

    async def _news(self) -> AsyncIterator[bytes]:
        gaze = self._wall.look()
        loop = asyncio.get_running_loop()
        try:
            principal = None if self._speaker is None else self._speaker.principal
            hello: dict[str, Json] = {"principal": principal, "beat_s": int(BEAT_S)}
            yield b"retry: 1000\nevent: hello\ndata: " + canonical(hello) + b"\n\n"
            told_s = 0.0
            while not self._ending.is_set():
                news = self._wall.news(gaze, self._clock.wall_ms())
                if news is not None:
                    told_s = loop.time()
                    yield b"event: news\ndata: " + news + b"\n\n"
                elif loop.time() - told_s >= BEAT_S:
                    told_s = loop.time()
                    beat = canonical({"now": self._clock.wall_ms()})
                    yield b"event: beat\ndata: " + beat + b"\n\n"
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(GATHER_S):
                        await self._ending.wait()
        finally:
            self._wall.leave(gaze)

    def _now_s(self) -> int:
        return self._clock.mono_ns() // 1_000_000_000


class _Door:
    """Lets in who may come, and gives every answer the headers that keep others out."""

    def __init__(self, app: ASGIApp, gate: Gate, clock: Clock) -> None:
        self._app = app
        self._gate = gate
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope, receive)
        answer = self._app if (verdict := self._verdict(request)) is None else verdict
        with contextlib.suppress(ClientDisconnect):
            await answer(scope, receive, guarded)

    def _verdict(self, request: Request) -> Response | None:
        if not self._gate.knows_name(request.headers.get("host", "")):
            return _refused(421, "this page is not served by that name; --host adds one")
        if request.url.path in OPEN_PATHS:
            return None
        cookies = request.headers.get("cookie", "")
        if self._gate.admits(cookies, self._clock.mono_ns() // 1_000_000_000):
            return None
        if request.method == "GET" and request.url.path == "/":
            return RedirectResponse("/enter", 303)
        return _refused(401, "enter the token first")


class _Server(uvicorn.Server):
    """Signals belong to the verb."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield


async def _body(request: Request) -> bytes:
    """The body, cut where it is longer than anything that the page sends."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_OCTETS_MAX:
            return b""
    return body


def _refused(code: int, reason: str) -> Response:
    return JSONResponse({"result": "refused", "reason": reason, "rule": ""}, code)
