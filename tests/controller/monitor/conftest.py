"""A real broker for each test of the room's page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mqtt.mosquitto import Mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """An anonymous broker that runs."""
    one = Mosquitto(tmp_path)
    one.start()
    yield one
    one.stop()
