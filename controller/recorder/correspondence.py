"""What the recorder writes to tables, and what their answers mean: confirmations and requests."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence

from controller.messages import Outgoing
from controller.recorder.examiner import Examiner
from controller.recorder.follower import Head
from controller.recorder.inquiries import GAP_TRIES_MIN, Inquiries
from controller.recorder.notices import confirmation, request
from controller.recorder.words import members_of
from controller.room_copy import BEYOND, DIFFERS, OTHER_JOURNAL

# Letters whose answer may still come: a second's worth for 300 tables, several times.
LETTERS_MAX = 2_048
REASON_CHARACTERS_MAX = 120
# A table records each command that it refuses, and each such event would ask for another word of
# ours: until somebody has mended its roster it is left alone, but for a try now and then.
REFUSED_MS = 300_000

IsThere = Callable[[str], bool]


class Correspondence:
    """One letter a table and second at most, whatever happens there."""

    def __init__(self, prefix: str, principal: str, examiner: Examiner) -> None:
        self.inquiries = Inquiries()
        self._prefix = prefix
        self._principal = principal
        self._examiner = examiner
        self._held = {one.journal: one.head() for one in examiner.followers.values()}
        self._confirmed: dict[str, Head] = {}
        self._left_alone: dict[str, int] = {}
        self._letters: OrderedDict[str, Head] = OrderedDict()
        # A table answers an id that it knows as it did before: no two lives may share one.
        self._life = secrets.token_hex(4)
        self._number = 0

    def begin_anew(self) -> None:
        """A new connection: what was written on the old one may not have come through."""
        self._confirmed.clear()

    def table_is_back(self, table: str) -> None:
        """A table that came back is told again, and so notices a record that was put back."""
        journal = self._examiner.current.get(table, "")
        self._confirmed.pop(journal, None)

    def table_knows(self, table: str, sequence: int) -> None:
        """How far the table has the room's word; one that lags is told again."""
        journal = self._examiner.current.get(table, "")
        told = self._confirmed.get(journal)
        if told is not None and sequence < told.reached:
            del self._confirmed[journal]

    def holds(self, head: Head) -> None:
        """This much is durable now."""
        self._held[head.journal] = head

    def confirmations(
        self, is_there: IsThere, now_ms: int, tables: Sequence[str] | None = None
    ) -> list[Outgoing]:
        """What each of `tables` (None: of all) that is there should be told now."""
        letters = []
        for table, journal in self._journals(tables):
            head = self._held.get(journal)
            if head is None or head.disputed or head.reached == 0:
                continue
            if not is_there(table) or self._is_left_alone(table, now_ms):
                continue
            told = self._confirmed.get(journal)
            if told is None or told.reached != head.reached:
                self._confirmed[journal] = head
                identifier = self._letter("recorded", head)
                letters.append(
                    confirmation(self._prefix, self._principal, head, identifier, now_ms)
                )
        return letters

    def requests(
        self, is_there: IsThere, now_s: float, now_ms: int, tables: Sequence[str] | None = None
    ) -> list[Outgoing]:
        """What is to be asked of `tables` (None: of all) now; notes what no table has any more."""
        followers = []
        for table, journal in self._journals(tables):
            follower = self._examiner.followers[journal]
            gone = self.inquiries.gone_before(follower)
            if gone is not None:
                self._examiner.pass_over(follower, gone, now_ms)
            if follower.gap() is None:
                self._examiner.close(now_ms, table, journal, "gap")
            elif self.inquiries.tries(journal) >= GAP_TRIES_MIN:
                self._examiner.find(
                    now_ms, table, journal, "gap", follower.reached + 1,
                    f"event {follower.reached + 1} and what follows do not come",
                )  # fmt: skip
            if is_there(table) and not self._is_left_alone(table, now_ms):
                followers.append(follower)
        letters = []
        for ask in self.inquiries.due(followers, now_s):
            identifier = self._letter("replay", self._examiner.followers[ask.journal].head())
            letters.append(request(self._prefix, self._principal, ask, identifier, now_ms))
        return letters

    def answered(self, payload: bytes, now_ms: int) -> None:
        """A table's answer; one to a letter of an earlier life is passed over."""
        answer = members_of(payload)
        head = self._letters.pop(str(answer.get("id")), None)
        if head is None:
            return
        result, rule = answer.get("result"), answer.get("rule")
        if result == "accepted":
            self._examiner.close(now_ms, head.table, "", "refused")
        elif rule in (BEYOND, DIFFERS):
            kind = "rolled_back" if rule == BEYOND else "differs"
            said = str(answer.get("reason"))[:REASON_CHARACTERS_MAX]
            self._examiner.dispute(head.journal, kind, head.reached, f"the table: {said}", now_ms)
        elif result == "refused" and rule != OTHER_JOURNAL:
            said = str(answer.get("reason"))[:REASON_CHARACTERS_MAX]
            self._left_alone[head.table] = now_ms + REFUSED_MS
            self._confirmed.pop(head.journal, None)
            self._examiner.find(
                now_ms, head.table, "", "refused", 0, f"the table refuses the recorder: {said}"
            )

    def _journals(self, tables: Sequence[str] | None) -> list[tuple[str, str]]:
        current = self._examiner.current
        if tables is None:
            return list(current.items())
        return [(table, current[table]) for table in tables if table in current]

    def _is_left_alone(self, table: str, now_ms: int) -> bool:
        return now_ms < self._left_alone.get(table, 0)

    def _letter(self, kind: str, head: Head) -> str:
        self._number += 1
        identifier = f"{kind}-{head.journal[:8]}-{self._life}-{self._number}"
        self._letters[identifier] = head
        if len(self._letters) > LETTERS_MAX:
            self._letters.popitem(last=False)
        return identifier
