# SPDX-License-Identifier: Apache-2.0
"""Samples of two sides taken in turn, A B A B, one by one.

What drifts (clock, temperature, neighbours) then hits both sides of a pair
alike, and only ratios within pairs are compared.
"""
from bench.harness import stats
from bench.harness.context import Invalid

PAIRS_MIN = 7
# Attempts for each pair that is wanted, on a machine with neighbours.
ATTEMPTS = 4


def count(ctx, factor=3):
    """How many pairs a row takes: short samples, hence many."""
    return ctx.reps if ctx.quick else max(PAIRS_MIN, ctx.reps) * factor


def alternate(ctx, row, sides, take, wanted):
    """[(sample of sides[0], sample of sides[1])], `wanted` valid pairs.

    take(side) returns (sample, None) or (anything, why it does not count). A
    pair of which one sample does not count is thrown out whole and named.
    """
    found = []
    for _ in range(ATTEMPTS * wanted):
        pair = [take(side) for side in sides]
        bad = [f"{side}: {why}" for side, (_, why) in zip(sides, pair) if why]
        if bad:
            ctx.discard(row, "; ".join(bad))
            continue
        found.append(tuple(sample for sample, _ in pair))
        if len(found) == wanted:
            return found
    raise Invalid(f"{row}: {len(found)} of {wanted} pairs were valid in "
                  f"{ATTEMPTS * wanted} attempts; the reasons are with the discarded samples")


def settled(ctx, row, sides, take, wanted, keys):
    """alternate(), once more if a series of `keys` is unstable.

    Returns (pairs, {key: why it is still unstable}).
    """
    pairs, bad = [], {}
    for attempt in range(2):
        pairs = alternate(ctx, row, sides, take, wanted)
        bad = unstable(pairs, keys)
        if not bad or ctx.quick:
            break
        if attempt == 0:
            ctx.progress(f"{row}: measured once more: unstable {', '.join(bad)}")
    return pairs, bad


def unstable(pairs, keys):
    """{key: reason} of the series that are not stable, on either side."""
    bad = {}
    for key in keys:
        for side in (0, 1):
            why = stats.unstable([pair[side][key] for pair in pairs])
            if why:
                bad[key] = why
    return bad
