# SPDX-License-Identifier: Apache-2.0
"""Packs a job for the bed: a tar with the job's folder and its binaries."""

import os
import re
import subprocess
import tarfile

BIN = "sysroot/opt/bulkhead/bin"


def libraries(path):
    """Shared libraries of a program with its loader, as absolute paths."""
    done = subprocess.run(["ldd", path], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return []  # static
    if "not found" in done.stdout:
        raise ValueError(f"{path}: a library is missing:\n{done.stdout}")
    return re.findall(r"(/\S+) \(0x", done.stdout)


def add_programs(tar, programs):
    """Adds programs to /opt/bulkhead/bin and libraries to their own places."""
    seen = set()
    for program in programs:
        real = os.path.realpath(program)
        tar.add(real, f"{BIN}/{os.path.basename(program)}")
        for library in libraries(real):
            if library not in seen:
                seen.add(library)
                tar.add(os.path.realpath(library), f"sysroot{library}")


def pack(folder, programs, target):
    """Writes the tar; ends with the zeros that a reader of a disk needs."""
    if not os.access(os.path.join(folder, "job"), os.X_OK):
        raise ValueError(f"{folder}/job is missing or not executable")
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT,
                      dereference=False) as tar:
        tar.add(folder, ".")
        add_programs(tar, programs)
    with open(target, "ab") as file:
        file.write(b"\0" * 65536)
        file.truncate(file.tell() + -file.tell() % 4096)
