# SPDX-License-Identifier: Apache-2.0
"""What the machine tests share: patterned images, runs of `bulkhead` with the
test guest that are bounded in time, and a look at the process tree."""
import array
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.environ.get("BULKHEAD_BIN", "")
GUEST = os.environ.get("BULKHEAD_GUEST", "")  # folder of guest.elf, guest64.elf
SKIP = 77
RUN_SECONDS = 60
SECTOR = 512
SECTORS = 8192
DISK_SEED = 1

# What the guest writes where: seed, first sector, sectors (guest/test.h).
WRITTEN = (2, 2048, 256)
SMP_FIRST, SMP_SECTORS, SMP_SEED = 4096, 64, 3

# Exit codes of `bulkhead run`; the guest's own are 0x21 and 0x22.
POWEROFF, BAD_INPUT, RESET, PANIC, DEVICE, VMM, OPERATOR = 0, 2, 10, 11, 12, 13, 14
GUEST_OK, GUEST_FAILED = 0x21, 0x22


def pattern(seed, first, count):
    """Bytes of count sectors from first on; see pattern_word in the guest."""
    mask = (1 << 64) - 1
    words = array.array("Q", (((seed << 48 ^ i) * 0x9E3779B97F4A7C15) & mask
                              for i in range(first * 64, (first + count) * 64)))
    if sys.byteorder != "little":
        words.byteswap()
    return words.tobytes()


_base = pattern(DISK_SEED, 0, SECTORS)


def expected(cpus=0, written=False):
    """The image after the guest's tests: what smpio and write have changed."""
    data = bytearray(_base)

    def put(seed, first, count):
        data[first * SECTOR:(first + count) * SECTOR] = pattern(seed, first, count)

    if written:
        put(*WRITTEN)
    for cpu in range(min(cpus, 8)):
        put(SMP_SEED + cpu, SMP_FIRST + cpu * SMP_SECTORS, SMP_SECTORS)
    return bytes(data)


def children(pid):
    """All descendants of pid: {pid: program's name}."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as f:
                text = f.read()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:].rsplit(")", 1)
        parents[int(entry)] = (int(rest.split()[1]), name)
    found, todo = {}, [pid]
    while todo:
        parent = todo.pop()
        for child, (above, name) in parents.items():
            if above == parent and child not in found:
                found[child] = name
                todo.append(child)
    return found


def alive(pid):
    """Is the process there and not a zombie?"""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def wait_gone(pids, seconds):
    """Time until none of pids lives, or None."""
    start = time.monotonic()
    while any(alive(p) for p in pids):
        if time.monotonic() - start > seconds:
            return None
        time.sleep(0.002)
    return time.monotonic() - start


class Running:
    """`bulkhead run` in the background; ended by its own pid at the latest
    when the test ends."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, bufsize=0)
        self.text = ""

    def until(self, word, seconds=20):
        """Reads output until word comes; False when it does not."""
        end = time.monotonic() + seconds
        fd = self.process.stdout.fileno()
        while word not in self.text:
            left = end - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                return False
            data = os.read(fd, 65536)
            if not data:
                return False
            self.text += data.decode(errors="replace")
        return True

    def children(self):
        return children(self.process.pid)

    def child(self, name):
        """Pid of the child whose program has this name."""
        for pid, found in self.children().items():
            if found.startswith(name[:15]):
                return pid
        raise AssertionError(f"no process {name} under the monitor")

    def finish(self, seconds=20):
        """Exit code; reads the rest of the output."""
        end = time.monotonic() + seconds
        fd = self.process.stdout.fileno()
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"bulkhead does not end:\n{self.text}")
            if select.select([fd], [], [], left)[0]:
                data = os.read(fd, 65536)
                if not data:
                    break
                self.text += data.decode(errors="replace")
        return self.process.wait(max(0.1, end - time.monotonic()))

    def end(self):
        """Whatever is left of it, by pid."""
        left = [self.process.pid, *self.children()]
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


class Case(unittest.TestCase):
    """One private folder with one patterned image."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="bulkhead-machine.")
        self.addCleanup(shutil.rmtree, self.dir)
        self.image = os.path.join(self.dir, "disk.img")
        with open(self.image, "wb") as f:
            f.write(_base)

    def command(self, cmdline, *flags, cpus=1, memory=128, disk="",
                kernel="guest.elf"):
        drive = f"path={self.image},serial=serial-of-the-disk" + disk
        return [os.path.join(BIN, "bulkhead"), "run",
                "--kernel", os.path.join(GUEST, kernel),
                "--cmdline", f"strict=1 cpus={cpus} memory-mib={memory} {cmdline}",
                "--cpus", str(cpus), "--memory", str(memory),
                "--disk", drive, "--console", "stdio", "--debug-exit",
                *map(str, flags)]

    def run_guest(self, cmdline, *flags, code=GUEST_OK, **machine):
        """Runs to the end; the output. Fails on another exit code."""
        done = subprocess.run(self.command(cmdline, *flags, **machine),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=RUN_SECONDS,
                              check=False)
        text = done.stdout.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"\n{text}")
        return text

    def start_guest(self, cmdline, *flags, **machine):
        running = Running(self.command(cmdline, *flags, **machine))
        self.addCleanup(running.end)
        return running

    def assert_tests(self, text, *names):
        """Each named guest test has passed, and none has failed."""
        lines = text.replace("\r", "").split("\n")
        for name in names:
            self.assertIn(f"ok {name}", lines, f"\n{text}")
        self.assertIsNone(re.search(r"^FAIL ", text, re.M), f"\n{text}")
        self.assertRegex(text, r"(?m)^done \d+ ok 0 failed", f"\n{text}")

    def assert_image(self, cpus=0, written=False):
        """The image holds exactly what it should."""
        with open(self.image, "rb") as f:
            data = f.read()
        want = expected(cpus, written)
        self.assertEqual(len(data), len(want))
        for s in range(0, len(want), SECTOR):
            if data[s:s + SECTOR] != want[s:s + SECTOR]:
                self.fail(f"sector {s // SECTOR} of the image differs")


def main():
    """Entry of each test file: skips only where there is no KVM at all."""
    if not os.path.exists("/dev/kvm"):
        print("skipped: /dev/kvm does not exist")
        sys.exit(SKIP)
    unittest.main(verbosity=2)
