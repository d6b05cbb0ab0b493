"""A statement holds for its key and its words; a key is read as people keep it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.journal.proof import statement
from controller.journal.proof.report import Report, Wrong
from controller.journal.proof.statement import Keys, key_id, key_of_text
from controller.journal.record import Chain
from controller.journal.seal import DOMAIN, Sealer

CHAIN = Chain("ab" * 16, "T-1", 7, "0" * 64, 9, 2, "1" * 64)


@pytest.fixture
def sealer(tmp_path: Path) -> Sealer:
    return Sealer.from_file(tmp_path / "key")


def test_signer_and_checker_mean_the_same_words(sealer: Sealer) -> None:
    assert statement.DOMAIN == DOMAIN
    assert key_id(sealer.public_key) == sealer.key_id


def test_the_table_s_own_signature_is_good(sealer: Sealer) -> None:
    members = json.loads(sealer.checkpoint(CHAIN, 0))
    for keys in (Keys([sealer.public_key]), Keys((), [sealer.public_key])):
        report = Report("", "")
        assert keys.check("here", members, report)
        assert report.keys == [sealer.key_id]


@pytest.mark.parametrize(
    "change",
    [{"sequence": 8}, {"signature": "00" * 64}, {"signature": "zz"}, {"signature": ""}, {"at": ""}],
)
def test_other_words_are_not_signed(sealer: Sealer, change: dict[str, object]) -> None:
    members = json.loads(sealer.checkpoint(CHAIN, 0)) | change
    with pytest.raises(Wrong, match="signature: not made by key"):
        Keys([sealer.public_key]).check("here", members, Report("", ""))


def test_a_key_that_nobody_named_is_counted_and_one_beside_the_pinned_refused(
    sealer: Sealer, tmp_path: Path
) -> None:
    members = json.loads(sealer.checkpoint(CHAIN, 0))
    report = Report("", "")
    assert not Keys().check("here", members, report)
    assert report.unchecked == 1
    other = Sealer.from_file(tmp_path / "other")
    pinned = Keys([other.public_key], [sealer.public_key])
    pinned.hear(sealer.public_key.hex())
    with pytest.raises(Wrong, match=f"expected {other.key_id}"):
        pinned.check("here", members, report)
    for lacking in ("key", "signature"):
        with pytest.raises(Wrong, match="names no key"):
            Keys().check("here", {**members, lacking: 7}, report)


def test_a_stated_key_is_taken_where_none_is_pinned(sealer: Sealer) -> None:
    keys, report = Keys(), Report("", "")
    for stated in (None, 7, "zz", "00" * 32, sealer.public_key.hex()):
        keys.hear(stated)
    assert keys.check("here", json.loads(sealer.checkpoint(CHAIN, 0)), report)


def test_a_public_key_is_read_in_hexadecimal_and_in_pem(sealer: Sealer) -> None:
    key = sealer.public_key
    pem = Ed25519PublicKey.from_public_bytes(key).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for text in (key.hex().encode(), key.hex().upper().encode() + b"\r\n", pem, b"\n" + pem):
        assert key_of_text(text) == key


def test_what_is_no_public_key_is_refused(sealer: Sealer) -> None:
    private = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for text in (b"", b"zz", b"00" * 32, b"00" * 31, b"\xff" * 32, private,
                 b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
                 b"-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----\n"):  # fmt: skip
        with pytest.raises(ValueError, match=r"neither|no public key"):
            key_of_text(text)
