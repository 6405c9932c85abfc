# SPDX-License-Identifier: Apache-2.0
"""Figures of one series and of two series taken in turn."""
import math

# Fewer samples than that have no interval that is 95 % sure.
INTERVAL_MIN = 6


def nearest_rank(ordered, percent):
    """The nearest-rank percentile of a sorted, non-empty list."""
    rank = max(1, math.ceil(percent / 100 * len(ordered)))
    return ordered[rank - 1]


def median(values):
    ordered = sorted(values)
    mid = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[mid]
    return (ordered[mid - 1] + ordered[mid]) / 2


def summary(samples):
    """p50, p95, min, max, n and the samples in the order they were taken."""
    if not samples:
        raise ValueError("a series without samples has no figures")
    if any(s <= 0 for s in samples):
        raise ValueError("a sample of zero work is an error, not a figure")
    ordered = sorted(samples)
    return {"p50": median(ordered), "p95": nearest_rank(ordered, 95),
            "min": ordered[0], "max": ordered[-1], "n": len(ordered),
            "samples": list(samples)}


def paired_ratio(ours, peer):
    """Median of the ratios pair by pair, and (max - min) of them.

    Both series must come from one alternating run: sample n of one was taken
    beside sample n of the other.
    """
    ratios = pair_ratios(ours, peer)
    return median(ratios), max(ratios) - min(ratios)


def median_interval(values, confidence=0.95):
    """(low, high): holds the median of what the values were drawn from.

    By order statistics, so nothing is assumed of the distribution; with fewer
    than INTERVAL_MIN values no pair of them is that sure, and the extremes are given.
    """
    ordered, cnt = sorted(values), len(values)
    below, skip = 0.5 ** cnt, 0
    while 2 * (below + math.comb(cnt, skip + 1) * 0.5 ** cnt) <= 1 - confidence:
        skip += 1
        below += math.comb(cnt, skip) * 0.5 ** cnt
    return ordered[skip], ordered[cnt - 1 - skip]


def pair_ratios(ours, peer):
    """ours / peer, pair by pair."""
    if len(ours) != len(peer) or not ours:
        raise ValueError(f"series of {len(ours)} and {len(peer)} samples "
                         "cannot be paired")
    return [a / b for a, b in zip(ours, peer)]


def unstable(samples):
    """None, or why a series has no one figure.

    p50 more than 25 % over p25, or a gap of more than 25 % with a quarter of
    the samples or more on each side of it.
    """
    ordered = sorted(samples)
    low, mid = nearest_rank(ordered, 25), median(ordered)
    if mid > 1.25 * low:
        return f"p50 {mid:.4g} is more than 25 % over p25 {low:.4g}"
    quarter = math.ceil(len(ordered) / 4)
    for i in range(quarter, len(ordered) - quarter + 1):
        if ordered[i] > 1.25 * ordered[i - 1]:
            return f"nothing between {ordered[i - 1]:.4g} and {ordered[i]:.4g}"
    return None


def relative_spread(samples):
    """(max - min) / p50 of one series."""
    return (max(samples) - min(samples)) / median(samples)
