# SPDX-License-Identifier: Apache-2.0
"""What the walls of one process cost at its start, in CPU time, from the phase
marks that each process sends. No mark stands between exec and the early walls,
so the figure holds all of the first phase as well: an upper bound."""
import json
import os
import subprocess
import tempfile
import time

from bench.harness import pairs, rows, stats, walls

ROW = "start cpu with all walls"
# Phases in which a process's walls are built. The monitor's "spawn" is what it
# does for the namespaces of its children, exec included.
PHASES = {"monitor": ("spawn", "confine"),
          "vmm": ("start", "confine", "vcpus"),
          "blk": ("exec", "confine", "ready")}
WAIT_S = 20


def by_phase(process):
    """{phase: CPU time in ms}; marks are running totals."""
    found, before = {}, 0
    for phase in process["phases"]:
        ms = (phase["cpu_ns"] - before) / 1e6
        found[phase["name"]] = found.get(phase["name"], 0) + ms
        before = phase["cpu_ns"]
    return found


def sample_of(timings):
    """{role: {"walls": ms, "confine": ms, "phases": {}}}; KeyError without one."""
    found = {}
    for process in timings["processes"]:
        role = process["role"]
        phases = by_phase(process)
        found[role] = {"walls": sum(phases[p] for p in PHASES[role]),
                       "confine": phases["confine"], "phases": phases}
    missing = set(PHASES) - set(found)
    if missing:
        raise KeyError(f"no {' and no '.join(sorted(missing))} in the timings")
    return found


def _timings(path, machine):
    """The timings file of a running machine, or (None, why)."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and machine.poll() is None:
        try:
            with open(path, encoding="utf-8") as f:
                return json.load(f), None
        except (OSError, ValueError):
            time.sleep(0.01)
    return None, f"no timings; the machine's status is {machine.poll()}"


def _end(machine):
    machine.terminate()
    try:
        machine.wait(timeout=10)
    except subprocess.TimeoutExpired:
        machine.kill()
        machine.wait()


def _look(mode, path, machine):
    """(sample, why it does not count) of an idle machine that starts now."""
    timings, why = _timings(path, machine)
    if why:
        return None, why
    own = walls.threads(os.getpid())
    try:
        for process in timings["processes"]:
            why = walls.wrong_mode(mode, walls.threads(process["pid"]), own)
            if why:
                return None, f"{process['name']}: {why}"
        return sample_of(timings), None
    except (OSError, KeyError) as e:
        return None, f"{type(e).__name__}: {e}"


def _taker(ctx, folder, disk):
    argv = [ctx.path("bin/bulkhead"), "run", "--kernel",
            ctx.path("tests/guest/guest.elf"), "--cmdline", "tests=none end=idle",
            "--cpus", "1", "--memory", "128", "--console", "none",
            "--disk", f"path={disk}", "--power-button-grace-ms", "0"]

    def take(mode):
        path = os.path.join(folder, "timings.json")
        if os.path.exists(path):
            os.unlink(path)
        with subprocess.Popen([*argv, "--confine", mode, "--timings-file", path],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as machine:
            try:
                return _look(mode, path, machine)
            finally:
                _end(machine)
    return take


def _phase_medians(samples):
    return {name: round(stats.median([s["phases"][name] for s in samples]), 3)
            for name in samples[0]["phases"]}


def _row(role, found, goals):
    off, enforce = ([pair[i][role] for pair in found] for i in (0, 1))
    return rows.make_row(
        "confine", f"{ROW}: {role}", unit="ms", better="lower",
        ours=[s["walls"] for s in enforce], peer=("off", [s["walls"] for s in off]),
        goals=goals, conditions={
            "sum_of_phases": list(PHASES[role]),
            "confine_enter_ms_p50": round(stats.median(
                [s["confine"] for s in enforce]), 3),
            "enforce_less_off_ms_p50": round(stats.median(
                [e["walls"] - o["walls"] for e, o in zip(enforce, off)]), 3),
            "phases_ms_p50": {"off": _phase_medians(off),
                              "enforce": _phase_medians(enforce)}})


def measure(ctx, goals):
    """One row a role."""
    if not ctx.wants(ROW):
        return
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        disk = os.path.join(folder, "disk.img")
        with open(disk, "wb") as f:
            f.truncate(64 << 20)
        take, wanted = _taker(ctx, folder, disk), pairs.count(ctx)
        ctx.progress(f"{ROW}: {wanted} pairs of idle machines")
        for mode in walls.MODES:
            take(mode)  # warms the page cache
        found = pairs.alternate(ctx, ROW, walls.MODES, take, wanted)
    for role in PHASES:
        yield _row(role, found, goals)
