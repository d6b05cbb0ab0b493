"""The table's credentials over months: new files are taken up while it runs, bad ones are not.

New files are first tried at the broker on a connection of their own; only what lets the table in
takes the place of what it came in with.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from controller.broker_address import BadAddress, BrokerAddress
from controller.broker_port import BrokerAway
from controller.credentials import ALARM_DAYS, Credentials, Term, mark_of, read, warning_of
from controller.messages import Json

log = logging.getLogger(__name__)

# Reading four small files costs a millisecond; a renewal is in use well within a minute.
LOOK_S = 5.0
# Whoever renews writes certificate and key one after the other: a bad pair counts only when it is
# still the same at the next look.
LOOKS_UNTIL_BAD = 2
# A broker that does not know a new authority yet is asked again, quietly.
TRY_AGAIN_S = 60.0

TryOut = Callable[[Credentials], Awaitable[None]]


@dataclass(slots=True)
class _Suspect:
    """Files that cannot be used as they are, and at how many looks they were so."""

    mark: str
    looks: int = 0


class CredentialKeeper:
    """Gives each connection its credentials and watches the files behind them.

    `now_ms` is the wall clock in ms; `told` hears what a person has to do about them, or None where
    nothing: from a week before an end on, and while new files are refused.
    """

    def __init__(
        self, address: BrokerAddress, now_ms: Callable[[], int], told: Callable[[str | None], None]
    ) -> None:
        self._address = address
        self._now_ms = now_ms
        self._told = told
        self._latest: Credentials | None = None
        # What the broker let in last; kept in memory while the files behind it are already others.
        self._proven: Credentials | None = None
        self._failed_mark = ""
        self._suspect = _Suspect("")
        self._refused: str | None = None
        self._try_after_s = 0.0
        # An earlier life may have said something: the first word is said whatever it is.
        has_files = address.tls or address.password_file is not None
        self._said: str | None = "" if has_files else None
        self.broker_ends_ms: int | None = None
        self.renewed = 0

    async def next(self) -> Credentials:
        """What the next connection shows: the files as they are, or what was good before them.

        Raises BrokerAway where there is neither.
        """
        found = await self._read()
        self._latest = found or self._latest
        proven = self._proven
        if proven is not None and (found is None or found.mark == self._failed_mark):
            self._failed_mark = ""
            return proven
        if found is None:
            raise BrokerAway(self._refused or "the credentials are being replaced")
        return found

    def proved(self, credentials: Credentials, broker_ends_ms: int | None) -> None:
        """The broker let the table in with these; its own certificate ends then."""
        if self._proven is not None and self._proven.mark != credentials.mark:
            self.renewed += 1
            log.info("the broker took the renewed credentials")
        self._proven = credentials
        self.broker_ends_ms = broker_ends_ms
        self.tell()

    def failed(self, credentials: Credentials) -> None:
        """The broker did not let the table in: with what was good before it tries by turns."""
        if self._proven is not None and self._proven.mark != credentials.mark:
            self._failed_mark = credentials.mark

    async def run(self, try_out: TryOut, renew: Callable[[], None]) -> None:
        """Watch until cancelled.

        `try_out` connects with new credentials beside the standing connection and raises BrokerAway
        where they do not let in; `renew` has the line come in again with them.
        """
        while True:
            await asyncio.sleep(LOOK_S)
            if await self.look(try_out):
                renew()
            self.tell()

    async def look(self, try_out: TryOut) -> bool:
        """Look once; True if there are new credentials that the broker takes."""
        standing = self._proven
        if standing is None:
            return False  # whoever connects reads the files anyway
        found = await self._read()
        if found is None:
            return False
        if found.mark == standing.mark:
            self._refused = None
            return False
        now_s = asyncio.get_running_loop().time()
        if now_s < self._try_after_s:
            return False
        try:
            await try_out(found)
        except BrokerAway as away:
            self._try_after_s = now_s + TRY_AGAIN_S
            self._refuse(f"the broker does not take the new credentials: {away}")
            return False
        self._refused, self._try_after_s = None, 0.0
        return True

    def tell(self) -> None:
        """Say what a person has to do, where that is new."""
        wish = self.wish()
        if wish != self._said:
            self._said = wish
            self._told(wish)

    def wish(self) -> str | None:
        """What a person has to do about the credentials; it changes once a mark, not once a day."""
        if self._refused is not None:
            which = "credentials" if self._proven is None else "new credentials"
            return f"the {which} are not used: {self._refused}"
        for name, term in self._terms():
            warning = warning_of(term.ends_ms, self._now_ms())
            if warning == 0:
                return f"the {name} has ended: renew {term.file}"
            if warning is not None and warning <= ALARM_DAYS:
                return f"the {name} ends within {warning} d: renew {term.file}"
        return None

    def status(self) -> dict[str, Json]:
        """For `health`: ends, days and warnings by name; why new files are refused; renewals."""
        now_ms = self._now_ms()
        told: dict[str, Json] = {name: term.told(now_ms) for name, term in self._terms()}
        return {"ends": told, "refused": self._refused, "renewed": self.renewed}

    def _terms(self) -> list[tuple[str, Term]]:
        used = self._proven or self._latest
        terms: list[tuple[str, Term]] = []
        if used is not None and used.own is not None:
            terms.append(("certificate", used.own))
        if used is not None and used.authority is not None:
            terms.append(("authority", used.authority))
        if self.broker_ends_ms is not None:
            terms.append(("broker", Term("the broker's certificate", self.broker_ends_ms)))
        return terms

    async def _read(self) -> Credentials | None:
        """The files as they are; None, and noted, while they cannot be used."""
        try:
            mark = await asyncio.to_thread(mark_of, self._address)
            standing = self._proven
            if standing is not None and standing.mark == mark:
                return standing
            found = await asyncio.to_thread(read, self._address, self._now_ms())
        except BadAddress as bad:
            self._suspect_of(str(bad))
            return None
        if found.mark != mark:
            return None  # replaced while they were read: the next look sees them whole
        self._suspect = _Suspect("")
        return found

    def _suspect_of(self, why: str) -> None:
        if self._suspect.mark != why:
            self._suspect = _Suspect(why)
        self._suspect.looks += 1
        if self._suspect.looks >= LOOKS_UNTIL_BAD or self._proven is None:
            self._refuse(why)

    def _refuse(self, why: str) -> None:
        if why != self._refused:
            log.error("credentials not taken, those of before stay: %s", why)
        self._refused = why
