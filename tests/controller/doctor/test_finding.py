"""What a heap of findings comes to as an exit code."""

import pytest

from controller.doctor.finding import Finding, exit_code_of

OK = Finding("disk", "room", "ok", "room")
WARNING = Finding("disk", "room", "warning", "little room", "make some")
WRONG = Finding("disk", "room", "wrong", "no room", "make some")
AWAY = Finding("broker", "reach", "wrong", "away", "start it", unreachable=True)


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ([], 0),
        ([OK], 0),
        ([OK, WARNING], 0),
        ([WARNING, AWAY], 3),
        ([WRONG], 1),
        ([AWAY, WRONG], 1),
    ],
)
def test_what_cannot_be_reached_is_told_from_what_is_wrong(
    findings: list[Finding], code: int
) -> None:
    assert exit_code_of(findings) == code


def test_a_record_has_every_member_for_a_script() -> None:
    assert AWAY.record() == {
        "check": "broker", "subject": "reach", "severity": "wrong", "text": "away",
        "mend": "start it", "unreachable": True,
    }  # fmt: skip
