# SPDX-License-Identifier: Apache-2.0
"""boot: what a launch costs, how long it takes beside QEMU, what it holds."""
import os
import tempfile

from bench.harness import bed, rows
from bench.sections import boot_beside, boot_cpu, boot_pss


def measure(ctx):
    """Yields the rows of the section."""
    goals = rows.load_goals()
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        disk = os.path.join(folder, "disk.img")
        with open(disk, "wb") as f:
            f.truncate(64 << 20)
        yield from boot_cpu.measure(ctx, disk, goals)
        yield from boot_pss.measure(ctx, disk, goals)
    native, reason = bed.is_native(ctx.repo)
    ctx.progress(f"stock kernels run {'here' if native else 'in the bed'}: {reason}")
    yield from boot_beside.measure(ctx, goals)
