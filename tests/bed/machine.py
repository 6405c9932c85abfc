# SPDX-License-Identifier: Apache-2.0
"""One outer machine (L1) of the bed: QEMU, its two serial ports, its QMP.

ttyS0 carries the kernel's console and the bed's own lines (BED-READY,
BED-END), ttyS1 the job's input and output. QEMU may die silently with status
0 under emulation, so a job has ended only if its BED-END line was seen.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import time

QEMU = "qemu-system-x86_64"
DISKS = 4
# Without cx16: QEMU 7.2 computes the flags after CMPXCHG16B from a stale state,
# and an interrupt right behind it then saves garbage, which crashed guests of
# 6.12 four times in five on a busy host. KVM hides from its guests what the
# kernel of L1 was told to clear, so this covers both.
CMDLINE = ("console=ttyS0 quiet mitigations=off nokaslr panic=-1 "
           "tsc=reliable random.trust_cpu=on cryptomgr.notests "
           "lsm=landlock,lockdown,yama clearcpuid=141")


PR_SET_PDEATHSIG = 1


def die_with_parent():
    """In QEMU before it starts: a killed bed must not leave it behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class BedError(Exception):
    """The bed itself failed, not the job in it."""


class Port:
    """A Unix socket that QEMU connects to."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.server.bind(self.path)
        self.server.listen(1)
        self.conn = None
        self.data = b""

    def accept(self, timeout):
        """Waits for QEMU."""
        self.server.settimeout(timeout)
        self.conn = self.server.accept()[0]

    def read(self):
        """One read into data; returns what came, b"" at the end."""
        try:
            new = self.conn.recv(65536)
        except ConnectionResetError:
            new = b""
        self.data += new
        return new

    def send(self, data):
        """Writes all of data; a machine that has just ended is no error."""
        try:
            self.conn.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass


class Machine:
    """QEMU as a process; use as a context manager: leaving ends it."""

    def __init__(self, folder, mem, smp, ram, share):
        self.folder = folder
        self.console = Port(folder, "s0")
        self.job = Port(folder, "s1")
        self.qmp = Port(folder, "qmp")
        self.errors = os.path.join(folder, "qemu.log")
        self.process = None
        self.greeted = False
        self.args = [
            QEMU, "-M", "pc,memory-backend=ram", "-cpu", "EPYC",
            "-accel", "tcg,thread=multi,tb-size=512",
            "-smp", str(smp), "-m", str(mem), "-object",
            f"memory-backend-file,id=ram,size={mem}M,mem-path={ram},"
            f"share={'on' if share else 'off'}",
            "-nodefaults", "-no-user-config", "-display", "none",
            "-no-reboot",
        ]
        for name, port in (("s0", self.console), ("s1", self.job)):
            self.args += ["-chardev", f"socket,id={name},path={port.path}",
                          "-serial", f"chardev:{name}"]
        self.args += ["-chardev", f"socket,id=qmp,path={self.qmp.path}",
                      "-mon", "chardev=qmp,mode=control"]

    def add_kernel(self, kernel, initrd):
        """Boots this kernel."""
        self.args += ["-kernel", kernel, "-initrd", initrd,
                      "-append", CMDLINE]

    def add_disks(self, disks):
        """(path, readonly) of each; missing ones are empty, for the set of
        devices must be the same whenever a saved machine is restored."""
        for index in range(DISKS):
            node = f"d{index}"
            spec = {"node-name": node, "driver": "null-co",
                    "size": 1 << 20, "read-zeroes": True}
            if index < len(disks):
                path, readonly = disks[index]
                spec = {"node-name": node, "driver": "raw",
                        "read-only": readonly,
                        "file": {"driver": "file", "filename": path,
                                 "read-only": readonly, "locking": "off"}}
            self.args += ["-blockdev", json.dumps(spec), "-device",
                          f"virtio-blk-pci,drive={node},addr={4 + index}"]

    def __enter__(self):
        if not shutil.which(QEMU):
            raise BedError(f"{QEMU} is not installed")
        with open(self.errors, "wb") as log:
            # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            self.process = subprocess.Popen(
                self.args, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=die_with_parent)
        try:
            for port in (self.console, self.job, self.qmp):
                port.accept(20)
        except OSError as error:
            self.__exit__()
            raise BedError(f"QEMU did not start: {self.complaint()}") \
                from error
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()
        for port in (self.console, self.job, self.qmp):
            port.server.close()
            if port.conn:
                port.conn.close()

    def complaint(self):
        """What QEMU wrote, without its notes on CPU features."""
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file
                     if "doesn't support requested feature" not in line]
        return "; ".join(lines[-3:]) or "no message"

    def command(self, name, **arguments):
        """One QMP command; returns its result."""
        if not self.greeted:
            self.greeted = True
            self._qmp_line(time.monotonic() + 10)
            self.command("qmp_capabilities")
        request = {"execute": name, "arguments": arguments}
        self.qmp.send(json.dumps(request).encode() + b"\n")
        deadline = time.monotonic() + 30
        while True:
            answer = self._qmp_line(deadline)
            if "error" in answer:
                raise BedError(f"QMP {name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def _qmp_line(self, deadline):
        while b"\n" not in self.qmp.data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.qmp.conn], [], [],
                                              left)[0] \
                    or not self.qmp.read():
                raise BedError(f"QMP does not answer: {self.complaint()}")
        line, _, self.qmp.data = self.qmp.data.partition(b"\n")
        return json.loads(line)

    def wait_line(self, text, timeout):
        """Waits until the console has shown a text."""
        deadline = time.monotonic() + timeout
        while text not in self.console.data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.console.conn], [], [],
                                              left)[0]:
                raise BedError(f"no '{text.decode()}' within {timeout} s")
            if not self.console.read():
                raise BedError(f"QEMU ended early: {self.complaint()}")
