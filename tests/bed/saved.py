# SPDX-License-Identifier: Apache-2.0
"""L1 saved once after its boot, and restored in a fraction of a second.

The RAM is a file that the saved machine shared; a restored one maps it
copy-on-write, so several can run from it at once. The folder's name is a hash
over everything that goes in, so a change makes a new one.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time

from machine import CMDLINE, QEMU, BedError, Machine

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KERNEL = "6.1-cloud"
MODULES = ("kvm_amd", "virtio_pci", "virtio_blk", "virtio_net", "tun",
           "vhost_net", "fuse")
BOOT_TIMEOUT = 90
IGNORE_SHARED = [{"capability": "x-ignore-shared", "state": True}]


def cache():
    """The project's cache folder."""
    base = os.environ.get("BULKHEAD_CACHE") or \
        os.environ.get("XDG_CACHE_HOME") or \
        os.path.join(os.environ.get("HOME", "/root"), ".cache")
    return os.path.join(base, "bulkhead")


def kernel():
    """The folder of L1's kernel, fetched if need be."""
    done = subprocess.run([os.path.join(ROOT, "scripts/fetch-kernel"),
                           KERNEL], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise BedError(f"cannot fetch the kernel {KERNEL}")
    return done.stdout.strip()


def digest(mem, smp, kernel_dir):
    """Names what a saved machine was made from."""
    total = hashlib.sha256()
    version = subprocess.run([QEMU, "--version"], capture_output=True,
                             check=False).stdout
    total.update(repr((mem, smp, CMDLINE, MODULES, version)).encode())
    for path in (os.path.join(kernel_dir, "package"),
                 os.path.join(HERE, "l1-init"),
                 os.path.join(HERE, "machine.py"),
                 os.path.join(HERE, "saved.py"),
                 os.path.join(ROOT, "scripts/lib/initramfs.py")):
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:16]


def initramfs(kernel_dir, target):
    """L1's initramfs."""
    command = ["python3", os.path.join(ROOT, "scripts/lib/initramfs.py"),
               "--kernel", kernel_dir,
               "--init", os.path.join(HERE, "l1-init"), "-o", target]
    for name in MODULES:
        command += ["--module", name]
    subprocess.run(command, check=True)


def save(machine, state):
    """Stops a machine that is ready and writes its state, less RAM."""
    machine.command("stop")
    machine.command("migrate-set-capabilities", capabilities=IGNORE_SHARED)
    machine.command("migrate", uri=f"exec:cat > '{state}'")
    deadline = time.monotonic() + 60
    while True:
        status = machine.command("query-migrate").get("status")
        if status == "completed":
            return
        if status == "failed" or time.monotonic() > deadline:
            raise BedError(f"saving ended with status {status}")
        time.sleep(0.05)


def make(folder, mem, smp, kernel_dir):
    """Boots L1 and saves it into the folder."""
    initrd = os.path.join(folder, "initrd")
    initramfs(kernel_dir, initrd)
    with tempfile.TemporaryDirectory(prefix="bulkhead-bed.") as scratch:
        machine = Machine(scratch, mem, smp, os.path.join(folder, "ram"),
                          share=True)
        machine.add_kernel(os.path.join(kernel_dir, "vmlinux"), initrd)
        machine.add_disks([])
        with machine:
            machine.wait_line(b"BED-READY", BOOT_TIMEOUT)
            if b"BED-TROUBLE" in machine.console.data:
                raise BedError(machine.console.data.decode(errors="replace"))
            save(machine, os.path.join(folder, "state"))


def prune(parent, keep):
    """Removes saved machines of earlier inputs that nobody has used lately."""
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        if name not in keep and os.path.isdir(path) and \
                time.time() - os.stat(path).st_mtime > 7 * 86400:
            shutil.rmtree(path, ignore_errors=True)


def get(mem, smp):
    """The folder of a saved machine, made if need be; once at a time."""
    kernel_dir = kernel()
    name = digest(mem, smp, kernel_dir)
    parent = os.path.join(cache(), "bed")
    path = os.path.join(parent, name)
    os.makedirs(parent, exist_ok=True)
    with open(os.path.join(parent, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(os.path.join(path, "state")):
            os.utime(path)
            return path
        fresh = tempfile.mkdtemp(prefix=".new.", dir=parent)
        try:
            make(fresh, mem, smp, kernel_dir)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        shutil.rmtree(path, ignore_errors=True)
        os.rename(fresh, path)
        prune(parent, {name})
        return path


def restore(machine, folder):
    """Brings a machine, started with -incoming defer, to its saved point."""
    machine.command("migrate-set-capabilities", capabilities=IGNORE_SHARED)
    state = os.path.join(folder, "state")
    machine.command("migrate-incoming", uri=f"exec:cat '{state}'")
    deadline = time.monotonic() + 20
    while machine.command("query-status")["status"] == "inmigrate":
        if time.monotonic() > deadline:
            raise BedError("restoring does not end")
        time.sleep(0.01)
    machine.command("cont")
