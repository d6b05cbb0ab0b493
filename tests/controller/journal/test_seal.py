"""A checkpoint is signed by the key in its file, and by no other."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from controller.journal.record import Chain
from controller.journal.seal import KeyTrouble, Sealer, checkpoint_is_signed

CHAIN = Chain("ab" * 16, "T-1", 7, "0" * 64, 9, 2, "1" * 64)


def test_a_key_is_made_once_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    made = Sealer.from_file(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    again = Sealer.from_file(tmp_path / "key")
    assert made.key_id == again.key_id
    assert [file.name for file in tmp_path.iterdir()] == ["key"]


def test_a_statement_holds_for_its_key_and_its_words(tmp_path: Path) -> None:
    sealer, other = Sealer.from_file(tmp_path / "a"), Sealer.from_file(tmp_path / "b")
    body = sealer.checkpoint(CHAIN, 0)
    assert body == sealer.checkpoint(CHAIN, 0)
    assert checkpoint_is_signed(body, sealer.public_key)
    assert not checkpoint_is_signed(body, other.public_key)
    for changed in (
        body.replace(b'"sequence":7', b'"sequence":8'),
        body.replace(b'"signature":"', b'"signature":"00'),
        b"{}",
        b"[]",
        b"\xff",
        b'{"signature":7}',
    ):
        assert not checkpoint_is_signed(changed, sealer.public_key)
    assert not checkpoint_is_signed(body, b"short")


@pytest.mark.parametrize(("mode", "taken"), [(0o600, True), (0o440, True), (0o604, False),
                                             (0o620, False)])  # fmt: skip
def test_a_key_that_others_may_use_is_refused(tmp_path: Path, mode: int, taken: bool) -> None:
    Sealer.from_file(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    if taken:
        Sealer.from_file(tmp_path / "key")
        return
    with pytest.raises(KeyTrouble, match="chmod 600"):
        Sealer.from_file(tmp_path / "key")


def test_what_is_no_key_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret", encoding="ascii")
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(KeyTrouble, match="no unencrypted private key"):
        Sealer.from_file(tmp_path / "key")
    with pytest.raises(KeyTrouble, match="No such file"):
        Sealer.from_file(tmp_path / "nowhere" / "key")


def test_a_secret_name_is_the_keys_own_and_always_the_same(tmp_path: Path) -> None:
    sealer, other = Sealer.from_file(tmp_path / "a"), Sealer.from_file(tmp_path / "b")
    name = sealer.secret_name("table-t-1")
    assert re.fullmatch(r"table-t-1-[0-9a-f]{12}", name)
    assert name == Sealer.from_file(tmp_path / "a").secret_name("table-t-1")
    assert name != other.secret_name("table-t-1")
    assert name[-12:] != sealer.secret_name("table-t-2")[-12:]
