"""`python -m tests.controller.contract.publish`: makes today's contract the published one.

Refused where it breaks the one before, which takes a new major version (`CONTRACT_VERSION`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from controller.contract.asyncapi import CONTRACT_VERSION, document
from tests.controller.contract.compatibility import breaks

FOLDER = Path(__file__).parent / "published"
FILE = FOLDER / f"{CONTRACT_VERSION}.json"


def main() -> int:
    """Write the document of this version; 1 where it would break who relies on it."""
    new = json.loads(json.dumps(document()))
    if FILE.exists():
        found = breaks(json.loads(FILE.read_text(encoding="utf-8")), new)
        if found:
            sys.stderr.write("\n".join(found) + "\nthis takes a new major version\n")
            return 1
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(new, ensure_ascii=False, sort_keys=True, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
