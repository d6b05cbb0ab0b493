"""The tests of 58 Pa. Code § 810a.5(c)'s list on numbers of 1 to 7 (product.md A4). Pure.

Each takes the whole sample and gives one Finding. Chances are exact for fair numbers of seven
values, not those of a continuous variable: ties are counted, not wished away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from operator import mul, sub

from controller.laboratory.chances import (
    chi_square,
    chi_square_tail,
    kolmogorov_tail,
    normal_tails,
)
from controller.laboratory.sample import VALUES, Finding, fitted, pooled, too_few

# Mean of 1..7, and its variance (49 - 1) / 12.
MEAN, VARIANCE = 4, 4
FREQUENCY_MIN = 70
PAIRS_MIN = 2 * 7**2 * 5
LAGS = 16
CORRELATION_MIN = 1_000
RUNS_MIN = 1_000
GAPS_MIN = 5_000
# Longer gaps are counted together: a chance of 2^-26 each.
GAP_MAX = 120
HAND = 5
HANDS_MIN = HAND * 2_500
COLLECTION_MIN = 5_000
# Longer waits for the last of seven values are counted together (chance 0.0014).
WAIT_MAX = 60
PERMUTED = 4
PERMUTATIONS_MIN = 4 * 1_000
STRIDES = 7
SUBSEQUENCES_MIN = 7 * 70
# product.md A5: the window of the self-check.
BLOCK = 7_000
BLOCKS_MIN = 10
PROBE, PROBES = 24, 16
REPEATS_MIN = 1_000


def frequency(numbers: bytes) -> Finding:
    """Each number equally often: 659a.5(g)(2)."""
    if len(numbers) < FREQUENCY_MIN:
        return too_few("frequency", FREQUENCY_MIN)
    counts = [numbers.count(value) for value in range(1, VALUES + 1)]
    return fitted("frequency", counts, [1 / VALUES] * VALUES)


def serial_pairs(numbers: bytes) -> Finding:
    """Pairs that share no number: 49 equally likely."""
    if len(numbers) < PAIRS_MIN:
        return too_few("serial_pairs", PAIRS_MIN)
    whole = len(numbers) // 2 * 2
    seen = Counter(zip(numbers[:whole:2], numbers[1:whole:2], strict=True))
    return fitted("serial_pairs", _pairs(seen), [1 / VALUES**2] * VALUES**2)


def overlapping_pairs(numbers: bytes) -> Finding:
    """Each number and the one after it, on a ring: Good's difference of two chi-squares."""
    if len(numbers) < PAIRS_MIN:
        return too_few("overlapping_pairs", PAIRS_MIN)
    total = len(numbers)
    seen = Counter(zip(numbers, numbers[1:] + numbers[:1], strict=True))
    pairs = chi_square(_pairs(seen), [total / VALUES**2] * VALUES**2)
    singles = [numbers.count(value) for value in range(1, VALUES + 1)]
    statistic = pairs - chi_square(singles, [total / VALUES] * VALUES)
    freedom = VALUES * (VALUES - 1)
    return Finding(
        "overlapping_pairs", statistic, freedom, chi_square_tail(statistic, freedom)
    )  # fmt: skip


def serial_correlation(numbers: bytes) -> Finding:
    """Lags 1 to 16 about the known mean: each is a standard normal, their squares add up."""
    if len(numbers) < CORRELATION_MIN:
        return too_few("serial_correlation", CORRELATION_MIN)
    centred = [number - MEAN for number in numbers]
    statistic = 0.0
    for lag in range(1, LAGS + 1):
        products = sum(map(mul, centred, centred[lag:]))
        statistic += products**2 / (VARIANCE**2 * (len(centred) - lag))
    return Finding("serial_correlation", statistic, LAGS, chi_square_tail(statistic, LAGS))


def runs_up(numbers: bytes) -> Finding:
    """Lengths of strictly rising runs; the number that ends one belongs to none (Knuth)."""
    if len(numbers) < RUNS_MIN:
        return too_few("runs_up", RUNS_MIN)
    counts = [0] * (VALUES + 1)
    length, before = 0, 0
    for number in numbers:
        if length and number <= before:
            counts[length] += 1
            length = 0
        else:
            length += 1
            before = number
    # P(a run of at least r) = C(7, r) / 7^r: one way to order r different values.
    at_least = [math.comb(VALUES, r) / VALUES**r for r in range(VALUES + 2)]
    shares = [at_least[r] - at_least[r + 1] for r in range(1, VALUES + 1)]
    return fitted("runs_up", *pooled(counts[1:], shares))


