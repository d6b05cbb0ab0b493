"""What a table shows its broker and whom it believes: read from files, judged, never told.

The files are replaced under a running table (a certificate of a short life is renewed every few
weeks), so one reading of them is a value: good as a whole, or refused as a whole.
"""

from __future__ import annotations

import hashlib
import ssl
from dataclasses import dataclass
from pathlib import Path

from controller.broker_address import BadAddress, BrokerAddress
from controller.core.stamp import stamp_of
from controller.messages import Json
from controller.regular_file import octets_of

# A month is time to mend a renewal that no longer runs by itself; from a week on it is a person's
# business, and an alarm.
WARN_DAYS = (30, 7, 1)
ALARM_DAYS = 7
DAY_MS = 24 * 60 * 60 * 1000
# A bundle of a system's authorities has a quarter of a megabyte: this much is a wrong file.
FILE_OCTETS_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Term:
    """Until when something is good, in ms since the epoch; `file` says for people what it is."""

    file: str
    ends_ms: int

    def days(self, now_ms: int) -> int:
        """Whole days that are left; negative where it has ended."""
        return (self.ends_ms - now_ms) // DAY_MS

    def told(self, now_ms: int) -> dict[str, Json]:
        """For `health`; `warning` is the nearest mark of WARN_DAYS that is passed, 0 once over."""
        return {
            "ends": stamp_of(self.ends_ms),
            "days": self.days(now_ms),
            "warning": warning_of(self.ends_ms, now_ms),
        }


@dataclass(frozen=True, slots=True)
class Credentials:
    """One reading of the files of a `BrokerAddress`. `mark` tells two readings apart.

    `context` is None without TLS; `own` and `authority` where there is no such file.
    """

    context: ssl.SSLContext | None
    password: str | None
    mark: str
    own: Term | None = None
    authority: Term | None = None

    def __repr__(self) -> str:
        return f"Credentials({self.mark[:8]})"


def warning_of(ends_ms: int, now_ms: int) -> int | None:
    """The nearest mark that is passed: 30, 7, 1, or 0 for what has ended; None before all."""
    left_ms = ends_ms - now_ms
    if left_ms <= 0:
        return 0
    passed = [days for days in WARN_DAYS if left_ms <= days * DAY_MS]
    return min(passed, default=None)


def read(address: BrokerAddress, now_ms: int) -> Credentials:
    """Read and judge all files; blocks on the disk.

    Raises BadAddress for one that cannot be read, is no certificate, does not fit its key, or has
    ended; the message names the file, never what is in it.
    """
    mark = mark_of(address)
    context, password = address.tls_context(), address.secret()
    own = authority = None
    if address.tls and address.certificate is not None:
        own = _term(address.certificate, first=True)
        if own.ends_ms <= now_ms:
            raise BadAddress(f"{own.file}: ended at {stamp_of(own.ends_ms)}; renew it")
    if address.tls and address.cafile is not None:
        authority = _term(address.cafile, first=False)
    return Credentials(context, password, mark, own, authority)


def mark_of(address: BrokerAddress) -> str:
    """A digest of all files as they are now. Raises BadAddress where one cannot be read."""
    digest = hashlib.sha256()
    for file in (address.cafile, address.certificate, address.key, address.password_file):
        octets = b"" if file is None else _octets(file)
        digest.update(len(octets).to_bytes(8, "big") + octets)
    return digest.hexdigest()


def _octets(file: Path) -> bytes:
    try:
        return octets_of(file, FILE_OCTETS_MAX)
    except OSError as error:
        raise BadAddress(f"{file}: {error.strerror}") from None


def _term(file: Path, *, first: bool) -> Term:
    """The end of a file's first certificate, or the earliest of all that are in it."""
    from cryptography import x509  # 2.3 MB, for those tables alone that have certificates

    try:
        found = x509.load_pem_x509_certificates(_octets(file))
    except ValueError:
        raise BadAddress(f"{file}: no certificate in PEM form") from None
    ends = [int(one.not_valid_after_utc.timestamp()) * 1000 for one in found]
    return Term(str(file), ends[0] if first else min(ends))
