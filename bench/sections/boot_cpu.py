# SPDX-License-Identifier: Apache-2.0
"""CPU time of all processes from the monitor's start to the first KVM_RUN."""
import json
import os
import subprocess
import tempfile

from bench.harness import bed, rows, stats
from bench.harness.context import Invalid

NAME = "launch cpu, monitor start to first KVM_RUN"


def _timings(argv, folder):
    """What the monitor wrote of one launch."""
    path = os.path.join(folder, "timings.json")
    if os.path.exists(path):
        os.unlink(path)
    done = subprocess.run([*argv, "--timings-file", path], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace",
                          timeout=60, check=False)
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError) as e:
        raise Invalid(f"no timings ({e}); the launch ended with "
                      f"{done.returncode}: {done.stderr[-500:]}") from e


def _phases(timings, into):
    """Adds cpu_ns that each phase of each process took, in order."""
    for process in timings["processes"]:
        before = 0
        for phase in process["phases"]:
            key = f"{process['name']}: {phase['name']}"
            into.setdefault(key, []).append((phase["cpu_ns"] - before) / 1e6)
            before = phase["cpu_ns"]


def _row(ctx, name, argv, goals, conditions):
    samples, phases, wall = [], {}, []
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        _timings(argv, folder)  # warms the page cache
        for _ in range(ctx.reps):
            timings = _timings(argv, folder)
            samples.append(timings["total_cpu_ns"] / 1e6)
            wall.append(timings["wall_ns"] / 1e6)
            _phases(timings, phases)
    conditions = dict(conditions, wall_ms_p50=stats.median(wall), cpu_ms_by_phase={
        key: round(stats.median(v), 3) for key, v in phases.items()})
    return rows.make_row("boot", name, unit="ms", better="lower", ours=samples,
                         goals=goals, conditions=conditions)


def measure(ctx, disk, goals):
    """Rows: our small guest, and Debian's kernel (loading it is in the figure)."""
    base = [ctx.path("bin/bulkhead"), "run", "--cpus", "1", "--memory", "128",
            "--console", "none", "--debug-exit", "--disk", f"path={disk}",
            "--power-button-grace-ms", "0"]
    if ctx.wants(NAME):
        guest = ctx.path("tests/guest/guest.elf")
        yield _row(ctx, NAME, [*base, "--kernel", guest, "--cmdline", "tests=none"],
                   goals, {"kernel": "the small test guest", "page_cache": "warm"})
    if ctx.wants(NAME + ", Debian bzImage"):
        kernel = bed.kernel_folder(ctx.repo, "6.1-cloud")
        argv = ["timeout", "-s", "TERM", "2", *base, "--kernel",
                os.path.join(kernel, "bzImage")]
        yield _row(ctx, NAME + ", Debian bzImage", argv, goals,
                   {"kernel": "6.1-cloud bzImage, 64-bit entry", "page_cache": "warm"})
