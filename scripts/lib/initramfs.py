#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an initramfs: busybox, an init, kernel modules, some files.

The archive is a cpio of the "newc" kind (Linux, early-userspace buffer
format), written uncompressed, so no root is needed for it. Modules are taken
out of a kernel folder that scripts/lib/kernel.sh made, unpacked, and listed
in /modules/order with what they depend on first.
"""

import argparse
import functools
import lzma
import os
import stat
import subprocess
import sys

BUSYBOX = "/bin/busybox"
FOLDERS = ("bin", "dev", "proc", "sys", "tmp", "run", "etc", "root",
           "modules", "mnt")


class Cpio:
    """Writes cpio members; same input, same bytes (no times, no inodes)."""

    def __init__(self, file):
        self.file = file
        self.count = 0
        self.known = set()

    def _member(self, name, mode, data):
        self.count += 1
        raw = name.encode() + b"\0"
        fields = (self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0,
                  len(raw), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields)
        self._padded(head + raw)
        self._padded(data)

    def _padded(self, data):
        self.file.write(data + b"\0" * (-len(data) % 4))

    def folder(self, name):
        """Adds a folder and those above it, each once."""
        parts = name.strip("/").split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            if path and path not in self.known:
                self.known.add(path)
                self._member(path, stat.S_IFDIR | 0o755, b"")

    def regular(self, name, data, mode=0o644):
        """Adds a file with its folders."""
        name = name.strip("/")
        self.folder(os.path.dirname(name))
        self._member(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        """Adds a symbolic link."""
        self._member(name, stat.S_IFLNK | 0o777, target.encode())

    def end(self):
        """Adds the trailer and fills up to 512 bytes."""
        self._member("TRAILER!!!", 0, b"")
        self.file.write(b"\0" * (-self.file.tell() % 512))


class Modules:
    """The module files of one kernel, found by name."""

    def __init__(self, kernel):
        root = os.path.join(kernel, "modules")
        self.files = {}
        for folder, _, names in os.walk(root):
            for name in names:
                if ".ko" in name:
                    key = name.split(".ko")[0].replace("-", "_")
                    self.files[key] = os.path.join(folder, name)
        with open(os.path.join(root, "modules.builtin"),
                  encoding="ascii") as file:
            self.builtin = {os.path.basename(line.strip())[:-3]
                            .replace("-", "_") for line in file}

    @functools.lru_cache(maxsize=None)
    def needs(self, name):
        """Names of modules that one depends on directly."""
        text = subprocess.run(["/sbin/modinfo", "-F", "depends",
                               self.files[name]], check=True,
                              capture_output=True, text=True).stdout
        return [part.replace("-", "_")
                for part in text.strip().split(",") if part]

    def ordered(self, wanted):
        """All wanted modules and their needs, each after its needs."""
        done = []

        def visit(name):
            if name in done or name in self.builtin:
                return
            if name not in self.files:
                raise ValueError(f"no module '{name}' in this kernel")
            for need in self.needs(name):
                visit(need)
            done.append(name)

        for name in wanted:
            visit(name.replace("-", "_"))
        return done

    def data(self, name):
        """The module's bytes, unpacked."""
        path = self.files[name]
        with open(path, "rb") as file:
            data = file.read()
        return lzma.decompress(data) if path.endswith(".xz") else data


def add_busybox(cpio):
    """busybox and a link for each of its applets."""
    with open(BUSYBOX, "rb") as file:
        cpio.regular("bin/busybox", file.read(), 0o755)
    names = subprocess.run([BUSYBOX, "--list"], check=True,
                           capture_output=True, text=True).stdout.split()
    for name in names:
        if name != "busybox":
            cpio.link(f"bin/{name}", "busybox")


def add_modules(cpio, kernel, wanted):
    """Modules under /modules, and their order of loading."""
    modules = Modules(kernel)
    order = modules.ordered(wanted)
    for name in order:
        cpio.regular(f"modules/{name}.ko", modules.data(name))
    lines = "".join(f"{name} {' '.join(modules.needs(name))}\n"
                    for name in order)
    cpio.regular("modules/order", lines.encode())


def parse():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kernel", required=True,
                        help="folder with modules/, see fetch-kernel")
    parser.add_argument("--init", required=True, help="script to be /init")
    parser.add_argument("--module", action="append", default=[],
                        help="module to carry, with its needs")
    parser.add_argument("--add", action="append", default=[],
                        metavar="SRC=DST", help="file to carry")
    parser.add_argument("-o", "--output", required=True)
    return parser.parse_args()


def main():
    """Command line."""
    args = parse()
    temporary = f"{args.output}.{os.getpid()}"
    with open(temporary, "wb") as file:
        cpio = Cpio(file)
        for name in FOLDERS:
            cpio.folder(name)
        add_busybox(cpio)
        with open(args.init, "rb") as init:
            cpio.regular("init", init.read(), 0o755)
        add_modules(cpio, args.kernel, args.module)
        for pair in args.add:
            source, _, target = pair.partition("=")
            mode = stat.S_IMODE(os.stat(source).st_mode)
            with open(source, "rb") as extra:
                cpio.regular(target, extra.read(), mode)
        cpio.end()
    os.replace(temporary, args.output)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"initramfs.py: {error}")
