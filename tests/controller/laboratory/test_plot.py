"""A picture where the extra is installed, and words where it is not."""

from __future__ import annotations

import builtins
import importlib.util
from pathlib import Path

import pytest

from controller.laboratory.judgement import judge
from controller.laboratory.plot import NoPlotter, plot

JUDGEMENT = judge(bytes(range(1, 8)) * 200)


@pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None,
    reason="the extra `lab` is no part of the development lock: 40 MB for one picture",
)
def test_a_picture_is_a_png(tmp_path: Path) -> None:
    file = tmp_path / "numbers.png"
    plot(JUDGEMENT, "kernel", file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return kept(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NoPlotter, match=r"pip install 'table-controller\[lab\]'"):
        plot(JUDGEMENT, "kernel", tmp_path / "numbers.png")
