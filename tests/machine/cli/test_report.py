# SPDX-License-Identifier: Apache-2.0
"""What `check` says of the real processes: the kernel's facts of vmm and blk,
fd by fd, and that text and JSON say the same."""
import json
import os
import unittest

import images
from machine_cli import Case

SPACES = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup", "time"}
NO_LIMIT = "unlimited"
LIMITS = {  # policy/role.c and policy/wall_rlimits.c
    "vmm": {"NOFILE": 2048, "NPROC": 128},
    "blk/disk0": {"NOFILE": 256, "NPROC": 256},
}
# Kinds at READY, beside 0..4 that all children have.
FDS = {
    # loop, its wake, a second one; memory and kernel until PREPARE; console
    # in and out; VM, its interrupt eventfd, a vCPU; the device's channel.
    "vmm": ["eventpoll", "eventfd", "memfd", "eventfd", "file", "chardev",
            "pipe", "kvm-vm", "eventfd", "kvm-vcpu", "socket"],
    # loop and its wake, the queue's commands and ring, image, vmm's channel.
    "blk/disk0": ["eventpoll", "eventfd", "eventfd", "file", "socket",
                  "io_uring"],
}


class Facts(Case):
    def check(self, *flags):
        done = self.run_cli("check", "--kernel",
                            self.file("k", images.elf(images.HALT)), "--disk",
                            f"path={self.image}", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def facts(self, *flags):
        report = json.loads(self.check("--format", "json", *flags))
        return {p["name"]: p["facts"] for p in report["processes"]}

    def test_walls(self):
        for name, facts in self.facts().items():
            with self.subTest(process=name):
                self.assertRegex(facts["uid-map"], r"^\d+ \d+ 1$")
                self.assertRegex(facts["gid-map"], r"^\d+ \d+ 1$")
                self.assertEqual(facts["groups"], [])
                for part in ("inheritable", "permitted", "effective",
                             "bounding", "ambient"):
                    self.assertEqual(facts[f"cap-{part}"], "none")
                self.assertTrue(facts["no-new-privs"])
                self.assertEqual(facts["dumpable"], 0)
                self.assertEqual(facts["pdeathsig"], 9)
                self.assertEqual(facts["seccomp-mode"], 2)
                self.assertEqual(facts["seccomp-filters"], 1)
                self.assertTrue(facts["landlock"]["enforced"])
                self.assertTrue(facts["root-read"])
                self.assertTrue(facts["root-readonly"])
                self.assertEqual(facts["root-entries"], [])
                self.assertEqual(facts["incomplete"], [])

    def test_namespaces(self):
        ours = {s: os.stat(f"/proc/self/ns/{s}").st_ino for s in SPACES}
        seen = []
        for name, facts in self.facts().items():
            theirs = {n["name"]: n["inode"] for n in facts["namespaces"]}
            self.assertEqual(set(theirs), SPACES, name)
            self.assertEqual(theirs.pop("time"), ours["time"])
            for space, inode in theirs.items():
                self.assertNotEqual(inode, ours[space], (name, space))
            seen += theirs.values()
        # Nor does one child share any with another.
        self.assertEqual(len(seen), len(set(seen)))

    def test_limits(self):
        for name, facts in self.facts().items():
            limits = {r["name"]: (r["soft"], r["hard"])
                      for r in facts["rlimits"]}
            self.assertEqual(len(limits), 16)
            for limit, value in LIMITS[name].items():
                self.assertEqual(limits[limit], (value, value), name)
            for limit in ("CORE", "MSGQUEUE", "NICE", "RTPRIO"):
                self.assertEqual(limits[limit], (0, 0), name)
            self.assertEqual(limits["CPU"], (NO_LIMIT, NO_LIMIT))

    def test_fds(self):
        for name, facts in self.facts().items():
            fds = facts["fds"]
            self.assertEqual([f["fd"] for f in fds[:5]], [0, 1, 2, 3, 4])
            self.assertEqual([f["kind"] for f in fds[:5]],
                             ["chardev"] * 3 + ["socket"] * 2)
            self.assertEqual([f["device"] for f in fds[:3]], ["1:3"] * 3)
            self.assertEqual(sorted(f["kind"] for f in fds[5:]),
                             sorted(FDS[name]), name)
            files = [f["target"] for f in fds if f["kind"] == "file"]
            self.assertEqual(files, [self.image if name != "vmm" else
                                     os.path.join(self.dir, "k")])

    def test_executable(self):
        for name, facts in self.facts().items():
            program = {"vmm": "bulkhead-vmm", "blk/disk0": "bulkhead-blk"}[name]
            maps = facts["exec-maps"]
            self.assertIn(os.path.join(self.bin, program), maps)
            for path in maps:
                self.assertRegex(path, rf"/{program}$|\.so(\.|$)|^\[v\w+\]$")

    def test_off(self):
        facts = self.facts("--confine", "off")
        for name in ("vmm", "blk/disk0"):
            self.assertEqual(facts[name]["seccomp-mode"], 0)
            self.assertFalse(facts[name]["landlock"]["enforced"])
            self.assertNotEqual(facts[name]["root-entries"], [])

    def test_text(self):
        text = self.check()
        for line in ("    cap-effective: none", "    seccomp-mode: 2",
                     "    root-entries: none"):
            self.assertEqual(text.splitlines().count(line), 2)
        self.assertRegex(text, r"\n    fds: chardev 0 1 2( \d+)?, socket 3 4 ")
        self.assertRegex(text, r"io_uring \d+\n")
        self.assertNotIn("incomplete", text)


if __name__ == "__main__":
    unittest.main()
