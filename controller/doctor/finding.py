"""One finding of the doctor, and what all of them together come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE

# `info` asks for nothing; `warning` will go wrong one day, or cannot be told from here.
Severity = Literal["ok", "info", "warning", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is the one that made it, `subject` what it is about; `mend` is for the technician,
    empty where there is nothing to do; `unreachable`: a device or broker does not answer."""

    check: str
    subject: str
    severity: Severity
    text: str
    mend: str = ""
    unreachable: bool = False

    def record(self) -> dict[str, object]:
        """All members, for `--json`."""
        return asdict(self)


def exit_code_of(findings: Sequence[Finding]) -> int:
    """Interfaces, section 5: 0 in order, 1 something is wrong, 3 the only wrong thing is that a
    device or the broker cannot be reached. Warnings are told and change no exit code."""
    wrong = [one for one in findings if one.severity == "wrong"]
    if not wrong:
        return EXIT_OK
    return EXIT_UNREACHABLE if all(one.unreachable for one in wrong) else EXIT_FOUND
