"""`tablectl version`: what runs here, by which profiles, and whether it is what was installed."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from controller import VERSION
from controller.errors import EXIT_FOUND, EXIT_OK, UserError

if TYPE_CHECKING:
    from controller.identity import Identity
    from controller.verification import Verification

# As the command `show_code` takes it (`hal.facts.Word`).
NONCE_CHARACTERS_MAX = 32


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--verify", action="store_true",
        help="read every file of the program and its libraries again; exit 1 where one differs",
    )  # fmt: skip
    parser.add_argument(
        "--nonce", type=_nonce, metavar="TEXT",
        help="show the code that this build gives for TEXT, as the table's digit does"
        " for show_code; a new text each time",
    )  # fmt: skip
    parser.add_argument(
        "--against", type=Path, metavar="FILE",
        help="with --verify: compare with this manifest, not with the one that is installed",
    )  # fmt: skip
    parser.add_argument(
        "--manifest", action="store_true", help="print the manifest of this build and nothing else"
    )
    parser.add_argument(
        "--libraries", action="append", type=_libraries, metavar="PYTHON=FOLDER", default=[],
        help="with --manifest: the libraries for that Python, as 3.13=/path/site-packages",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    """Print version, digests and code; 1 where `--verify` finds something.

    Raises UserError for a manifest that cannot be read.
    """
    if args.manifest:
        sys.stdout.write(_manifest(dict(args.libraries)))
        return EXIT_OK
    from controller.identity import identify

    found = _verified(args.against) if args.verify else None
    # One reading for all that is printed: files may change between two.
    record = _record(identify() if found is None else found.identity, args.nonce)
    if found is not None:
        record["verified"] = {
            "compared": found.identity.compared or args.against is not None,
            "files": found.files, "libraries": found.libraries, "wrong": list(found.wrong),
        }  # fmt: skip
    if args.json:
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(record))
    in_order = found is None or not found.wrong
    return EXIT_OK if in_order else EXIT_FOUND


def _record(identity: Identity, nonce: str | None) -> dict[str, object]:
    from config.profiles import games, profile_document
    from controller.core.software import short_code

    record: dict[str, object] = {
        "version": VERSION,
        "python": platform.python_version(),
        "program": identity.program,
        "build": identity.build,
        "intact": identity.intact,
        "profiles": {game: profile_document(game)[1] for game in games()},
    }
    if nonce is not None:
        record["nonce"] = nonce
        record["code"] = short_code(nonce, identity.build)
    return record


def _lines(record: dict[str, object]) -> list[str]:
    lines = [
        f"table-controller {record['version']} (Python {record['python']})",
        f"program sha256:{record['program']}",
        f"build sha256:{record['build']}",
    ]
    profiles = record["profiles"]
    assert isinstance(profiles, dict)
    lines += [f"profile {game} sha256:{digest}" for game, digest in profiles.items()]
    if (verified := record.get("verified")) is not None:
        assert isinstance(verified, dict)
        lines += [f"wrong: {one}" for one in verified["wrong"]]
        read = f"{verified['files']} files and {verified['libraries']} libraries read"
        if not verified["compared"]:
            lines.append(f"{read}; a checkout has no manifest to compare the program with")
        else:
            lines.append(f"{read}: {len(verified['wrong']) or 'nothing'} wrong")
    if "code" in record:
        code = str(record["code"])
        lines.append(f"code for {record['nonce']!r}: {code[:5]} {code[5:]}")
    return lines


def _verified(against: Path | None) -> Verification:
    from controller.manifest import manifest_in
    from controller.verification import verify_build

    if against is None:
        return verify_build()
    try:
        return verify_build(manifest_in(against))
    except OSError as error:
        why = error.strerror or error
        raise UserError(f"{against}: cannot be read as a manifest: {why}") from None
    except UnicodeDecodeError:
        raise UserError(f"{against}: is no text, and so no manifest") from None


def _manifest(folders: dict[str, Path]) -> str:
    from controller.libraries import libraries_in, site_folder
    from controller.manifest import program_lines, python_name, text_of

    if not folders:
        return text_of(program_lines(), {python_name(): libraries_in(site_folder())})
    libraries = {f"python{python}": libraries_in(site) for python, site in folders.items()}
    empty = [python for python, found in libraries.items() if not found]
    if empty:
        raise UserError(f"--libraries: no library for {empty[0]} in the folder named")
    return text_of(program_lines(), libraries)


def _nonce(text: str) -> str:
    if not 1 <= len(text) <= NONCE_CHARACTERS_MAX or not text.isprintable():
        raise argparse.ArgumentTypeError(f"1 to {NONCE_CHARACTERS_MAX} printable characters")
    return text


def _libraries(text: str) -> tuple[str, Path]:
    python, equals, folder = text.partition("=")
    if not equals or not python or not folder:
        raise argparse.ArgumentTypeError("write it as 3.13=/path/site-packages")
    return python, Path(folder)
