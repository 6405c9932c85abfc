# SPDX-License-Identifier: Apache-2.0
"""Who a machine's processes are and which walls stand, as the kernel says, on
hosts that have everything and on hosts that do not."""
import os
import re
import signal
import socket
import subprocess
import sys
import unittest

import images
from machine_cli import Case, processes

BASE = 720896
NAMES = ("bulkhead", "bulkhead-vmm", "bulkhead-blk")
# Becomes root of a user namespace that maps a million users, and allows no
# namespaces of the kinds argv[1] in it; the rest of the command line is run
# there.
WIDE = """
import ctypes, os, sys
ready, done = os.pipe(), os.pipe()
if os.fork() == 0:
    os.read(ready[0], 1)
    for name in "uid_map", "gid_map":
        with open(f"/proc/{os.getppid()}/{name}", "w") as f:
            f.write("0 3000000 1000000")
    os.write(done[1], b"x")
    os._exit(0)
if ctypes.CDLL(None).unshare(0x10000000):
    sys.exit("unshare")
os.write(ready[1], b"x")
os.read(done[0], 1)
os.wait()
os.setgroups([])
os.setresgid(0, 0, 0)
os.setresuid(0, 0, 0)
for kind in sys.argv[1].split(","):
    with open(f"/proc/sys/user/max_{kind}_namespaces", "w") as f:
        f.write("0")
os.execvp(sys.argv[2], sys.argv[2:])
"""
# Runs the rest with calls number argv[1] refused with errno argv[2].
REFUSED = """
import ctypes, os, struct, sys
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])),
        (6, 0, 0, 0x50000 | int(sys.argv[2])), (6, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *r) for r in rows))
prog = ctypes.create_string_buffer(
    struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(text)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, prog, 0, 0):
    sys.exit("seccomp")
os.execvp(sys.argv[3], sys.argv[3:])
"""
LANDLOCK_CREATE_RULESET, FSOPEN, MOUNT, UNSHARE = 444, 430, 165, 272
ALL_MISSING = "userns,pidns,mntns,netns,ipcns,utsns,cgroupns,root"


