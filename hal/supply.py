"""One opening of a raw source: tested, conditioned, and given out in blocks. Blocks the caller."""

from __future__ import annotations

from collections.abc import Callable

from hal.entropy import Conditioner, RawSource, SourceError, wipe
from hal.health import Health

# 512 raw bits a block: as many as the conditioner's output, and one window part for the tests.
BLOCK_OCTETS = 64


class OutOfService(Exception):
    """A test of the raw source failed; `test` names it."""

    def __init__(self, test: str) -> None:
        super().__init__(test)
        self.test = test


class Supply:
    """What a table's generator draws from, and a laboratory collects from: one code path.

    All methods belong to one thread, but for `stop`.
    """

    def __init__(self, open_raw: Callable[[], RawSource]) -> None:
        self._open_raw = open_raw
        self._raw: RawSource | None = None
        self._health = Health()
        self._conditioner = Conditioner()
        self._buffer = bytearray(BLOCK_OCTETS)

    def start(self) -> str:
        """Open, and feed the start-up tests until satisfied; gives the source's name.

        Raises OutOfService.
        """
        try:
            self._raw = self._open_raw()
        except SourceError:
            raise OutOfService("source") from None
        while not self._health.started:
            self._read(self._raw)
        wipe(self._buffer)
        return self._raw.name

    def stop(self) -> None:
        """From any thread: end a read that waits."""
        if self._raw is not None:
            self._raw.stop()

    def close(self) -> None:
        """Give the source back."""
        if self._raw is not None:
            self._raw.close()

    def block(self) -> bytearray:
        """One tested and conditioned block. Raises OutOfService."""
        assert self._raw is not None, "a block before the start-up tests"
        self._read(self._raw)
        given = self._conditioner.block(self._buffer)
        wipe(self._buffer)
        return given

    def _read(self, raw: RawSource) -> None:
        try:
            raw.fill(self._buffer)
        except SourceError:
            raise OutOfService("source") from None
        if (failed := self._health.feed(self._buffer)) is not None:
            wipe(self._buffer)
            raise OutOfService(failed)
