#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a figure was taken on. Runs alone too; what cannot be read is null."""
import glob
import hashlib
import json
import os
import platform
import subprocess


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return None


def _output(*argv):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20,
                              check=True)
        return done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def sha256(path):
    try:
        digest = hashlib.sha256()
        with open(path, "rb") as f:
            for block in iter(lambda: f.read(1 << 20), b""):
                digest.update(block)
        return digest.hexdigest()
    except OSError:
        return None


def _cpu_model():
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return None


def _meminfo(key):
    for line in (_read("/proc/meminfo") or "").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return None


def _mitigations():
    base = "/sys/devices/system/cpu/vulnerabilities"
    found = {os.path.basename(p): _read(p) for p in sorted(glob.glob(base + "/*"))}
    return found or None


def _git(repo, *args):
    return _output("git", "-C", repo, *args)


def collect(repo, binaries=(), files=(), peers=()):
    """binaries, files: paths to hash; peers: argv lists that print a version."""
    dirty = _git(repo, "status", "--porcelain")
    modules = [os.path.basename(p) for p in glob.glob("/sys/module/kvm*")]
    return {
        "cpu": _cpu_model(), "cpus": os.cpu_count(),
        "kernel": platform.release(), "kvm_modules": sorted(modules) or None,
        "virtualization": _output("systemd-detect-virt"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "mitigations": _mitigations(),
        "memory_bytes": _meminfo("MemTotal"), "swap_bytes": _meminfo("SwapTotal"),
        "shmem_huge": _read("/sys/kernel/mm/transparent_hugepage/shmem_enabled"),
        "commit": _git(repo, "rev-parse", "HEAD"),
        "dirty": None if dirty is None else bool(dirty),
        "sha256": {os.path.basename(p): sha256(p) for p in (*binaries, *files)},
        "peers": {argv[0]: (_output(*argv) or "").splitlines()[:1] or None
                  for argv in peers},
    }


if __name__ == "__main__":
    print(json.dumps(collect(os.path.dirname(os.path.abspath(__file__))), indent=1))
