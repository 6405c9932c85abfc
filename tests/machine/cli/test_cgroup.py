# SPDX-License-Identifier: Apache-2.0
"""Limits on hosts whose controllers are in cgroup v1: that is said, and the
machine goes on without. Where v2 has them, tests/e2e (group cgroup) tests."""
import unittest

from machine_cli import Case


def in_v1():
    """Is some controller in a v1 hierarchy of this process?"""
    with open("/proc/self/cgroup", encoding="ascii") as f:
        rows = [line.split(":") for line in f]
    return any(row[1] and not row[1].startswith("name=") for row in rows)


class Cgroup(Case):
    vmm = "fake-vmm"

    def test_limits_need_a_group(self):
        self.refused(["check", "--kernel", self.kernel, "--limit", "vmm:pids=9"],
                     "limits: need a cgroup", "Delegate=yes")

    @unittest.skipUnless(in_v1(), "this host has no controller in v1")
    def test_v1_is_said(self):
        done = self.run_cli("check", "--kernel", self.kernel, "--cgroup", "own",
                            "--limit", "vmm:pids=9", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cgroup v1", done.stderr)
        self.assertIn('"limits-in-force": []', done.stdout)


if __name__ == "__main__":
    unittest.main()
