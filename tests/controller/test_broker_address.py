"""Broker URLs: what is read, what is refused, and that no secret is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.broker_address import BadAddress, BrokerAddress, address_of


def test_a_bare_host_has_the_registered_port_and_mqtt_5() -> None:
    assert address_of("mqtt://localhost") == BrokerAddress("localhost", 1883)
    assert address_of("mqtts://broker").port == 8883


def test_options_user_and_ipv6_are_read() -> None:
    url = "mqtts://ann@[::1]:9?version=3.1.1&cafile=/a&cert=/b&key=/c&password-file=/d"
    assert address_of(url) == BrokerAddress(
        "::1", 9, "3.1.1", True, Path("/a"), Path("/b"), Path("/c"), "ann", Path("/d")
    )
    assert address_of(url).shown == "mqtts://[::1]:9"


@pytest.mark.parametrize(
    "url",
    [
        "broker:1883",
        "http://broker",
        "mqtt://",
        "mqtts://broker:99999",
        "mqtts://broker/path",
        "mqtts://broker?version=4",
        "mqtts://broker?speed=7",
        "mqtts://broker?version=5&version=5",
        "mqtt://localhost?cafile=/a",
        "mqtts://broker?key=/a",
    ],
)
def test_what_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        address_of(url)


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.9.9.9", True), ("[::1]", True),
        ("128.0.0.1", False), ("[::2]", False), ("broker", False), ("localhost.example", False),
    ],
)  # fmt: skip
def test_a_broker_elsewhere_is_reached_over_tls_unless_said_otherwise(
    host: str, near: bool
) -> None:
    assert not address_of(f"mqtt://{host}?plaintext=yes").tls
    with pytest.raises(BadAddress, match="only be yes"):
        address_of(f"mqtt://{host}?plaintext=no")
    if near:
        assert not address_of(f"mqtt://{host}").tls
    else:
        with pytest.raises(BadAddress, match="without TLS; use mqtts://"):
            address_of(f"mqtt://{host}")


def test_neither_repr_nor_shown_nor_an_error_holds_a_secret() -> None:
    address = address_of("mqtts://ann:canary-9@broker")
    assert address.secret() == "canary-9"
    assert "canary" not in repr(address) + address.shown
    with pytest.raises(BadAddress) as caught:
        address_of("mqtts://ann:canary-9@broker?canary=1")
    assert "canary" not in str(caught.value)


def test_a_password_file_is_read_anew_and_a_missing_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "password"
    address = BrokerAddress("broker", 1883, username="t", password_file=file)
    with pytest.raises(BadAddress, match="password"):
        address.secret()
    file.write_text("one\n")
    assert address.secret() == "one"
    file.write_text("two")
    assert address.secret() == "two"


def test_missing_certificates_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadAddress, match="nowhere"):
        BrokerAddress("broker", 8883, tls=True, cafile=tmp_path / "nowhere").tls_context()


def test_who_shows_no_certificate_over_tls_is_told_that_one_may_be_wanted() -> None:
    assert "cert= and key=" in address_of("mqtts://pit@broker?cafile=ca.crt").wanting
    assert address_of("mqtts://broker?cert=pit.crt&key=pit.key").wanting == ""
    assert address_of("mqtt://localhost").wanting == ""
