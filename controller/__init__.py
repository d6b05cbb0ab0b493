"""The controller of one table: what the law lets the table do, and the record of what it did."""

from typing import Final

# The one place of the version; pyproject.toml reads it, the journal and MQTT repeat it.
VERSION: Final = "0.1.0"
