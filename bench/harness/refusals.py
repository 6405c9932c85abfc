# SPDX-License-Identifier: Apache-2.0
"""Calls of a whole machine that filters refused, counted from outside.

Runs a command under strace, untimed: a refusal that our handler counts shows as
SIGSYS; one that the filter answers by itself, as a failure with ENOSYS that the
same work does not have without filters.
"""
import os
import re
import shutil
import subprocess
import tempfile


def counts(text):
    """(SIGSYS, calls failed with ENOSYS) in strace's output."""
    return (len(re.findall(r"^(?:\d+ +)?--- SIGSYS ", text, re.MULTILINE)),
            len(re.findall(r"= -1 ENOSYS ", text)))


def measure(argv, timeout):
    """{"counted", "enosys"} of one run, or {"unknown": reason}."""
    if not shutil.which("strace"):
        return {"unknown": "strace is not installed"}
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        out = os.path.join(folder, "trace")
        try:
            subprocess.run(["strace", "-f", "-Z", "-o", out, "-e", "signal=SIGSYS",
                            *argv], stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=timeout, check=False)
            with open(out, encoding="utf-8", errors="replace") as f:
                sigsys, enosys = counts(f.read())
        except (OSError, subprocess.TimeoutExpired) as e:
            return {"unknown": f"{type(e).__name__}: {e}"}
    return {"counted": sigsys, "enosys": enosys}
