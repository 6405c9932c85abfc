# SPDX-License-Identifier: Apache-2.0
"""The block device's data path with and without walls: a real bulkhead-blk,
driven over its rings by bench/src/blk_ring.c, image warm in the page cache (no
storage in the figure, so that what the walls cost is as large a part as it can
be)."""
import json
import os
import subprocess
import tempfile

from bench.harness import pairs, rows, walls
from bench.harness.context import Invalid

# Times --reps.
PAIRS = 6
# More than a last-level cache, small enough to stay in use all over.
IMAGE_MIB = 64
SECONDS = 0.25
WARMUP = 0.05
# Of the window, driver and device together on one CPU: with less, the figure is
# of the neighbours.
BUSY_MIN = 0.95

CASES = (("4 KiB random read, depth 1",
          ["--op", "randread", "--size", "4096", "--depth", "1"]),
         ("4 KiB random read, depth 32",
          ["--op", "randread", "--size", "4096", "--depth", "32"]),
         ("1 MiB sequential read, depth 1",
          ["--op", "read", "--size", str(1 << 20), "--depth", "1"]))

# key of the sample, name of the figure, unit, divisor, better
# The least latency is what the code path takes when nothing disturbs it: the
# figure that tells small costs.
FIGURES = (("iops", "requests", "1/s", 1, "higher"),
           ("min_ns", "latency min", "us", 1e3, "lower"),
           ("p50_ns", "latency p50", "us", 1e3, "lower"),
           ("p99_ns", "latency p99", "us", 1e3, "lower"),
           ("device_cpu_ns_per_request", "device cpu a request", "us", 1e3, "lower"))


def wrong(mode, sample):
    """None, or why a sample of blk_ring does not count."""
    if not sample["ok"]:
        return sample["why"]
    if sample["requests"] <= 0 or sample["device_cpu_ns_per_request"] <= 0:
        return "zero work"
    if sample["verified"] <= 0:
        return "no data was compared"
    if min(sample["cached_before"], sample["cached_after"]) < 1:
        return (f"page cache: {sample['cached_before']:.3f} of the image before, "
                f"{sample['cached_after']:.3f} after; asked for all of it")
    if sample["busy_part"] < BUSY_MIN:
        return (f"driver and device had {sample['busy_part']:.0%} of their CPU, "
                f"{BUSY_MIN:.0%} and more count")
    if sample["refusals"] is None:
        return "the device does not say how many calls it refused"
    return walls.wrong_mode(mode, sample["threads"], sample["self"])


def placement():
    """Options of blk_ring, the same for both modes.

    Driver and device take turns on one CPU: to wake another one costs a virtual
    CPU up to ten times what a request does, or nothing if the device happened
    not to sleep yet, and which of the two it is decides a figure more than any
    wall. Neither waits for neighbours, where we have the right to that.
    """
    cpu = max(os.sched_getaffinity(0))
    return ["--cpus", f"{cpu},{cpu}", "--sleep", "--realtime"]


def _taker(ctx, image, options):
    base = [ctx.path("bench/blk_ring"), "--program", ctx.path("bin/bulkhead-blk"),
            "--image", image, *options, *placement(),
            "--seconds", str(SECONDS), "--warmup", str(WARMUP)]

    def take(mode):
        done = subprocess.run([*base, "--confine", mode], capture_output=True,
                              text=True, timeout=60, check=False)
        if done.returncode != 0:
            return None, f"blk_ring ended with {done.returncode}: {done.stderr[-200:]}"
        sample = json.loads(done.stdout)
        why = wrong(mode, sample)
        return sample, f"{why} {done.stderr[-200:]}".strip() if why else None
    return take


def _conditions(found, unstable):
    """What the figures were taken under, and what they do not say themselves."""
    off, enforce = ([pair[i] for pair in found] for i in (0, 1))
    result = {
        "page_cache": "warm: all of the image before and after each sample",
        "driver": " ".join(placement()),
        "realtime": all(s["realtime"] for s in off + enforce),
        "busy_part_min": min(s["busy_part"] for s in off + enforce),
        "window_s": SECONDS, "warmup_s": WARMUP,
        "refusals": {"off": sum(s["refusals"] for s in off),
                     "enforce": sum(s["refusals"] for s in enforce)},
        "verified_requests": sum(s["verified"] for s in off + enforce),
        "threads": {"off": off[0]["threads"], "enforce": enforce[0]["threads"]},
        "per_request": {k: round(sum(s[k] for s in enforce) / len(enforce), 3)
                        for k in ("kicks_per_request", "calls_per_request",
                                  "wakes_per_request")}}
    if unstable:
        result["unstable"] = unstable
    return result


def _rows(name, found, unstable, goals):
    for key, figure, unit, divisor, better in FIGURES:
        off, enforce = ([pair[i][key] / divisor for pair in found] for i in (0, 1))
        yield rows.make_row(
            "confine", f"blk {name}: {figure}", unit=unit, better=better,
            ours=enforce, peer=("off", off), goals=goals,
            conditions=_conditions(found, {k: v for k, v in unstable.items()
                                           if k == key}))


def measure(ctx, goals):
    """A row for each case and figure."""
    cases = [c for c in CASES if ctx.wants(f"blk {c[0]}")]
    if not cases:
        return
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        image = os.path.join(folder, "image")
        done = subprocess.run([ctx.path("bench/blk_ring"), "--image", image,
                               "--fill-mib", str(IMAGE_MIB)],
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise Invalid(f"no image: {done.stderr.strip()}")
        for name, options in cases:
            wanted = pairs.count(ctx, PAIRS)
            ctx.progress(f"blk {name}: {wanted} pairs")
            found, unstable = pairs.settled(ctx, f"blk {name}", walls.MODES,
                                            _taker(ctx, image, options), wanted,
                                            [f[0] for f in FIGURES])
            yield from _rows(name, found, unstable, goals)