def repeats(numbers: bytes) -> Finding:
    """How often a number equals the one before: one in seven."""
    if len(numbers) < RUNS_MIN:
        return too_few("repeats", RUNS_MIN)
    pairs = len(numbers) - 1
    equal = sum(map(int.__eq__, numbers, numbers[1:]))
    deviation = (equal - pairs / VALUES) / math.sqrt(pairs * (VALUES - 1) / VALUES**2)
    return Finding("repeats", deviation, None, normal_tails(deviation))


def gaps(numbers: bytes) -> Finding:
    """Distances between two of the same number, for each of the seven; the worst of them."""
    if len(numbers) < GAPS_MIN:
        return too_few("gaps", GAPS_MIN)
    worst: Finding | None = None
    for value in range(1, VALUES + 1):
        # What stands before the first and after the last is no gap between two.
        lengths = Counter(map(len, numbers.split(bytes([value]))[1:-1]))
        if sum(lengths.values()) < GAPS_MIN // (4 * VALUES):
            # A number that hardly comes has no gaps: that alone is the finding.
            return Finding("gaps", None, None, 0.0)
        miss = (VALUES - 1) / VALUES
        shares = [miss**length / VALUES for length in range(GAP_MAX)] + [miss**GAP_MAX]
        counts = [lengths[length] for length in range(GAP_MAX)]
        counts.append(sum(lengths.values()) - sum(counts))
        one = fitted("gaps", *pooled(counts, shares))
        if worst is None or _chance(one) < _chance(worst):
            worst = one
    assert worst is not None, "there are seven values"
    # Sidak's correction: the least of seven chances that hardly depend on each other.
    return Finding("gaps", worst.statistic, worst.freedom, 1 - (1 - _chance(worst)) ** VALUES)


def poker(numbers: bytes) -> Finding:
    """Hands of five by how many different numbers are in them."""
    if len(numbers) < HANDS_MIN:
        return too_few("poker", HANDS_MIN)
    hands = Counter(
        len(set(numbers[start : start + HAND])) for start in range(0, len(numbers) - HAND + 1, HAND)
    )
    # Stirling's second kind for five: ways to part them into r groups.
    ways = {1: 1, 2: 15, 3: 25, 4: 10, 5: 1}
    order = (5, 4, 3, 2, 1)
    shares = [ways[r] * math.perm(VALUES, r) / VALUES**HAND for r in order]
    return fitted("poker", *pooled([hands[r] for r in order], shares))


def coupon_collector(numbers: bytes) -> Finding:
    """How many numbers it takes until each of the seven was there."""
    if len(numbers) < COLLECTION_MIN:
        return too_few("coupon_collector", COLLECTION_MIN)
    waits = [0] * (WAIT_MAX + 1)
    missing, wait = set(range(1, VALUES + 1)), 0
    for number in numbers:
        wait += 1
        missing.discard(number)
        if not missing:
            waits[min(wait, WAIT_MAX)] += 1
            missing, wait = set(range(1, VALUES + 1)), 0
    if not any(waits):
        # In 5,000 fair numbers all seven come some 275 times.
        return Finding("coupon_collector", None, None, 0.0)
    shares = _waiting_shares()
    return fitted("coupon_collector", *pooled(waits[VALUES:], shares))


def permutation(numbers: bytes) -> Finding:
    """Orders of four different numbers: 24 equally likely; fours with a tie are passed over."""
    if len(numbers) < PERMUTATIONS_MIN:
        return too_few("permutation", PERMUTATIONS_MIN)
    orders: Counter[tuple[int, ...]] = Counter()
    for start in range(0, len(numbers) - PERMUTED + 1, PERMUTED):
        four = numbers[start : start + PERMUTED]
        if len(set(four)) == PERMUTED:
            orders[tuple(sorted(range(PERMUTED), key=four.__getitem__))] += 1
    kinds = math.factorial(PERMUTED)
    if sum(orders.values()) < 5 * kinds:
        # 35 % of fair fours have no tie.
        return Finding("permutation", None, None, 0.0)
    counts = [*orders.values(), *([0] * (kinds - len(orders)))]
    return fitted("permutation", counts, [1 / kinds] * kinds)


