"""Who may use the page: names that it is asked for by, origins of its commands, token, sessions.

The page can acknowledge as a person. So it is open without a token on this machine alone, and even
there not to pages of other sites that a browser has open. Pure but for the token's file.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

# 128 bits as hexadecimal digits: nobody tries so many.
TOKEN_CHARACTERS_MIN = 32
TOKEN_CHARACTERS_MAX = 512
# A watch of surveillance lasts eight hours; nobody enters the token in the middle of one.
SESSION_S = 12 * 3600
SESSIONS_MAX = 256
COOKIE = "table-monitor"
# A header that a form or a link of another site cannot send.
OWN_HEADER = "x-table-monitor"
LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))


class BadToken(ValueError):
    """A token's file that cannot serve; the message says why, never what it holds."""


def is_loopback(host: str) -> bool:
    """Whether nobody beyond this machine can reach what listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_of(path: Path) -> str:
    """The token that a file holds. Raises BadToken."""
    try:
        mode = path.stat().st_mode
        with path.open(encoding="ascii") as file:
            token = file.read(TOKEN_CHARACTERS_MAX + 1).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not ASCII"
        raise BadToken(f"{path}: {reason}") from None
    if mode & 0o007:
        raise BadToken(f"{path}: others may read or write it; chmod o-rwx")
    if not TOKEN_CHARACTERS_MIN <= len(token) <= TOKEN_CHARACTERS_MAX or not token.isprintable():
        raise BadToken(
            f"{path}: expected {TOKEN_CHARACTERS_MIN} to {TOKEN_CHARACTERS_MAX} printable "
            "characters, such as those of `openssl rand -hex 32`"
        )
    return token


class Gate:
    """`token` None: whoever may open a connection may look. `names` None: any name serves."""

    def __init__(self, token: str | None, names: frozenset[str] | None) -> None:
        self._token = token
        self._names = names
        self._sessions: OrderedDict[str, int] = OrderedDict()

    @property
    def asks_for_token(self) -> bool:
        """Whether a browser has to enter first."""
        return self._token is not None

    def knows_name(self, host: str) -> bool:
        """Whether the page is asked for by its own name: another site's name that was made to
        lead here (DNS rebinding) would share its cookies and scripts with us."""
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return self._names is None or name in self._names

    def admits(self, cookies: str, now_s: int) -> bool:
        """Whether a browser entered before, by its cookies."""
        if self._token is None:
            return True
        try:
            said = SimpleCookie(cookies).get(COOKIE)
        except CookieError:
            return False
        until_s = 0 if said is None else self._sessions.get(said.value, 0)
        return now_s < until_s

    def enter(self, token: str, now_s: int) -> str | None:
        """A new session for the right token, else None."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions[session] = now_s + SESSION_S
        if len(self._sessions) > SESSIONS_MAX:
            self._sessions.popitem(last=False)
        return session


def is_own_request(headers: Mapping[str, str]) -> bool:
    """Whether a command comes from our own page and not from a site that is open beside it."""
    if headers.get(OWN_HEADER) != "1":
        return False
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")
