"""Texts of a table's file: what each kind must look like, and the words that say so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Mismatch(ValueError):
    """A text is not what `Matching` asks for; `quoted`: a message may repeat the text."""

    def __init__(self, words: str, quoted: bool) -> None:
        """Keep both for whoever writes the message."""
        super().__init__(words)
        self.quoted = quoted


@dataclass(frozen=True, slots=True)
class Matching:
    """A text must match `pattern` from end to end; `words` say what would be right.

    `quoted` off: what stands there may be a secret that was typed in the wrong place.
    """

    pattern: str
    words: str
    quoted: bool = True

    def check(self, value: str) -> str:
        """The value itself. Raises Mismatch."""
        if re.fullmatch(self.pattern, value) is None:
            raise Mismatch(self.words, self.quoted)
        return value

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How the validator finds the check; a text that is a path is checked before it is one."""
        from pydantic_core import core_schema

        checked = core_schema.no_info_after_validator_function(
            self.check, core_schema.str_schema(strict=True)
        )
        if source is Path:
            return core_schema.no_info_after_validator_function(Path, checked)
        return checked


# Interfaces, section 1: letters, digits and `-`; an MQTT level and a unit's instance name hold it.
Name = Annotated[str, Matching(r"[A-Za-z0-9-]{1,32}", "use 1 to 32 letters, digits and `-`")]
# MQTT wildcards and control characters in a prefix would subscribe to somebody else's topics.
Prefix = Annotated[
    str,
    Matching(
        r"[^+#/\x00-\x20\x7f]{1,32}(/[^+#/\x00-\x20\x7f]{1,32}){0,3}",
        "use one to four names with `/` between, without `+`, `#` and blanks",
    ),
]
Port = Annotated[
    str,
    Matching(
        r"/[!-~]{1,200}|tcp://[^\s:/]{1,253}:[0-9]{1,5}",
        "write a device such as /dev/serial/by-id/…, or tcp://HOST:PORT",
    ),
]
Host = Annotated[str, Matching(r"[^\s/@]{1,253}", "write a name or an address alone")]
Source = Annotated[
    str, Matching(r"auto|kernel|/dev/[!-~]{1,64}", "use auto, kernel or the path of a device")
]
Text64 = Annotated[str, Matching(r"[^\x00-\x1f\x7f]{1,64}", "use 1 to 64 printable characters")]
FaultName = Annotated[str, Matching(r"[a-z-]{1,32}", "use a name of the fault menu")]
# A path is written out in full: the daemon has no working directory to speak of.
FilePath = Annotated[
    Path,
    Matching(
        r"/[^\x00-\x1f\x7f]{1,4000}",
        "a path must be absolute, such as /etc/ssl/ca.pem",
        quoted=False,
    ),
]
