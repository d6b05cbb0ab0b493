"""What a command is told once its fate is durable. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from controller.core.codec import canonical


@dataclass(frozen=True, slots=True)
class Answer:
    """`accepted` with the sequences of the events it caused, or `refused` with rule and reason.

    `busy`: the command was not taken at all and may be sent again (interfaces, section 4).
    """

    result: Literal["accepted", "refused", "busy"]
    sequences: tuple[int, ...] = ()
    rule: str | None = None
    reason: str = ""

    def record(self) -> bytes:
        """The journal's form, canonical."""
        members: dict[str, object] = {"result": self.result}
        if self.result == "accepted":
            members["sequences"] = list(self.sequences)
        else:
            members["reason"] = self.reason
            if self.rule is not None:
                members["rule"] = self.rule
        return canonical(members)


def answer_of_record(body: bytes) -> Answer:
    """What `record` wrote. Raises ValueError, KeyError or TypeError on anything else."""
    members = json.loads(body)
    if members["result"] == "accepted":
        return Answer("accepted", tuple(int(number) for number in members["sequences"]))
    return Answer("refused", (), members.get("rule"), str(members["reason"]))
