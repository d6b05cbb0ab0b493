"""`tablectl version`: the version and the profiles that the journal would name."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from config.profiles import games
from controller import VERSION
from controller.cli import main
from controller.core.software import short_code
from controller.identity import identify
from controller.libraries import NAMES, site_folder


def test_version_names_program_and_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"table-controller {VERSION} ")
    assert all(f"profile {game} sha256:" in shown for game in games())


def test_version_is_read_by_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["version"] == VERSION
    assert set(record["profiles"]) == set(games())


def test_the_bare_option_prints_the_version_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{VERSION}\n"


def test_it_verifies_what_is_here_and_gives_the_code_of_the_digit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["version", "--verify", "--nonce", "4711"]) == 0
    shown = capsys.readouterr().out
    build = identify().build
    code = short_code("4711", build)
    assert f"build sha256:{build}\n" in shown
    assert f"code for '4711': {code[:5]} {code[5:]}\n" in shown
    assert f"{len(NAMES)} libraries read; a checkout has no manifest" in shown
    assert "to compare the program with" in shown


def test_the_manifest_is_the_text_that_the_build_is_the_digest_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["version", "--manifest"]) == 0
    text = capsys.readouterr().out
    assert hashlib.sha256(text.encode()).hexdigest() == identify().build
    assert main(["version", "--manifest", "--libraries", f"3.13={site_folder()}"]) == 0
    assert "# python3.13 aiomqtt " in capsys.readouterr().out


def test_what_cannot_be_a_manifest_is_told_and_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "octets").write_bytes(b"\xff")
    for name, said in (
        ("pipe", "cannot be read as a manifest: is not a regular file"),
        ("none", "cannot be read as a manifest: No such file or directory"),
        ("octets", "is no text, and so no manifest"),
    ):
        assert main(["version", "--verify", "--against", str(tmp_path / name)]) == 2
        assert f"{tmp_path / name}: {said}" in capsys.readouterr().err


def test_what_is_not_as_in_a_manifest_is_named_and_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["version", "--manifest"])
    other = tmp_path / "manifest.txt"
    other.write_text(capsys.readouterr().out.replace("  hal/draw.py", "  hal/drawn.py"))
    assert main(["version", "--verify", "--against", str(other), "--json"]) == 1
    verified = json.loads(capsys.readouterr().out)["verified"]
    assert verified["compared"] is True
    assert verified["wrong"] == ["hal/draw.py: not in the manifest", "hal/drawn.py: missing"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nonce", ""], "1 to 32 printable characters"),
        (["--nonce", "n" * 33], "1 to 32 printable characters"),
        (["--verify", "--against", "/none"], "/none: cannot be read as a manifest"),
        (["--manifest", "--libraries", "3.13"], "write it as 3.13=/path"),
        (["--manifest", "--libraries", "3.13=/none"], "no library for python3.13"),
    ],
)
def test_a_wrong_argument_is_told_in_words(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["version", *words]) == 2
    assert said in capsys.readouterr().err
