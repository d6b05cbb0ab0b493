"""The option that names a rig of real wires."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rig FILE`, for the tests marked `hil`."""
    parser.addoption("--rig", metavar="FILE", help="a rig of real wires, such as bench.yaml")
