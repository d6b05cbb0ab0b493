"""What the daemon makes of its settings; its life as a process is in tests/system."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load
from controller.broker_address import BrokerAddress
from controller.demo.stage import Stage
from controller.parts import json_of
from controller.table_broker import address_of


@pytest.mark.parametrize(
    "address",
    [
        BrokerAddress("127.0.0.1", 1884),
        BrokerAddress("127.0.0.1", 1884, "3.1.1"),
        BrokerAddress("127.0.0.1", 1884, username="table"),
        BrokerAddress(
            "broker.pit.example", 8883, tls=True, cafile=Path("/etc/ca.pem"),
            certificate=Path("/etc/t.pem"), key=Path("/etc/t.key"),
        ),
    ],
)  # fmt: skip
def test_the_broker_of_the_file_is_the_one_that_is_called(
    address: BrokerAddress, tmp_path: Path
) -> None:
    stage = Stage(tmp_path, "dj-wild", address, 1.0, 1, ())
    assert address_of(load(stage.config)) == address


def test_a_status_of_hal_is_told_as_json_and_what_is_not_json_is_left_out() -> None:
    status: dict[str, object] = {
        "link": "up", "open": True, "noise": 3, "failing": ["a"], "last": None, "other": object(),
    }  # fmt: skip
    assert json_of(status) == {
        "link": "up", "open": True, "noise": 3, "failing": ["a"], "last": None,
    }  # fmt: skip
