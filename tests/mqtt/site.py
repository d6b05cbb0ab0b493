"""A site with its authority and a mosquitto with the shipped files, as README.md has it set up."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from controller.broker_address import BrokerAddress, Version
from tests.mqtt.mosquitto import Mosquitto, program

SHIPPED = Path(__file__).parents[2] / "config" / "broker"

# What a broker without certificates has none of.
TLS_WORDS = (
    "cafile", "certfile", "keyfile", "tls_version", "require_certificate",
    "use_identity_as_username", "crlfile",
)  # fmt: skip


def lines_without_certificates(home: Path) -> list[str]:
    """The shipped configuration but for listener and certificates; its ACL is copied to `home`."""
    acl = home / "tables.acl"
    shutil.copy(SHIPPED / "acl", acl)
    acl.chmod(0o600)
    shipped = (SHIPPED / "mosquitto.conf").read_text(encoding="utf-8")
    return [
        line
        for line in shipped.replace("/etc/mosquitto/", f"{home}/").splitlines()
        if line.partition(" ")[0] not in ("listener", *TLS_WORDS)
    ]


class Site:
    """Certificates below `home/certs`, the broker's files below `home/mosquitto`."""

    def __init__(self, home: Path) -> None:
        """Make the authority."""
        self.home = home
        self.now_ms = int(time.time() * 1000)
        self.make("authority", "Pit")

    def make(self, *words: str, days: int | None = None) -> subprocess.CompletedProcess[str]:
        """Run the shipped script; raises where it fails."""
        return self.tried(*words, days=days, check=True)

    def tried(
        self, *words: str, days: int | None = None, check: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run the shipped script; gives what became of it."""
        environment = {**os.environ, **({} if days is None else {"DAYS": str(days)})}
        return subprocess.run(
            ["sh", str(SHIPPED / "certificates.sh"), str(self.home / "certs"), *words],
            check=check, capture_output=True, text=True, env=environment,
        )  # fmt: skip

    def file(self, name: str) -> Path:
        """One of the files that the script made."""
        return self.home / "certs" / name

    def address(self, user: str, port: int, version: Version = "5") -> BrokerAddress:
        """How `user` comes to the broker."""
        return BrokerAddress(
            "localhost", port, version, tls=True, cafile=self.file("ca.crt"),
            certificate=self.file(f"{user}.crt"), key=self.file(f"{user}.key"),
        )  # fmt: skip

    def broker(self) -> SiteBroker:
        """A mosquitto of this site that does not run yet."""
        self.make("broker", "localhost")
        return SiteBroker(self)


class SiteBroker(Mosquitto):
    """The shipped files with another port and another place than /etc/mosquitto, and no more.

    Around them stands what Debian's own mosquitto.conf has.
    """

    def __init__(self, site: Site) -> None:
        """Put the files where the shipped README says."""
        self._etc = site.home / "mosquitto"
        self._site = site
        (self._etc / "certs").mkdir(parents=True)
        self.install()
        acl = self._etc / "tables.acl"
        shutil.copy(SHIPPED / "acl", acl)
        acl.chmod(0o600)
        shipped = (SHIPPED / "mosquitto.conf").read_text()
        assert shipped.count("listener 8883\n") == 1
        super().__init__(site.home)
        shipped = shipped.replace("listener 8883\n", f"listener {self.port}\n")
        own = self._etc / "tables.conf"
        own.write_text(shipped.replace("/etc/mosquitto/", f"{self._etc}/"))
        self.lines = (
            "persistence true", f"persistence_location {site.home}/",
            f"include_dir {self._etc}",
        )  # fmt: skip

    def head(self) -> list[str]:
        """The listener stands in the shipped file."""
        return []

    def install(self) -> None:
        """Bring the broker's files of the site to where it reads them."""
        for name in ("ca.crt", "broker.crt", "broker.key", "revoked.crl"):
            shutil.copy(self._site.file(name), self._etc / "certs" / name)

    def client(self, kind: str, user: str, *arguments: str) -> list[str]:
        """The command line of `mosquitto_sub` or `mosquitto_pub` for `user`."""
        return [
            program(f"mosquitto_{kind}"), "-h", "localhost", "-p", str(self.port), "-V", "5",
            "--cafile", str(self._site.file("ca.crt")),
            "--cert", str(self._site.file(f"{user}.crt")),
            "--key", str(self._site.file(f"{user}.key")), *arguments,
        ]  # fmt: skip
