"""Fixtures of the MQTT room: a real broker for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mqtt.mosquitto import MISSING, Mosquitto, program
from tests.mqtt.site import Site


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say in words what to install, once, instead of failing in forty places."""
    try:
        program("mosquitto")
    except RuntimeError:
        pytest.exit(MISSING, returncode=1)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """An anonymous broker that runs."""
    one = Mosquitto(tmp_path)
    one.start()
    yield one
    one.stop()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site with an authority and nobody in it yet."""
    return Site(tmp_path)
