"""Broker URLs: what is read, what is refused, and that no secret is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.broker_address import BadAddress, BrokerAddress, address_of


def test_a_bare_host_has_the_registered_port_and_mqtt_5() -> None:
    assert address_of("mqtt://broker") == BrokerAddress("broker", 1883)
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
        "mqtt://broker:99999",
        "mqtt://broker/path",
        "mqtt://broker?version=4",
        "mqtt://broker?speed=7",
        "mqtt://broker?version=5&version=5",
        "mqtt://broker?cafile=/a",
        "mqtts://broker?key=/a",
    ],
)
def test_what_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        address_of(url)


def test_neither_repr_nor_shown_nor_an_error_holds_a_secret() -> None:
    address = address_of("mqtt://ann:canary-9@broker")
    assert address.secret() == "canary-9"
    assert "canary" not in repr(address) + address.shown
    with pytest.raises(BadAddress) as caught:
        address_of("mqtt://ann:canary-9@broker?canary=1")
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
