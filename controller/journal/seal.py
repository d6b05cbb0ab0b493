"""Signed statements about the chain, Ed25519: the crypto library's only user in the record."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.core.codec import canonical, plain
from controller.core.recording import Checkpoint, Sealed
from controller.core.stamp import stamp_of
from controller.journal.record import Chain

# Told apart from anything else that this key might ever sign.
DOMAIN = b"table-controller checkpoint 1\n"
NAME_DOMAIN = b"table-controller secret name 1\n"
# Others may not read the key, nor the group write it; systemd credentials are readable by a group.
FORBIDDEN_MODE = stat.S_IRWXO | stat.S_IWGRP


class KeyTrouble(Exception):
    """The signing key cannot be used; the message names the file and the mend."""


class Sealer:
    """Signs checkpoints with the table's own key."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key = key.public_key().public_bytes_raw()
        self.key_id = hashlib.sha256(self.public_key).hexdigest()[:16]

    @classmethod
    def from_file(cls, path: Path) -> Sealer:
        """Read the key, or make one where there is none, for its owner alone. Raises KeyTrouble."""
        try:
            if not path.exists():
                _create_key(path)
            mode = path.stat().st_mode
            pem = path.read_bytes()
        except OSError as error:
            raise KeyTrouble(f"{path}: {error.strerror}") from None
        if mode & FORBIDDEN_MODE:
            raise KeyTrouble(f"{path}: others may use this key; mend it with `chmod 600 {path}`")
        try:
            key = serialization.load_pem_private_key(pem, password=None)
        except (ValueError, TypeError):
            raise KeyTrouble(f"{path}: is no unencrypted private key in PEM") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyTrouble(f"{path}: is a key of another kind; an Ed25519 key is needed")
        return cls(key)

    def sealed(self, chain: Chain, at_ms: int) -> Sealed:
        """A signed statement: after this turn, the chain stood here."""
        bare = Checkpoint(
            chain.journal, chain.table_id, chain.sequence, chain.prevhash, chain.inputs,
            chain.effects, chain.inputdigest, stamp_of(at_ms), self.key_id, "",
        )  # fmt: skip
        members = {name: part for name, part in plain(bare).items() if name != "signature"}
        signature = self._key.sign(DOMAIN + canonical(members)).hex()
        return Sealed(dataclasses.replace(bare, signature=signature), self.public_key.hex())

    def secret_name(self, name: str) -> str:
        """`name` with twelve digits behind it that only this key's owner can tell; always the same.

        Whoever knows a client id at the broker may take its session over (MQTT 5, 3.1.4).
        """
        signature = self._key.sign(NAME_DOMAIN + name.encode())
        return f"{name}-{hashlib.sha256(signature).hexdigest()[:12]}"

    def checkpoint(self, chain: Chain, at_ms: int) -> bytes:
        """The canonical record of such a statement."""
        return canonical(plain(self.sealed(chain, at_ms).checkpoint))


def checkpoint_is_signed(body: bytes, public_key: bytes) -> bool:
    """Whether the holder of the key made this statement; anything unreadable is not signed."""
    try:
        members = json.loads(body)
        signature = bytes.fromhex(members.pop("signature"))
        key = Ed25519PublicKey.from_public_bytes(public_key)
        key.verify(signature, DOMAIN + canonical(members))
    except (ValueError, KeyError, TypeError, AttributeError, InvalidSignature):
        return False
    return True


def _create_key(path: Path) -> None:
    """Whole or not at all: a half-written key would stop the table at its next start."""
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        # A link does not replace a key that another start has made meanwhile.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(fresh)
    finally:
        fresh.unlink()
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
