#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules of the tree: lint.py includes|spdx|size|format [ROOT].

includes  who may include whom (ARCHITECTURE.md, "Tree"), and that each
          third-party header has its own few includers
spdx      the licence line is the first of each source file
size      lines of files and of functions
format    clang-format finds nothing to change

Prints one line a violation. Exit status: 0 none, 1 some, 77 could not check.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# Folders of the tree that hold source, and those that are never looked at.
SOURCE_DIRS = ("proto", "ipc", "policy", "devices", "vmm", "monitor", "bench",
               "tests", "scripts", "cmake")
SKIPPED_DIRS = {"build", ".git", "__pycache__", "corpus", "results"}

# Layer -> layers that it may include, itself aside. A device is the layer
# devices/NAME; tests and bench are on top of all and may include anything.
LAYERS = {
    "proto": set(),
    "ipc": {"proto"},
    "policy": {"ipc", "proto"},
    "devices/core": {"ipc", "proto", "policy"},
    "devices/*": {"devices/core", "ipc", "proto", "policy"},
    "vmm": {"ipc", "proto", "policy"},
    "monitor": {"ipc", "proto", "policy"},
}
TOP_LAYERS = {"tests", "bench"}

# Third-party header -> who includes it. One file knows a library; jansson has
# two uses, the configuration that is read and the reports that are written.
THIRD_PARTY = {
    "liburing.h": {"devices/core/uring.c"},
    "seccomp.h": {"policy/compile.c"},
    "sys/capability.h": {"policy/wall_caps.c"},
    "jansson.h": {"monitor/config/config_json.c", "monitor/cli/facts_json.c",
                  "monitor/cli/facts_print.c", "monitor/cli/report.c",
                  "monitor/cli/report_limits.c",
                  "monitor/cli/report_text.c", "monitor/cli/status_machine.c",
                  "monitor/cli/status_text.c", "monitor/cli/verb_status.c",
                  "monitor/machine/timings.c"},
}

FILE_LINES = {".c": 600, ".h": 200}
FUNCTION_LINES = 60

SPDX = "SPDX-License-Identifier: Apache-2.0"
SPDX_SUFFIXES = {".c", ".h", ".S", ".lds", ".py", ".sh", ".cmake", ".proto",
                 ".txt"}

CLANG_FORMATS = ("clang-format-14", "clang-format")
CLANG_FORMAT_VERSION = "version 14."

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def files(root, suffixes):
    """Source files below @root with one of @suffixes, as relative paths."""
    found = []
    for top in SOURCE_DIRS:
        for folder, dirs, names in os.walk(root / top):
            dirs[:] = sorted(d for d in dirs if d not in SKIPPED_DIRS)
            for name in sorted(names):
                path = pathlib.Path(folder, name)
                if path.suffix in suffixes and not path.is_symlink():
                    found.append(path.relative_to(root))
    return found


def lines_of(root, path):
    """The lines of a file, whatever bytes are in it."""
    return (root / path).read_text(errors="replace").splitlines()


def layer_of(path):
    """The layer that a path in the tree belongs to; None outside of all."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "devices":
        return "/".join(parts[:2]) if len(parts) > 2 else None
    return parts[0] if len(parts) > 1 else None


def may_include(layer, other):
    """May a file of @layer include one of layer @other?"""
    if layer == other or layer in TOP_LAYERS:
        return True
    row = layer
    if layer not in LAYERS and layer.startswith("devices/"):
        row = "devices/*"
    return other in LAYERS.get(row, set())


def check_quoted(root, path, target):
    """What is wrong with #include "@target" in @path; None if nothing is."""
    layer, other = layer_of(path), layer_of(target)
    generated = target.startswith("proto/") and target.endswith(".pb-c.h")
    if layer in TOP_LAYERS and (root / path).parent.joinpath(target).exists():
        return None
    if not generated and not (root / target).is_file():
        return f'"{target}" is not a path from the root'
    if other is None or not may_include(layer, other):
        return f'{layer} must not include "{target}"'
    return None


def check_system(path, target):
    """What is wrong with #include <@target> in @path; None if nothing is."""
    if layer_of(path) in TOP_LAYERS or target not in THIRD_PARTY:
        return None
    if str(path) in THIRD_PARTY[target]:
        return None
    allowed = ", ".join(sorted(THIRD_PARTY[target]))
    return f"<{target}> is for {allowed} only"


def check_includes(root):
    """Violations of the include rules."""
    found = []
    for path in files(root, {".c", ".h"}):
        for number, line in enumerate(lines_of(root, path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if match[1] == '"':
                wrong = check_quoted(root, path, match[2])
            else:
                wrong = check_system(path, match[2])
            if wrong:
                found.append(f"{path}:{number}: {wrong}")
    return found


def check_spdx(root):
    """Sources whose first line (second after #!) is not the licence's."""
    found = []
    for path in files(root, SPDX_SUFFIXES | {""}):
        lines = lines_of(root, path)
        script = bool(lines) and lines[0].startswith("#!")
        if path.suffix == "" and not script:
            continue
        if path.suffix == ".txt" and path.name != "CMakeLists.txt":
            continue
        first = lines[1:2] if script else lines[:1]
        if not first or SPDX not in first[0]:
            found.append(f"{path}: the first line must say {SPDX}")
    return found


def functions(lines):
    """(first line, lines) of each function body in kernel layout."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            yield start, number - start
            start = None


def check_size(root):
    """Files and functions that are too long."""
    found = []
    for path in files(root, set(FILE_LINES)):
        lines = lines_of(root, path)
        limit = FILE_LINES[path.suffix]
        if len(lines) > limit:
            found.append(f"{path}: {len(lines)} lines, limit {limit}")
        for start, count in functions(lines):
            if count > FUNCTION_LINES:
                found.append(f"{path}:{start}: function of {count} lines, "
                             f"limit {FUNCTION_LINES}")
    return found


def clang_format():
    """A clang-format of the version whose layout the tree has, or None."""
    for name in CLANG_FORMATS:
        program = shutil.which(name)
        if not program:
            continue
        version = subprocess.run([program, "--version"], check=True,
                                 capture_output=True, text=True).stdout
        if CLANG_FORMAT_VERSION in version:
            return program
    return None


def check_format(root):
    """Files that clang-format would change; None if it is not there."""
    program = clang_format()
    if not program:
        print("skipped: no clang-format 14 (package clang-format)",
              file=sys.stderr)
        return None
    found = []
    paths = [str(p) for p in files(root, {".c", ".h"})]
    done = subprocess.run([program, "--dry-run", "-Werror", *paths], cwd=root,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        found = sorted({line.split(":")[0] + ": not as clang-format has it"
                        for line in done.stderr.splitlines()
                        if ": error:" in line}) or [done.stderr]
    return found


CHECKS = {
    "includes": check_includes,
    "spdx": check_spdx,
    "size": check_size,
    "format": check_format,
}


def main(argv):
    """Runs one check. Return: exit status."""
    if len(argv) not in (2, 3) or argv[1] not in CHECKS:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(argv[2] if len(argv) == 3 else ".").resolve()
    found = CHECKS[argv[1]](root)
    if found is None:
        return 77
    for line in found:
        print(line)
    print(f"lint {argv[1]}: {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
