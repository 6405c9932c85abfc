# SPDX-License-Identifier: Apache-2.0
"""The small guest from launch to its debug exit, with and without walls: CPU
time of all processes together and wall time, the machine's end included."""
import json
import os
import subprocess
import tempfile

from bench.harness import pairs, refusals, rows, stats, walls

ROW = "boot, launch to debug exit"
MARKER = "done 2 ok 0 failed"
EXIT_STATUS = 33
# What the monitor says of a machine that is not confined.
WARNING = "confine is not enforce"
FIGURES = (("cpu_ms", "cpu"), ("wall_ms", "wall"))


def wrong(mode, clock, output):
    """None, or why a launch timed by launch_clock does not count."""
    if not clock["ok"]:
        return clock["why"]
    if clock["status"] != EXIT_STATUS:
        return f"ended with {clock['status']} instead of {EXIT_STATUS}"
    if (WARNING in output) != (mode == "off"):
        return f"asked for {mode}, and the monitor says that it is not"
    return None


def figures(clock):
    """The sample in ms."""
    return {"cpu_ms": (clock["user_us"] + clock["sys_us"]) / 1e3,
            "wall_ms": clock["exit_ns"] / 1e6}


def _argv(ctx, disk, mode):
    return [ctx.path("bin/bulkhead"), "run", "--kernel",
            ctx.path("tests/guest/guest.elf"), "--cmdline", "tests=none",
            "--cpus", "1", "--memory", "128", "--console", "stdio",
            "--debug-exit", "--disk", f"path={disk}",
            "--power-button-grace-ms", "0", "--confine", mode]


def _taker(ctx, disk):
    clock = [ctx.path("bench/launch_clock"), MARKER, "30", "--"]

    def take(mode):
        done = subprocess.run([*clock, *_argv(ctx, disk, mode)], capture_output=True,
                              text=True, errors="replace", timeout=60, check=False)
        if done.returncode != 0:
            return None, f"launch_clock ended with {done.returncode}"
        found = json.loads(done.stdout)
        return figures(found), wrong(mode, found, done.stderr)
    return take


def measure(ctx, goals):
    """Two rows."""
    if not ctx.wants(ROW):
        return
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        disk = os.path.join(folder, "disk.img")
        with open(disk, "wb") as f:
            f.truncate(64 << 20)
        take, wanted = _taker(ctx, disk), pairs.count(ctx)
        ctx.progress(f"{ROW}: {wanted} pairs")
        for mode in walls.MODES:
            take(mode)  # warms the page cache
        found, unstable = pairs.settled(ctx, ROW, walls.MODES, take, wanted,
                                        [f[0] for f in FIGURES])
        refused = {mode: refusals.measure(_argv(ctx, disk, mode), 120)
                   for mode in walls.MODES}
    for key, name in FIGURES:
        off, enforce = ([pair[i][key] for pair in found] for i in (0, 1))
        conditions = {"guest": "small test guest, 1 CPU, 128 MiB, one disk",
                      "page_cache": "warm", "cpus": "not pinned",
                      "enforce_less_off_ms": round(stats.median(
                          [e - o for e, o in zip(enforce, off)]), 3),
                      "refusals": refused}
        if key in unstable:
            conditions["unstable"] = unstable[key]
        yield rows.make_row("confine", f"{ROW}: {name}", unit="ms", better="lower",
                            ours=enforce, peer=("off", off), goals=goals,
                            conditions=conditions)
