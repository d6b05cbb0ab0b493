"""`tablectl asyncapi` prints the contract, whole or one message of it."""

from __future__ import annotations

import json

import pytest

from controller.cli import main
from controller.contract.asyncapi import document


def test_the_document_is_printed_the_same_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["asyncapi"]) == 0
    first = capsys.readouterr().out
    assert main(["asyncapi"]) == 0
    assert capsys.readouterr().out == first
    assert json.loads(first) == json.loads(json.dumps(document()))


def test_one_message_is_a_schema_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["asyncapi", "--message", "commands.order_recut"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["required"] == ["id", "issued_at", "reason"]


def test_a_message_that_is_none_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["asyncapi", "--message", "round.vanished"]) == 2
    assert "no message 'round.vanished'" in capsys.readouterr().err
