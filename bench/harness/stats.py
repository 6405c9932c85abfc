# SPDX-License-Identifier: Apache-2.0
"""Figures of one series and of two series taken in turn."""
import math


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
    if len(ours) != len(peer) or not ours:
        raise ValueError(f"series of {len(ours)} and {len(peer)} samples "
                         "cannot be paired")
    ratios = [a / b for a, b in zip(ours, peer)]
    return median(ratios), max(ratios) - min(ratios)


def relative_spread(samples):
    """(max - min) / p50 of one series."""
    return (max(samples) - min(samples)) / median(samples)
