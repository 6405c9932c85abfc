# SPDX-License-Identifier: Apache-2.0
"""A child that was taken over behind its real walls (they stood, or it would
have ended with status 75) still has its channel to the monitor. Whatever it
sends there ends that child and its machine in the ordinary way: the monitor
says who broke the protocol, and nothing is left."""
import unittest

from machine_cli import Case

# fake_frames.c has what they are.
FRAMES = ("magic", "cuthead", "cutbody", "trailing", "oversize", "hugelength",
          "malformed", "unknownfield", "unknownop", "zeroop", "monitorop",
          "otherrole", "hello", "onefd", "eightfds", "manyfds", "exitfd",
          "exitreason")


class Hostile(Case):
    def ends(self, orders, code, serial=None):
        disk = f"path={self.image}" + (f",serial={serial}" if serial else "")
        done = self.run_cli("run", "--kernel", self.kernel, "--cmdline", orders,
                            "--disk", disk)
        last = done.stderr.strip().splitlines()[-1]
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("broke the protocol", last, done.stderr)
        return last


class Blk(Hostile):
    vmm, blk = "fake-vmm", "walled-blk"

    def test_frames(self):
        for frame in FRAMES:
            for step in ("ready", "after"):
                with self.subTest(frame=frame, step=step):
                    last = self.ends("", 12, f"{step}={frame}")
                    self.assertIn("disk0", last)

    def test_walls_stood(self):
        done = self.run_cli("run", "--kernel", self.kernel, "--cmdline",
                            "running=poweroff", "--disk", f"path={self.image}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_call_outside_policy(self):
        done = self.run_cli("run", "--kernel", self.kernel, "--disk",
                            f"path={self.image},serial=ready=kill9")
        self.assertEqual(done.returncode, 12, done.stderr)
        self.assertIn("SIGSYS", done.stderr)
        self.assertIn("tgkill", done.stderr)


class Vmm(Hostile):
    vmm, blk = "walled-vmm", "fake-blk"

    def test_frames(self):
        for frame in FRAMES:
            for step in ("ready", "after", "running"):
                with self.subTest(frame=frame, step=step):
                    self.ends(f"{step}={frame}", 13)


if __name__ == "__main__":
    unittest.main()