def status(pid):
    """/proc/PID/status as a dictionary."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def namespace(pid, kind):
    return os.readlink(f"/proc/{pid}/ns/{kind}")


class Machine(Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.dir, 0o755)
        os.chmod(self.image, 0o666)
        self.halt = self.file("k", images.elf(images.HALT))
        self.timings = os.path.join(self.dir, "t.json")

    def begin(self, *flags, prefix=(), **kwargs):
        """A machine that idles; Return: its Popen and {program: pid}."""
        command = self.command("run", "--kernel", self.halt, "--disk",
                               f"path={self.image}", "--console", "none",
                               "--timings-file", self.timings, *flags)
        process = subprocess.Popen([*prefix, *command], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, **kwargs)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(lambda: process.poll() is not None or
                      os.path.exists(self.timings) and
                      os.path.getsize(self.timings), "RUNNING or the end")
        if process.poll() is not None:
            self.fail(process.stderr.read())
        return process, {name: pid for pid, name in processes(self.bin)}

    def finish(self, process, pids):
        """Two signals end it; nobody is left."""
        os.kill(pids["bulkhead"], signal.SIGTERM)
        os.kill(pids["bulkhead"], signal.SIGINT)
        return self.end(process, 14, "ended by the operator")

    def as_user(self, uid):
        """Command prefix: an ordinary user in group kvm, whose node it is."""
        return ["unshare", "-m", "--propagation", "private", "sh", "-ec",
                "mount -t tmpfs -o mode=755 none /dev\n"
                "mknod -m 666 /dev/null c 1 3\nmknod -m 660 /dev/kvm c 10 232\n"
                "chgrp 4242 /dev/kvm\n"
                f"exec setpriv --reuid={uid} --regid={uid} --groups=4242 \"$@\"",
                "sh"]


@unittest.skipUnless(os.geteuid() == 0, "looks at processes of other users")
class Walls(Machine):
    def assert_walls(self, pids, uids):
        for name, uid in zip(NAMES, uids):
            s = status(pids[name])
            self.assertEqual(s["Uid"].split(), [str(uid)] * 4, name)
            self.assertEqual(s["Gid"].split(), [str(uid)] * 4, name)
            self.assertEqual(s["Groups"].split(), [], name)
            for kind in ("Inh", "Prm", "Eff", "Amb"):
                self.assertEqual(int(s[f"Cap{kind}"], 16), 0, name)
            self.assertEqual(s["NoNewPrivs"], "1", name)
            self.assertEqual(s["Seccomp"], "2", name)

    def test_root_started(self):
        for flags, base in (([], BASE), (["--uid-base", "5000"], 5000)):
            spare = os.open("/dev/null", os.O_RDONLY)
            try:
                process, pids = self.begin(*flags, pass_fds=[spare])
            finally:
                os.close(spare)
            self.assert_walls(pids, range(base, base + 3))
            for name in NAMES:
                self.assertEqual(int(status(pids[name])["CapBnd"], 16), 0)
                self.assertNotIn(str(spare), [
                    fd for fd in os.listdir(f"/proc/{pids[name]}/fd")
                    if os.readlink(f"/proc/{pids[name]}/fd/{fd}") == "/dev/null"
                    and int(fd) > 2])
            for kind in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup"):
                links = {namespace(pids[name], kind) for name in NAMES}
                self.assertEqual(len(links), 3, kind)
            # No terminal: a session of its own each.
            self.assertEqual(len({os.getsid(p) for p in pids.values()}), 3)
            self.assertNotIn("does not stand", self.finish(process, pids))
            os.unlink(self.timings)

    def test_user_started(self):
        open(self.timings, "wb").close()
        os.chmod(self.timings, 0o666)
        os.mkdir(os.path.join(self.dir, "run"))
        os.chown(os.path.join(self.dir, "run"), 65534, 65534)
        sock = os.path.join(self.dir, "run", "sock")
        process, pids = self.begin("--control", sock, prefix=self.as_user(65534))
        # Root may ask; somebody else not even through an open file mode.
        for mode, user, code in ((0o600, 0, 0), (0o600, 65534, 0),
                                 (0o600, 1000, 3), (0o666, 1000, 3)):
            os.chmod(sock, mode)
            done = subprocess.run(
                ["setpriv", f"--reuid={user}", "--clear-groups",
                 *self.command("status", sock)], capture_output=True, text=True,
                timeout=20, check=False)
            self.assertEqual(done.returncode, code, (mode, user, done.stderr))
        for name in NAMES:
            s = status(pids[name])
            self.assertEqual(s["Uid"].split(), ["65534"] * 4)
            self.assertEqual(int(s["CapPrm"], 16) | int(s["CapEff"], 16), 0)
            self.assertEqual((s["NoNewPrivs"], s["Seccomp"]), ("1", "2"))
        self.assertNotIn("does not stand", self.finish(process, pids))

    def test_mode_of_one_drive(self):
        process, pids = self.begin(
            "--disk", f"path={self.file('d2', bytes(4096))},id=free,confine=off")
        filters = sorted(status(p)["Seccomp"]
                         for p, n in processes(self.bin) if n == "bulkhead-blk")
        self.assertEqual(filters, ["0", "2"])
        self.assertEqual(status(pids["bulkhead-vmm"])["Seccomp"], "2")
        self.assertIn("free", self.finish(process, pids))

    def test_confined_drive_of_an_unconfined_machine(self):
        command = ["--confine", "off", "--disk",
                   f"path={self.file('d2', bytes(4096))},id=jail,confine=enforce"]
        process, pids = self.begin(*command)
        found = sorted((status(p)["Seccomp"], status(p)["Uid"].split()[0])
                       for p, n in processes(self.bin) if n == "bulkhead-blk")
        self.assertEqual(found, [("0", "0"), ("2", str(BASE + 3))])
        self.finish(process, pids)


@unittest.skipUnless(os.geteuid() == 0, "makes hosts that lack something")
class Missing(Machine):
    """Hosts without user namespaces: refused with the cause and the way out."""

    def inside(self, *then, kinds="user"):
        """Prefix: a root that may make no namespace of kinds; then runs there."""
        return ["unshare", "-m", "--propagation", "private", "sh", "-ec",
                "mount -t tmpfs -o mode=755 none /dev\n"
                "mknod -m 666 /dev/null c 1 3\nmknod -m 666 /dev/kvm c 10 232\n"
                "exec \"$@\"", "sh", sys.executable, "-c", WIDE, kinds, *then]

    def test_root_without_userns(self):
        prefix = self.inside()
        done = self.run_cli("run", "--kernel", self.halt, prefix=prefix)
        self.assertEqual(done.returncode, 3, done.stderr)
        for word in ("clone3", "refuses namespaces: user",
                     "user.max_user_namespaces is 0",
                     "--confine-missing userns"):
            self.assertIn(word, done.stderr)
        os.chmod(self.dir, 0o777)
        process, pids = self.begin("--confine-missing", "userns", prefix=prefix)
        for i, name in enumerate(NAMES):
            s = status(pids[name])
            self.assertEqual(s["Uid"].split(), [str(3000000 + BASE + i)] * 4)
            held = 1 << 5 if name == "bulkhead" else 0  # CAP_KILL
            self.assertEqual(int(s["CapPrm"], 16), held, name)
            self.assertEqual((s["NoNewPrivs"], s["Seccomp"]), ("1", "2"))
        for kind in ("pid", "mnt", "net", "ipc", "uts", "cgroup"):
            self.assertEqual(len({namespace(pids[n], kind) for n in NAMES}), 3)
        err = self.finish(process, pids)
        self.assertEqual(re.findall(r'wall "(\S+)" does not stand', err),
                         ["userns", "userns"])

    def test_root_without_userns_and_a_drive_without_walls(self):
        """Even that process is not root: its guest would be."""
        os.chmod(self.dir, 0o777)
        spare = self.file("d2", bytes(4096))
        os.chmod(spare, 0o666)
        process, pids = self.begin("--confine-missing", "userns", "--disk",
                                   f"path={spare},id=free,confine=off",
                                   prefix=self.inside())
        found = {s["Seccomp"]: s for s in (
            status(p) for p, n in processes(self.bin) if n == "bulkhead-blk")}
        self.assertEqual(sorted(found), ["0", "2"])
        self.assertEqual(found["0"]["Uid"].split(), [str(3000000 + BASE + 3)] * 4)
        self.assertEqual(found["0"]["Gid"].split(), [str(3000000 + BASE + 3)] * 4)
        self.assertEqual(found["0"]["Groups"].split(), [])
        self.assertEqual(int(found["0"]["CapPrm"], 16), 0)
        self.finish(process, pids)
    def test_root_without_one_kind(self):
        # What the error proposes is what lets the machine run.
        open(self.timings, "wb").close()
        os.chmod(self.timings, 0o666)
        for kind, words in (("mnt", "mntns,root"), ("net", "netns"),
                            ("ipc", "ipcns"), ("uts", "utsns"),
                            ("cgroup", "cgroupns")):
            with self.subTest(kind):
                prefix = self.inside(kinds=kind)
                done = self.run_cli("run", "--kernel", self.halt, prefix=prefix)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(f"user.max_{kind}_namespaces is 0", done.stderr)
                self.assertTrue(done.stderr.endswith(
                    f"--confine-missing {words}\n"), done.stderr)
                os.truncate(self.timings, 0)
                process, pids = self.begin("--confine-missing", words,
                                           prefix=prefix)
                for name in NAMES:
                    self.assertEqual(status(pids[name])["Seccomp"], "2")
                err = self.finish(process, pids)
                self.assertEqual(
                    set(re.findall(r'wall "(\S+)" does', err)),
                    set(words.split(",")), err)
                self.assertRegex(err, r'monitor: wall "\S+" does not stand')

    def test_wall_that_cannot_be_built_is_named(self):
        for number, wall, *words in (
                (LANDLOCK_CREATE_RULESET, "landlock", "lsm=landlock"),
                (FSOPEN, "root"),
                (UNSHARE, "mntns", "the monitor cannot", "unshare: Function")):
            prefix = self.refusing(number, 38)
            done = self.run_cli("run", "--kernel", self.halt, prefix=prefix)
            self.assertEqual(done.returncode, 3, done.stderr)
            for word in (f'cannot confine itself: wall "{wall}": ', *words):
                self.assertIn(word, done.stderr)

    def test_id_map_that_cannot_be_read(self):
        # Nobody knows whom root could become: no reason to stay root.
        sock = os.path.join(self.dir, "sock")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(sock)
        done = self.run_cli("run", "--kernel", self.halt, prefix=[
            "unshare", "-m", "--propagation", "private", "sh", "-ec",
            f"mount --bind {sock} /proc/$$/uid_map; exec \"$@\"", "sh"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("/proc/self/uid_map: No such device", done.stderr)

    def test_user_without_userns(self):
        prefix = self.inside("setpriv", "--reuid=7", "--regid=7",
                             "--clear-groups")
        done = self.run_cli("run", "--kernel", self.halt, prefix=prefix)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"--confine-missing {ALL_MISSING}", done.stderr)
        done = self.run_cli("run", "--kernel", self.halt, "--confine-missing",
                            "userns", prefix=prefix)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--confine-missing pidns,mntns,netns,", done.stderr)
        open(self.timings, "wb").close()
        os.chmod(self.timings, 0o666)
        process, pids = self.begin("--confine-missing", ALL_MISSING,
                                   prefix=prefix)
        for name in NAMES:
            s = status(pids[name])
            self.assertEqual((s["NoNewPrivs"], s["Seccomp"]), ("1", "2"))
        err = self.finish(process, pids)
        self.assertEqual(sorted(set(re.findall(r'wall "(\S+)" does', err))),
                         sorted(ALL_MISSING.split(",")))

    def refusing(self, number, error):
        return [sys.executable, "-c", REFUSED, str(number), str(error)]

    def test_the_wall_that_failed_is_named(self):
        args = "run", "--kernel", self.halt
        self.refused(args, "the vmm cannot confine itself", "wall \"root\": could "
                     "not be built: Permission denied", code=3,
                     prefix=self.refusing(MOUNT, 13))
        self.refused(args, "the monitor cannot confine itself", "wall \"mntns\": "
                     "unshare: Operation not permitted", code=3,
                     prefix=self.refusing(UNSHARE, 1))
        done = self.run_cli(*args, "--disk", f"path={self.image}",
                            prefix=self.refusing(MOUNT, 13))
        self.assertNotIn("not reached", done.stderr)

    def test_apparmor_is_named(self):
        """As Ubuntu does it: the namespace can be made, but not mounted in."""
        fake = ["unshare", "-m", "--propagation", "private", "sh", "-ec",
                "mount -t tmpfs none /proc/sys/kernel\n"
                "echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns\n"
                'exec "$@"', "sh"]
        self.refused(("run", "--kernel", self.halt), "wall \"root\": could not be built: ",
                     "; sysctl kernel.apparmor_restrict_unprivileged_userns is 1",
                     code=3, prefix=[*fake, *self.refusing(MOUNT, 1)])

    def test_root_of_a_namespace_of_one(self):
        """The user who calls himself root stays that user; root does not."""
        alone = ["unshare", "-U", "-r", "sh", "-c", 'exec "$@"', "sh"]
        self.refused(("run", "--kernel", self.halt), "uid-base) are not mapped",
                     "root outside", code=3, prefix=alone)
        open(self.timings, "wb").close()
        os.chmod(self.timings, 0o666)
        process, pids = self.begin(prefix=[*self.as_user(65534), *alone])
        for name in NAMES:
            self.assertEqual(status(pids[name])["Uid"].split(), ["65534"] * 4)
            self.assertEqual(int(status(pids[name])["CapPrm"], 16), 0)
        self.assertIn("uid-base) are not mapped", self.finish(process, pids))


if __name__ == "__main__":
    unittest.main()
