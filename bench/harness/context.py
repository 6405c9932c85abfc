# SPDX-License-Identifier: Apache-2.0
"""What a section needs to run: paths, repetitions, discarded samples."""
import os
import sys
import time


class Invalid(Exception):
    """A section cannot give figures here; the text says why."""


class Context:
    def __init__(self, repo, args):
        self.repo = repo
        self.build = os.path.abspath(args.build)
        self.reps = 2 if args.quick else args.reps
        self.quick = args.quick
        self.only = args.only
        self.discarded = []
        self.used_files = []
        self.started = time.monotonic()

    def binaries(self):
        names = ("bulkhead", "bulkhead-vmm", "bulkhead-blk")
        return [self.path("bin", n) for n in names]

    def path(self, *parts):
        """A file of the build under test; missing is Invalid."""
        p = os.path.join(self.build, *parts)
        if not os.path.exists(p):
            raise Invalid(f"{p} is not built; cmake --preset release && "
                          "cmake --build --preset release")
        return p

    def wants(self, name):
        return self.only in name

    def discard(self, row, why):
        """A thrown-out sample is kept by name and reason."""
        self.discarded.append({"row": row, "reason": why})
        self.progress(f"{row}: sample thrown out: {why}")

    def progress(self, text):
        print(f"   [{time.monotonic() - self.started:6.1f} s] {text}",
              file=sys.stderr, flush=True)
