"""How a command ends with a message: the one exception that `tablectl` turns into words.

UserError
    The person at the keyboard can mend it: a wrong file, a wrong argument, a broker that is away.
    Example: `raise UserError("games/x.toml: no such file", EXIT_USAGE)`.
"""

from __future__ import annotations

from typing import Final

# Interfaces, section 5: the exit codes of every command.
EXIT_OK: Final = 0
EXIT_FOUND: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
EXIT_BUG: Final = 70
# EX_CONFIG of sysexits.h: the unit file tells systemd not to restart on it.
EXIT_CONFIG: Final = 78
# 128 + SIGINT, as shells have it.
EXIT_INTERRUPTED: Final = 130


class UserError(Exception):
    """Ends a command with `message` on standard error and `exit_code`, without a traceback.

    `message` may have several lines; each is printed as it is, so a list of configuration
    errors keeps its `file:line:column:` form.
    """

    def __init__(self, message: str, exit_code: int = EXIT_USAGE) -> None:
        """Take the text for the person and the exit code for the script."""
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
