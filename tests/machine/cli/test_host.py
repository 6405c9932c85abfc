# SPDX-License-Identifier: Apache-2.0
"""What the host lacks: /dev/kvm missing, not permitted, too old. The device is
hidden in a mount namespace of the test's own, so these need root."""
import os
import shlex
import subprocess
import unittest

import images
from machine_cli import FAKES, Case

# From linux/kvm.h.
KVM_CAP_IRQFD = 32
KVM_CAP_IOEVENTFD = 36


@unittest.skipUnless(os.geteuid() == 0, "needs root for a mount namespace")
class Kvm(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def hidden(self, prepare, *words, user=None):
        """Refused after `prepare` ran in a mount namespace."""
        os.chmod(self.dir, 0o755)
        command = shlex.join(self.command("run", "--kernel", self.kernel))
        if user:
            command = (f"setpriv --reuid={user} --regid={user} --clear-groups "
                       f"{command}")
        done = subprocess.run(
            ["unshare", "-m", "--propagation", "private", "sh", "-ec",
             f"{prepare}\nexec {command}"], capture_output=True, text=True,
            timeout=30, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assert_nothing_left()

    def dev(self):
        """Commands that put an empty /dev in place."""
        return "mount -t tmpfs -o mode=755 none /dev\nmknod -m 666 /dev/null c 1 3"

    def test_missing(self):
        self.hidden(self.dev(), "/dev/kvm: No such file", "modprobe")

    def test_not_kvm(self):
        self.hidden(self.dev() + "\nmknod /dev/kvm c 1 3", "is not a KVM device")

    def test_no_such_device(self):
        self.hidden(self.dev() + "\nmknod /dev/kvm c 240 99", "/dev/kvm:",
                    "modprobe")

    def test_no_permission_names_the_group(self):
        self.hidden(self.dev() + "\nmknod /dev/kvm c 10 232\n"
                    "chgrp daemon /dev/kvm\nchmod 660 /dev/kvm",
                    "Permission denied", "group daemon",
                    "usermod -aG daemon USER", user=65534)

    def test_no_permission_no_group_helps(self):
        self.hidden(self.dev() + "\nmknod -m 600 /dev/kvm c 10 232",
                    "Permission denied", "group root with mode 0600",
                    "chgrp kvm", user=65534)

AS_USER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "support", "as_user")


class OpenFiles(Case):
    def test_soft_limit_is_raised(self):
        kernel = self.file("k", images.elf(images.POWEROFF))
        disks = [f"path={self.file(f'd{i}', bytes(4096))},id=d{i}"
                 for i in range(31)]
        flags = [word for disk in disks for word in ("--disk", disk)]
        done = self.run_cli("run", "--kernel", kernel, "--console", "none", *flags,
                            prefix=["prlimit", "--nofile=64:266"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_hard_limit_is_named(self):
        self.refused(["run", "--kernel", self.kernel, "--disk",
                      f"path={self.image}"], "64 open files", "RLIMIT_NOFILE",
                     "this machine needs 86", code=3,
                     prefix=["prlimit", "--nofile=64:64"])


@unittest.skipUnless(os.geteuid() == 0, "needs root for a mount namespace")
class Rootless(Case):
    """As an ordinary user who may open /dev/kvm: confined, and no root needed."""

    def test_user(self):
        os.chmod(self.dir, 0o755)
        os.chmod(self.image, 0o666)
        kernel = self.file("k", images.elf(images.port_write(images.DEBUG_EXIT, 42)))
        command = shlex.join(self.command("run", "--kernel", kernel, "--disk",
                                          f"path={self.image}", "--debug-exit"))
        done = subprocess.run(
            ["unshare", "-m", "--propagation", "private", "sh", "-ec",
             "mount -t tmpfs -o mode=755 none /dev\nmknod -m 666 /dev/null c 1 3\n"
             "mknod -m 666 /dev/kvm c 10 232\nexec setpriv --reuid=65534 "
             f"--regid=65534 --clear-groups {command}"], capture_output=True,
            text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 42, done.stderr)
        self.assertNotIn("does not stand", done.stderr)
        self.assert_nothing_left()

    def test_no_user_namespaces(self):
        kernel = self.file("k", images.elf(images.POWEROFF))
        os.chmod(self.dir, 0o755)
        done = self.run_cli("run", "--kernel", kernel, prefix=[
            AS_USER, "unshare", "-U", "-r", "sh", "-ec",
            'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cannot start bulkhead-vmm: clone3", done.stderr)
        self.assertIn("user.max_user_namespaces", done.stderr)


class Capability(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def preloaded(self, **env):
        return dict(os.environ, LD_PRELOAD=os.path.join(FAKES, "no_cap.so"), **env)

    def test_missing_capability_is_named(self):
        self.refused(["run", "--kernel", self.kernel], "lacks", "KVM_CAP_IRQFD",
                     env=self.preloaded(NO_CAP=str(KVM_CAP_IRQFD)))
        self.refused(["run", "--kernel", self.kernel], "lacks",
                     "KVM_CAP_IOEVENTFD",
                     env=self.preloaded(NO_CAP=str(KVM_CAP_IOEVENTFD)))

    def test_api_version(self):
        self.refused(["run", "--kernel", self.kernel], "API version 11",
                     "accepted: 12", env=self.preloaded(NO_API="11"))


if __name__ == "__main__":
    unittest.main()
