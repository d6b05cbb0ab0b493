"""Who may use the page: this machine, or whoever has the token; never a page of another site."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.monitor.gate import (
    COOKIE,
    LOOPBACK_NAMES,
    SESSION_S,
    SESSIONS_MAX,
    TOKEN_CHARACTERS_MAX,
    TOKEN_CHARACTERS_MIN,
    BadToken,
    Gate,
    is_loopback,
    is_own_request,
    token_of,
)

TOKEN = "0123456789abcdef" * 2
OWN = {"x-table-monitor": "1", "host": "127.0.0.1:8650"}


@pytest.mark.parametrize(
    ("host", "inside"),
    [("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("10.0.0.5", False), ("room", False)],
)  # fmt: skip
def test_loopback_is_told_from_the_rest(host: str, inside: bool) -> None:
    assert is_loopback(host) is inside


@pytest.mark.parametrize(
    ("host", "known"),
    [("127.0.0.1:8650", True), ("localhost", True), ("[::1]:8650", True), ("evil.example", False),
     ("", False), ("[::1", False), ("127.0.0.1.evil.example", False)],
)  # fmt: skip
def test_a_name_that_was_made_to_lead_here_is_not_served(host: str, known: bool) -> None:
    assert Gate(None, LOOPBACK_NAMES).knows_name(host) is known
    assert Gate(TOKEN, None).knows_name("any.example")


@pytest.mark.parametrize(
    ("more", "own"),
    [
        ({}, True),
        ({"origin": "http://127.0.0.1:8650"}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"x-table-monitor": ""}, False),
    ],
)
def test_a_command_comes_from_our_own_page(more: dict[str, str], own: bool) -> None:
    assert is_own_request({**OWN, **more}) is own


def test_a_session_is_given_for_the_token_and_ends_with_the_watch() -> None:
    gate = Gate(TOKEN, None)
    assert gate.enter("wrong", 10) is None
    session = gate.enter(TOKEN, 10)
    assert session is not None
    cookie = f"other=1; {COOKIE}={session}"
    assert gate.admits(cookie, 10 + SESSION_S - 1)
    assert not gate.admits(cookie, 10 + SESSION_S)
    for wrong in ("", f"{COOKIE}=x", f"{COOKIE}", "\x00=\x01"):
        assert not gate.admits(wrong, 10)
    assert gate.asks_for_token


def test_the_oldest_session_goes_where_there_are_too_many() -> None:
    gate = Gate(TOKEN, None)
    first = gate.enter(TOKEN, 0)
    second = gate.enter(TOKEN, 0)
    for _ in range(SESSIONS_MAX - 1):
        gate.enter(TOKEN, 0)
    assert not gate.admits(f"{COOKIE}={first}", 1)
    assert gate.admits(f"{COOKIE}={second}", 1)


def test_without_a_token_this_machine_may_look() -> None:
    gate = Gate(None, LOOPBACK_NAMES)
    assert gate.admits("", 0)
    assert gate.enter("", 0) is None
    assert not gate.asks_for_token


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * (TOKEN_CHARACTERS_MIN - 1), "expected 32 to 512"),
        ("x" * (TOKEN_CHARACTERS_MAX + 1), "expected 32 to 512"),
        ("x" * 20 + "\n" + "y" * 20, "expected 32 to 512"),
    ],
)
def test_a_token_that_can_be_guessed_is_refused(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(BadToken, match=words) as caught:
        token_of(file)
    assert text[:10] not in str(caught.value)


def test_a_token_is_read_and_must_be_private(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with pytest.raises(BadToken, match="No such file"):
        token_of(file)
    file.write_text(TOKEN + "\n")
    file.chmod(0o640)
    assert token_of(file) == TOKEN
    file.chmod(0o644)
    with pytest.raises(BadToken, match="chmod"):
        token_of(file)
    file.chmod(0o600)
    file.write_bytes(b"\xff" * 40)
    with pytest.raises(BadToken, match="not ASCII"):
        token_of(file)
