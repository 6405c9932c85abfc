# SPDX-License-Identifier: Apache-2.0
"""confine: what the walls cost, enforce beside off, the same work in turn.

Each part is a file of its own: the start of a machine, the start's cost by
process, and each device's data path (a new device adds one file and one line).
"""
import os

from bench.harness import rows
from bench.sections import confine_blk, confine_boot, confine_start

PARTS = (confine_start, confine_boot, confine_blk)


def measure(ctx):
    """Yields the rows of the section."""
    goals = rows.load_goals()
    ctx.progress(f"load average before: {os.getloadavg()[0]:.2f}")
    for part in PARTS:
        yield from part.measure(ctx, goals)
    ctx.progress(f"load average after: {os.getloadavg()[0]:.2f}")
