# SPDX-License-Identifier: Apache-2.0
"""Is a process confined as was asked for? What the kernel says, not what we did."""
import glob
import os

from bench.harness.context import Invalid

MODES = ("off", "enforce")


def _status(path):
    """One thread: {"name", "mode", "filters"}."""
    found = {}
    with open(path, encoding="ascii", errors="replace") as f:
        for line in f:
            key, _, value = line.partition(":")
            found[key] = value.strip()
    try:
        return {"name": found["Name"], "mode": int(found["Seccomp"]),
                "filters": int(found["Seccomp_filters"])}
    except KeyError as e:
        raise Invalid(f"{path} has no {e}: the kernel is older than 5.10, so "
                      "nobody can tell which mode was measured") from e


def threads(pid):
    """Every thread of a process."""
    return [_status(os.path.join(d, "status"))
            for d in sorted(glob.glob(f"/proc/{pid}/task/[0-9]*"))]


def wrong_mode(mode, found, own):
    """None, or why threads `found` do not run in `mode`.

    `own` are threads of the process that started them: what it is under itself
    (a container's filter) is inherited and no wall of ours.
    """
    if not found:
        return "no thread was seen: the mode is not known"
    base = max(t["filters"] for t in own)
    for t in found:
        if mode == "enforce" and (t["mode"] != 2 or t["filters"] <= base):
            return f"asked for enforce, but {t['name']} has no filter of its own"
        if mode == "off" and t["filters"] > base:
            return f"asked for off, but {t['name']} has {t['filters'] - base} filters"
    return None
