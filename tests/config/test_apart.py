"""The daemon gets the same settings and the same mistakes, without the validator."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.apart import load_apart
from config.loader import ConfigError, UnreadableConfig, load

EXAMPLE = Path(__file__).parents[2] / "config" / "examples" / "fortune-asia-poker.toml"


def test_the_settings_are_those_of_the_loader() -> None:
    assert load_apart(EXAMPLE) == load(EXAMPLE)


def test_other_work_is_done_once_while_the_child_reads() -> None:
    done: list[str] = []
    assert load_apart(EXAMPLE, lambda: done.append("imported")) == load(EXAMPLE)
    assert done == ["imported"]


def test_the_mistakes_are_those_of_the_loader(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(EXAMPLE.read_text().replace("seats = 6", "seats = 60").replace("rng = 4", ""))
    with pytest.raises(ConfigError) as apart:
        load_apart(file)
    with pytest.raises(ConfigError) as here:
        load(file)
    assert apart.value.message == here.value.message
    assert apart.value.problems == here.value.problems


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableConfig, match="No such file"):
        load_apart(tmp_path / "none.toml")


def test_the_validator_stays_in_the_child() -> None:
    code = (
        "import sys; from pathlib import Path; from config.apart import load_apart;"
        f"settings = load_apart(Path({str(EXAMPLE)!r})); settings.setup();"
        "print('pydantic' in sys.modules, settings.table.id)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False t-7\n"


def test_a_child_whose_daemon_is_gone_ends_without_a_word() -> None:
    code = (
        "import os, sys; from pathlib import Path; import config.apart as apart;"
        "reading, writing = os.pipe(); os.close(reading);"
        f"apart._answer(Path({str(EXAMPLE)!r}), writing)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