def subsequences(numbers: bytes) -> Finding:
    """Every seventh number, from each of seven starts: each alone is even."""
    if len(numbers) < SUBSEQUENCES_MIN:
        return too_few("subsequences", SUBSEQUENCES_MIN)
    statistic = 0.0
    for start in range(STRIDES):
        every = numbers[start::STRIDES]
        counts = [every.count(value) for value in range(1, VALUES + 1)]
        statistic += chi_square(counts, [len(every) / VALUES] * VALUES)
    freedom = STRIDES * (VALUES - 1)
    return Finding("subsequences", statistic, freedom, chi_square_tail(statistic, freedom))


def random_walk(numbers: bytes) -> Finding:
    """The furthest that the sum of the numbers strays from its mean, on the way."""
    if len(numbers) < CORRELATION_MIN:
        return too_few("random_walk", CORRELATION_MIN)
    where = furthest = 0
    for number in numbers:
        where += number - MEAN
        if where > furthest or -where > furthest:
            furthest = abs(where)
    if not furthest:
        # A thousand fair numbers have never all been a 4.
        return Finding("random_walk", 0.0, None, 0.0)
    scaled = furthest / math.sqrt(VARIANCE * len(numbers))
    # Reflection principle for the greatest distance of a Brownian path from its start.
    terms = (
        (-1) ** k * math.exp(-((2 * k + 1) ** 2) * math.pi**2 / (8 * scaled**2)) / (2 * k + 1)
        for k in range(50)
    )
    stays = 4 / math.pi * math.fsum(terms)
    return Finding("random_walk", scaled, None, min(1.0, max(0.0, 1 - stays)))


def kolmogorov_smirnov(numbers: bytes) -> Finding:
    """Chi-squares of windows of 7,000 spread as they should: neither too bad nor too good."""
    if len(numbers) < BLOCKS_MIN * BLOCK:
        return too_few("kolmogorov_smirnov", BLOCKS_MIN * BLOCK)
    chances = sorted(_block_chance(numbers[start : start + BLOCK])
                     for start in range(0, len(numbers) - BLOCK + 1, BLOCK))  # fmt: skip
    count = len(chances)
    distance = max(
        max(chance - index / count, (index + 1) / count - chance)
        for index, chance in enumerate(chances)
    )
    return Finding("kolmogorov_smirnov", distance, None, kolmogorov_tail(distance, count))


def long_repeats(numbers: bytes) -> Finding:
    """Whether 24 numbers from one of sixteen places come again: a source that goes round."""
    if len(numbers) < REPEATS_MIN:
        return too_few("long_repeats", REPEATS_MIN)
    again = 0
    for probe in range(PROBES):
        start = probe * (len(numbers) - PROBE) // PROBES
        again += numbers.find(numbers[start : start + PROBE], start + 1) >= 0
    # By chance one of the sixteen comes again at one of n places once in 7^24 / 16 n samples.
    by_chance = min(1.0, PROBES * len(numbers) / VALUES**PROBE)
    return Finding("long_repeats", float(again), None, by_chance if again else 1.0)


BATTERY: tuple[Callable[[bytes], Finding], ...] = (
    frequency, serial_pairs, overlapping_pairs, serial_correlation, repeats, runs_up, gaps, poker,
    coupon_collector, permutation, subsequences, random_walk, kolmogorov_smirnov, long_repeats,
)  # fmt: skip


def _pairs(seen: Counter[tuple[int, int]]) -> list[int]:
    values = range(1, VALUES + 1)
    return [seen[one, other] for one in values for other in values]


def _chance(finding: Finding) -> float:
    assert finding.chance is not None, "it was run"
    return finding.chance


def _block_chance(block: bytes) -> float:
    counts = [block.count(value) for value in range(1, VALUES + 1)]
    return chi_square_tail(chi_square(counts, [len(block) / VALUES] * VALUES), VALUES - 1)


def _waiting_shares() -> list[float]:
    """Chances that the seventh value comes with number 7, 8, …, WAIT_MAX or later."""
    # P(all seen within t), by inclusion and exclusion.
    within = [
        math.fsum(
            (-1) ** k * math.comb(VALUES, k) * ((VALUES - k) / VALUES) ** wait
            for k in range(VALUES + 1)
        )
        for wait in range(WAIT_MAX)
    ]
    shares = list(map(sub, within[VALUES:], within[VALUES - 1 :]))
    return [*shares, 1 - within[-1]]
