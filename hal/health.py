"""The continuous health tests of SP 800-90B 4.4 on a raw source, and two of our own. Pure.

Cut-offs are computed from the claimed entropy H (bits a sample) and the false-alarm chance
2^-alpha, with an exact enough binomial, and compared by the tests with the table of product.md A9.
"""

from __future__ import annotations

import decimal
import functools
import hashlib
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

# Digits of the binomial sums: the smallest chance in use is 2^-40, a window has 1024 samples.
_DIGITS = 60
# At least this many good samples before the first draw (product.md A9, SP 800-90B 4.3).
STARTUP_SAMPLES_MIN = 1_024
# A source that goes round a short ring passes both tests of 4.4; this many blocks are remembered.
BLOCKS_KEPT_MAX = 64


def repetition_cutoff(entropy: Fraction, alpha: int) -> int:
    """How many equal samples in a row fail: 1 + ceil(alpha / H)."""
    return 1 + math.ceil(alpha / entropy)


@functools.cache
def proportion_cutoff(window: int, entropy: Fraction, alpha: int) -> int:
    """How often a window's first sample may not recur: 1 + critbinom(W, 2^-H, 1 - 2^-alpha)."""
    with decimal.localcontext(prec=_DIGITS):
        exponent = decimal.Decimal(entropy.numerator) / entropy.denominator
        chance = decimal.Decimal(2) ** -exponent
        alarm = decimal.Decimal(2) ** -alpha
        tail = decimal.Decimal(0)
        term = chance**window
        for count in range(window, 0, -1):
            # `tail` is the chance of more than `count`; the first count whose own term does not
            # fit below the false-alarm chance is the critical value.
            if tail + term > alarm:
                return 1 + count
            tail += term
            term = term * count * (1 - chance) / ((window - count + 1) * chance)
    return 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Samples that fail: `repetition` in a row, `proportion` of `window`."""

    repetition: int
    proportion: int
    window: int

    @classmethod
    def of(cls, window: int, entropy: Fraction, alpha: int) -> Limits:
        """Limits for H = `entropy` bits a sample and false alarms once in 2^`alpha`."""
        return cls(
            repetition_cutoff(entropy, alpha), proportion_cutoff(window, entropy, alpha), window
        )


# Octets: half of their eight bits are claimed, so that a good source never trips (2^-64 a sample).
OCTET_ENTROPY, OCTET_ALPHA, OCTET_WINDOW = Fraction(4), 30, 512
# Bits: full entropy is claimed, so a lean of 11 % shows; 2^-40, because half a thousand bits are
# tested every second for years.
BIT_ENTROPY, BIT_ALPHA, BIT_WINDOW = Fraction(1), 40, 1024
# Octets over which each of the eight places must change: sixteen chances of 2^-64 in good ones.
LANE_WINDOW = 64


class Stream:
    """Repetition count and adaptive proportion over one stream of equal samples."""

    __slots__ = ("_first", "_last", "_limits", "_matches", "_run", "_seen")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._last: int | None = None
        self._run = 0
        self._first = 0
        self._matches = 0
        self._seen = 0

    def feed(self, samples: Iterable[int]) -> str | None:
        """The name of the test that fails first in `samples`, or None; the rest is left then."""
        # Locals: this loop sees every octet that a board ever draws from.
        run, last, seen = self._run, self._last, self._seen
        first, matches = self._first, self._matches
        repetition, proportion = self._limits.repetition, self._limits.proportion
        window = self._limits.window
        for sample in samples:
            run = run + 1 if sample == last else 1
            last = sample
            if seen == 0:
                first, matches = sample, 0
            if sample == first:
                matches += 1
            seen += 1
            if seen == window:
                seen = 0
            if run >= repetition:
                return "repetition"
            if matches >= proportion:
                return "proportion"
        self._run, self._last, self._seen = run, last, seen
        self._first, self._matches = first, matches
        return None


# Of each octet, lowest bit first: how many bits are set, and how long it stays as it begins and
# as it ends.
_ONES = tuple(octet.bit_count() for octet in range(256))
_TEXTS = tuple(f"{octet:08b}"[::-1] for octet in range(256))
_LEADS = tuple(8 - len(text.lstrip(text[0])) for text in _TEXTS)
_TRAILS = tuple(8 - len(text.rstrip(text[-1])) for text in _TEXTS)


class BitStream:
    """The same two tests over the bits of octets, lowest bit first, an octet at a time.

    A failure is noticed at the end of its octet instead of at its bit; nothing else differs from
    a `Stream` of bits, and a second of raw octets costs a fifth. Needs limits that no octet alone
    can reach, and windows of whole octets.
    """

    __slots__ = ("_first", "_last", "_limits", "_matches", "_run", "_seen")

    def __init__(self, limits: Limits) -> None:
        assert limits.repetition > 8, "one octet alone must not fail"
        assert limits.window % 8 == 0, "a window is one of whole octets"
        self._limits = limits
        self._last = -1
        self._run = 0
        self._first = 0
        self._matches = 0
        self._seen = 0

    def feed(self, octets: Iterable[int]) -> str | None:
        """The name of the test that fails first in `octets`, or None; the rest is left then."""
        run, last, seen = self._run, self._last, self._seen
        first, matches = self._first, self._matches
        repetition, proportion = self._limits.repetition, self._limits.proportion
        window = self._limits.window
        for octet in octets:
            begins, lead = octet & 1, _LEADS[octet]
            length = lead + run if begins == last else lead
            run = length if lead == 8 else _TRAILS[octet]
            last = octet >> 7
            if seen == 0:
                first, matches = begins, 0
            matches += _ONES[octet] if first else 8 - _ONES[octet]
            seen += 8
            if seen == window:
                seen = 0
            if length >= repetition:
                return "repetition"
            if matches >= proportion:
                return "proportion"
        self._run, self._last, self._seen = run, last, seen
        self._first, self._matches = first, matches
        return None


class Lanes:
    """One bit of each octet that never changes: a line of a wide source that is broken.

    It leaves fifteen bits of sixteen as they were, too little for either test of SP 800-90B 4.4.
    """

    __slots__ = ("_always", "_ever", "_seen")

    def __init__(self) -> None:
        self._ever, self._always, self._seen = 0, 0xFF, 0

    def feed(self, octets: Iterable[int]) -> str | None:
        """`stuck` at the end of a window in which a place was always set, or never."""
        ever, always, seen = self._ever, self._always, self._seen
        for octet in octets:
            ever |= octet
            always &= octet
            seen += 1
            if seen == LANE_WINDOW:
                if ever != 0xFF or always:
                    return "stuck"
                ever, always, seen = 0, 0xFF, 0
        self._ever, self._always, self._seen = ever, always, seen
        return None


class Health:
    """All tests of one raw source since it was opened; a failure is final for this object."""

    def __init__(self) -> None:
        self._octets = Stream(Limits.of(OCTET_WINDOW, OCTET_ENTROPY, OCTET_ALPHA))
        self._bits = BitStream(Limits.of(BIT_WINDOW, BIT_ENTROPY, BIT_ALPHA))
        self._lanes = Lanes()
        self._blocks: deque[bytes] = deque(maxlen=BLOCKS_KEPT_MAX)
        self._failed: str | None = None
        self._good = 0

    @property
    def failed(self) -> str | None:
        """The test that failed first, or None."""
        return self._failed

    @property
    def started(self) -> bool:
        """Enough good samples were seen for a first draw."""
        return self._failed is None and self._good >= STARTUP_SAMPLES_MIN

    def feed(self, block: bytes | bytearray | memoryview) -> str | None:
        """Test one block of raw octets; gives the name of a failed test, or None.

        Names: `repetition` `proportion` (octets), `bit_repetition` `bit_proportion` (bits),
        `bit_stuck` (one place of the octets), `repeated_block`. The block is not
        kept, only a digest of it.
        """
        if self._failed is None:
            self._failed = self._octets_fail(block) or self._block_repeats(block)
        if self._failed is None:
            self._good += len(block)
        return self._failed

    def _octets_fail(self, block: bytes | bytearray | memoryview) -> str | None:
        if (failed := self._octets.feed(block)) is not None:
            return failed
        for stream in (self._bits, self._lanes):
            if (failed := stream.feed(block)) is not None:
                return f"bit_{failed}"
        return None

    def _block_repeats(self, block: bytes | bytearray | memoryview) -> str | None:
        digest = hashlib.sha256(block).digest()
        if digest in self._blocks:
            return "repeated_block"
        self._blocks.append(digest)
        return None
