"""What one start goes by, and what it says of itself before anything else is decided."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import dataclass

from config.profiles import profile_document, profile_octets
from config.settings import Settings
from controller import VERSION
from controller.book_document import book_document, book_of_document
from controller.core.book import Book
from controller.core.inputs import PowerLost, Started
from controller.core.outputs import Outputs
from controller.core.profile import profile_of
from controller.core.recording import TakenOver, Unrecorded
from controller.core.software import FILE_NAME_MAX, FILES_TOLD_MAX, SoftwareChanged
from controller.core.state import TableState
from controller.core.table import new_state, outputs_of
from controller.games import book_of
from controller.identity import Identity, host_boot, identify
from controller.journal.program import Program
from controller.journal.replay import Restored
from controller.journal.schema import Run
from controller.journal.store import Store
from controller.messages import Birth
from controller.program import dump_state, program_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """What this start goes by: the book, its profile's digest, what the journal notes of it, and
    which program this is."""

    book: Book
    profile_digest: str
    run: Run
    identity: Identity

    @property
    def closed(self) -> Outputs:
        """The levels of this table while nothing has happened yet."""
        return outputs_of(self.book, new_state(self.book))

    def birth(self, table_id: str, journal: str = "", boot: int = 0) -> Birth:
        """What the broker is told of this start; without a journal where there is none yet."""
        one = self.identity
        return Birth(
            table_id, journal, boot, VERSION, one.program, self.profile_digest, one.build,
            one.intact,
        )  # fmt: skip


async def start_of(settings: Settings) -> Start:
    """What the table's file and this program make of a start. Raises UnknownGame, ProfileError."""
    document, profile_digest = profile_document(settings.game.name)
    book = book_of(settings.setup(), profile_of(document))
    body = book_document(book.setup, profile_octets(settings.game.name).decode("utf-8"))
    identity = await asyncio.to_thread(identify)
    for one in identity.changed[:FILES_TOLD_MAX]:
        log.critical("the program was changed: %s", one)
    return Start(book, profile_digest, Run(host_boot(), identity.program, body), identity)


def program_of_document(document: bytes) -> Program[TableState]:
    """The rules as a journal's document has them. Raises Unreadable."""
    return program_of(book_of_document(document))


async def first_words(
    store: Store, start: Start, where: Restored[TableState], struck: Unrecorded | None
) -> list[object]:
    """What the record says of this start, before anything else is decided."""
    run = start.run
    book = hashlib.sha256(run.book).hexdigest()
    first: list[object] = [
        Started(
            VERSION, run.program, start.profile_digest, store.journal, store.previous_end, book,
            start.identity.build,
        )
    ]  # fmt: skip
    if changed := start.identity.changed:
        files = tuple(one[:FILE_NAME_MAX] for one in changed[:FILES_TOLD_MAX])
        first.append(SoftwareChanged(len(changed), files))
    if store.previous_end == "power":
        first.append(PowerLost())
    if where.other is not None:
        # Kept for whoever judges this program's part of the record alone.
        state = await store.keep_state(dump_state(where.state))
        if where.differs is not None:
            first.append(TakenOver(where.other, state, where.differs))
    if struck is not None:
        first.append(struck)
    return first
