"""Where a broker is and how to be let in: one reader of broker URLs for every command and file."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

Version = Literal["5", "3.1.1"]
# The two ports that IANA registers for MQTT, plain and over TLS.
PORTS = {"mqtt": 1883, "mqtts": 8883}
OPTIONS = frozenset(("version", "cafile", "cert", "key", "password-file", "plaintext"))
# A password longer than this is a wrong file: the MQTT field itself ends at 64 KiB.
PASSWORD_OCTETS_MAX = 65_535


class BadAddress(ValueError):
    """A broker URL, or a file it names, that cannot be used; the message says how to mend it."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Host, port and credentials as file paths.

    `tls` on without `cafile` trusts the system's certificates. `password` exists only for a URL
    that a person typed; a configuration gives `password_file`. Neither is ever part of `shown`.
    """

    host: str
    port: int
    version: Version = "5"
    tls: bool = False
    cafile: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    username: str | None = None
    password_file: Path | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return f"BrokerAddress({self.shown})"

    @property
    def shown(self) -> str:
        """The address for people and logs: without user and secrets."""
        scheme = "mqtts" if self.tls else "mqtt"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"

    @property
    def wanting(self) -> str:
        """What to look at where a broker hangs up: one that wants certificates names no reason."""
        if not self.tls or self.certificate is not None:
            return ""
        return "; it may want a client certificate: cert= and key="

    def secret(self) -> str | None:
        """The password, read anew at every connection so that a rotated file is taken up.

        Raises BadAddress where the file cannot be read.
        """
        if self.password_file is None:
            return self.password
        try:
            content = self.password_file.read_bytes()
        except OSError as error:
            raise BadAddress(f"password file {self.password_file}: {error.strerror}") from None
        if len(content) > PASSWORD_OCTETS_MAX:
            raise BadAddress(f"password file {self.password_file}: longer than a password can be")
        try:
            return content.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise BadAddress(f"password file {self.password_file}: not UTF-8 text") from None

    def tls_context(self) -> ssl.SSLContext | None:
        """TLS 1.2 and up, the broker's name always checked. Raises BadAddress on unusable files."""
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.cafile)
        except OSError as error:
            raise BadAddress(f"{_why(error)}: {self.cafile}") from None
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key)
            except OSError as error:
                pair = " and ".join(str(file) for file in (self.key, self.certificate) if file)
                raise BadAddress(f"{_why(error)}: {pair}") from None
        return context


def is_loopback(host: str) -> bool:
    """Whether a broker at `host` can only be on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def address_of(url: str) -> BrokerAddress:
    """Read `mqtt://[user@]host[:port]` or `mqtts://…?cafile=…&cert=…&key=…`.

    Further options: `version=3.1.1`, `password-file=…`, and `plaintext=yes`, without which a broker
    on another machine is reached over TLS alone. Raises BadAddress; never echoes a secret.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddress(f"broker URL: {error}") from None
    if parts.scheme not in PORTS:
        raise BadAddress("broker URL: expected mqtt://host:port or mqtts://host:port")
    if not parts.hostname:
        raise BadAddress("broker URL: the host is missing; expected mqtt://host:port")
    if parts.path not in ("", "/") or parts.fragment:
        raise BadAddress("broker URL: nothing may follow the port but ?options")
    options = _options(parts.query)
    tls = parts.scheme == "mqtts"
    if not tls and options.keys() & {"cafile", "cert", "key"}:
        raise BadAddress("broker URL: cafile, cert and key need mqtts://")
    if options.get("plaintext", "yes") != "yes":
        raise BadAddress("broker URL: plaintext can only be yes")
    if not tls and "plaintext" not in options and not is_loopback(parts.hostname):
        raise BadAddress(
            f"broker URL: {parts.hostname} would be reached without TLS; use mqtts://, or add "
            "?plaintext=yes where the network itself is protected"
        )
    if "key" in options and "cert" not in options:
        raise BadAddress("broker URL: key without cert")
    return BrokerAddress(
        host=parts.hostname,
        port=PORTS[parts.scheme] if port is None else port,
        version=_version(options.get("version", "5")),
        tls=tls,
        cafile=_path(options.get("cafile")),
        certificate=_path(options.get("cert")),
        key=_path(options.get("key")),
        username=None if parts.username is None else unquote(parts.username),
        password_file=_path(options.get("password-file")),
        password=None if parts.password is None else unquote(parts.password),
    )


def _why(error: OSError) -> str:
    """In words, and first: what follows are paths, which a bound may cut."""
    if isinstance(error, ssl.SSLError):
        return (error.reason or "no certificate in PEM form").lower().replace("_", " ")
    return error.strerror or "cannot be read"


def _options(query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=len(OPTIONS))
    options = dict(pairs)
    unknown = sorted(options.keys() - OPTIONS)
    if unknown:
        raise BadAddress(f"broker URL: unknown option; known are {' '.join(sorted(OPTIONS))}")
    if len(options) != len(pairs):
        raise BadAddress("broker URL: an option is given twice")
    return options


def _version(text: str) -> Version:
    if text == "5":
        return "5"
    if text == "3.1.1":
        return "3.1.1"
    raise BadAddress("broker URL: version must be 5 or 3.1.1")


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
