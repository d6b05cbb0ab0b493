"""Signed statements about the chain: who made one, and whether it is his."""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Iterable

from controller.journal.proof.ed25519 import KEY_OCTETS, is_key, is_signed
from controller.journal.proof.report import Report, wrong
from controller.journal.proof.strict import JsonObject, canonical

# Told apart from anything else that the same key might ever sign.
DOMAIN = b"table-controller checkpoint 1\n"
KEY_ID_DIGITS = 16
# A table's key and those before it; more are no record of one table.
KEYS_MAX = 64
# A public key in PEM is one header, one line and one footer.
KEY_FILE_OCTETS_MAX = 4096
# SubjectPublicKeyInfo of an Ed25519 key: all that stands before the 32 octets (RFC 8410, 4).
_DER_HEAD = bytes.fromhex("302a300506032b6570032100")


def key_id(public_key: bytes) -> str:
    """What a statement calls its key: the first 16 digits of the SHA-256 of its 32 octets."""
    return hashlib.sha256(public_key).hexdigest()[:KEY_ID_DIGITS]


def key_of_text(text: bytes) -> bytes:
    """A public key of 64 hexadecimal digits or in PEM. Raises ValueError."""
    try:
        if text.lstrip().startswith(b"-----BEGIN PUBLIC KEY-----"):
            lines = [line for line in text.splitlines() if not line.startswith(b"-----")]
            der = base64.b64decode(b"".join(lines), validate=True)
            key = der.removeprefix(_DER_HEAD)
        else:
            key = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        raise ValueError("neither 64 hexadecimal digits nor a public key in PEM") from None
    if len(key) != KEY_OCTETS or not is_key(key):
        raise ValueError("no public key of Ed25519")
    return key


class Keys:
    """The keys that may have signed: `pinned` are named by who checks, and then nobody else's
    signature is good; `stated` by the record itself, which proves no more than that it is whole."""

    def __init__(self, pinned: Iterable[bytes] = (), stated: Iterable[bytes] = ()) -> None:
        known = list(pinned)
        self.pinned = bool(known)
        self._by_id = {key_id(key): key for key in known or stated}

    def hear(self, stated: object) -> None:
        """A key as the record states it in hexadecimal; of no weight beside pinned ones."""
        if self.pinned or not isinstance(stated, str) or len(self._by_id) >= KEYS_MAX:
            return
        with contextlib.suppress(ValueError):
            key = key_of_text(stated.encode())
            self._by_id[key_id(key)] = key

    def check(self, place: str, members: JsonObject, report: Report) -> bool:
        """Whether the statement is signed by a known key; False where its key is not known and
        none was pinned. Raises Wrong."""
        told, signature = members.get("key"), members.get("signature")
        if not isinstance(told, str) or not isinstance(signature, str):
            wrong(place, "signature", "names no key, or bears no signature")
        key = self._by_id.get(told)
        if key is None:
            if self.pinned:
                named = " ".join(self._by_id)
                wrong(place, "signature", f"made with key {told[:64]!r}; expected {named}")
            report.unchecked += 1
            return False
        bare = {name: value for name, value in members.items() if name != "signature"}
        try:
            octets = bytes.fromhex(signature)
        except ValueError:
            octets = b""
        if not is_signed(key, DOMAIN + canonical(bare), octets):
            wrong(place, "signature", f"not made by key {told} for these words")
        if told not in report.keys:
            report.keys.append(told)
        return True
