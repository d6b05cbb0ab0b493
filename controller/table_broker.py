"""The broker that a table's file names."""

from __future__ import annotations

from config.settings import Settings
from controller.broker_address import BrokerAddress


def address_of(settings: Settings) -> BrokerAddress:
    """The broker of a table's file; files are read at each connection, not here."""
    mqtt = settings.mqtt
    assert mqtt is not None, "a daemon's file has an [mqtt]"
    tls = mqtt.tls
    return BrokerAddress(
        mqtt.host,
        mqtt.port_number,
        mqtt.protocol,
        tls=tls is not None,
        cafile=None if tls is None else tls.ca,
        certificate=None if tls is None else tls.certificate,
        key=None if tls is None else tls.key,
        username=mqtt.username,
        password_file=mqtt.password_file,
    )
