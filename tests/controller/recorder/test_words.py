"""What a stranger publishes is passed over."""

from __future__ import annotations

import json

import pytest

from controller.recorder.words import Health, Status, health_of, members_of, status_of


def test_status_and_health_of_a_table() -> None:
    assert status_of({"journal": "j", "reason": "lost", "boot": 1}) == Status("j", "lost")
    delivery = {"journal": "j", "journaled": 9, "store": 4, "broker": 8}
    assert health_of(json.dumps({"delivery": delivery}).encode()) == Health("j", 9, 4)
    delivery = {"journal": "j", "journaled": 9, "store": 4, "store_expected": "eye-1"}
    assert health_of(json.dumps({"delivery": delivery}).encode()) == Health("j", 9, 4, "eye-1")


@pytest.mark.parametrize(
    "value", [{}, {"journal": 1, "reason": "lost"}, {"journal": "j", "reason": "x"},
              {"journal": "j" * 65, "reason": "lost"},
              {"journal": "\ud800", "reason": "lost"}, {"journal": "a\0", "reason": "lost"}]
)  # fmt: skip
def test_a_status_that_says_nothing(value: dict[str, object]) -> None:
    assert status_of(value) is None


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff", b"[" * 100_000, b"[]", b'{"delivery":1}', b'{"delivery":{"journal":"j"}}',
     b" " * 300_000, b'{"delivery":{"journal":"\\udc00","journaled":1,"store":1}}'],
)  # fmt: skip
def test_a_health_that_says_nothing(payload: bytes) -> None:
    assert health_of(payload) is None
    assert members_of(payload).get("x") is None
