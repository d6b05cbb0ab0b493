"""The verify-only Ed25519 says what RFC 8032 says, and what a whole library says."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.proof.ed25519 import ORDER, PRIME, is_key, is_signed

# RFC 8032, 7.1: secret key, public key, message, signature.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        b"\x72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        b"\xaf\x82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").digest(),
        (
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
            "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
        ),
    ),
]


def library_says(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize(("secret", "public", "message", "signature"), VECTORS)
def test_the_vectors_of_rfc_8032(secret: str, public: str, message: bytes, signature: str) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    assert key.public_key().public_bytes_raw().hex() == public
    made = bytes.fromhex(signature)
    assert key.sign(message) == made
    assert is_signed(bytes.fromhex(public), message, made)
    assert not is_signed(bytes.fromhex(public), message + b"\0", made)


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.data())
def test_it_says_what_the_library_says(secret: bytes, message: bytes, data: st.DataObject) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, made = key.public_key().public_bytes_raw(), bytearray(key.sign(message))
    assert is_signed(public, message, bytes(made))
    made[data.draw(st.integers(0, 63))] ^= 1 << data.draw(st.integers(0, 7))
    assert is_signed(public, message, bytes(made)) is library_says(public, message, bytes(made))
    assert not is_signed(public, message, bytes(made))


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64))
def test_octets_that_nobody_made_are_no_signature(public: bytes, signature: bytes) -> None:
    assert is_signed(public, b"words", signature) is library_says(public, b"words", signature)


def test_a_second_signature_made_from_a_good_one_is_refused() -> None:
    _, public, message, signature = VECTORS[1]
    made = bytes.fromhex(signature)
    scalar = int.from_bytes(made[32:], "little")
    for larger in (scalar + ORDER, scalar + 2 * ORDER, 2**256 - 1):
        again = made[:32] + larger.to_bytes(32, "little")
        assert not is_signed(bytes.fromhex(public), message, again)
        assert not library_says(bytes.fromhex(public), message, again)


# The eight points whose eightfold is neutral: of such a key one signature fits many messages.
SMALL = [
    f"{'00' * 32}", f"{'00' * 31}80", f"01{'00' * 31}", f"ec{'ff' * 30}7f",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]  # fmt: skip


@pytest.mark.parametrize("octets", SMALL)
def test_a_key_that_would_sign_anything_is_no_key(octets: str) -> None:
    key = bytes.fromhex(octets)
    assert not is_key(key)
    # With the neutral element as key, these octets fit every message.
    neutral = (1).to_bytes(32, "little")
    assert not is_signed(key, b"anything", neutral + bytes(32))


def test_a_point_is_taken_in_its_shortest_form_only() -> None:
    # PRIME + 3 fits in 255 bits and is 3, which is on the curve.
    assert is_key((3).to_bytes(32, "little"))
    assert not is_key((PRIME + 3).to_bytes(32, "little"))
    # 2 is the y of no point.
    assert not is_key((2).to_bytes(32, "little"))


@pytest.mark.parametrize(("key", "signature"), [(31, 64), (33, 64), (32, 63), (32, 65), (0, 0)])
def test_other_lengths_are_refused(key: int, signature: int) -> None:
    assert not is_signed(bytes(key), b"", bytes(signature))
