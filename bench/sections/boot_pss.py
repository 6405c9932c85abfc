# SPDX-License-Identifier: Apache-2.0
"""Proportional memory of all processes of an idle machine, less guest RAM."""
import os
import re
import subprocess
import time

from bench.harness import rows
from bench.harness.context import Invalid

NAME = "pss of all processes less guest RAM"
MEMORY_MIB = 128
SETTLE_S = 1.0


def _processes(root):
    """root and everything below it."""
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                todo += [int(c) for c in f.read().split()]
    return found


def _pss_kib(pid):
    """PSS of one process in KiB: (all but guest RAM, guest RAM)."""
    other = guest = 0
    in_guest = False
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as f:
        for line in f:
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                in_guest = "memfd:bulkhead-guest" in line
            elif line.startswith("Pss:"):
                kib = int(line.split()[1])
                guest, other = (guest + kib, other) if in_guest else (guest, other + kib)
    return other, guest


def _sample(argv):
    """{process name: KiB} of one idle machine."""
    machine = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        time.sleep(SETTLE_S)
        if machine.poll() is not None:
            raise Invalid("the idle machine ended early: "
                          + machine.stderr.read().decode(errors="replace")[-500:])
        found = {}
        guest = 0
        for pid in _processes(machine.pid):
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                name = f.read().strip()
            other, ram = _pss_kib(pid)
            found[name] = found.get(name, 0) + other
            guest += ram
        if len(found) < 3 or guest == 0:
            raise Invalid(f"processes {sorted(found)} with {guest} KiB of guest RAM: "
                          "not a whole machine")
        return found
    finally:
        machine.terminate()
        try:
            machine.wait(timeout=10)
        except subprocess.TimeoutExpired:
            machine.kill()
            machine.wait()


def measure(ctx, disk, goals):
    """One row, in MiB; conditions say what each process holds."""
    if not ctx.wants(NAME):
        return
    argv = [ctx.path("bin/bulkhead"), "run", "--kernel",
            ctx.path("tests/guest/guest.elf"), "--cmdline", "tests=none end=idle",
            "--cpus", "1", "--memory", str(MEMORY_MIB), "--console", "none",
            "--disk", f"path={disk}", "--power-button-grace-ms", "0"]
    samples, each = [], {}
    for _ in range(ctx.reps):
        found = _sample(argv)
        samples.append(sum(found.values()) / 1024)
        for name, kib in found.items():
            each.setdefault(name, []).append(kib)
    yield rows.make_row(
        "boot", NAME, unit="MiB", better="lower", ours=samples, goals=goals,
        conditions={"guest": f"1 CPU, {MEMORY_MIB} MiB, one disk, idle",
                    "pss_kib_by_process": {n: sorted(v)[len(v) // 2]
                                           for n, v in each.items()}})
