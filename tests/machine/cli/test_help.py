# SPDX-License-Identifier: Apache-2.0
"""Help, version and man page say the same, and the page is well-formed."""
import os
import re
import shutil
import subprocess
import unittest

from machine_cli import Case

MAN = os.environ["BULKHEAD_MAN"]


class Help(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def text(self, *args):
        done = self.run_cli(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_every_verb(self):
        listed = re.findall(r"^  (\w+) +", self.text("help").split("Exit codes")[0],
                            re.M)
        self.assertEqual(listed, ["run", "check", "policy", "status", "version", "help"])
        for verb in listed:
            self.assertIn(f"Usage: bulkhead {verb}", self.text("help", verb))
        for verb in ("run", "check", "policy", "status", "version", "help"):
            self.assertIn(f"Usage: bulkhead {verb}", self.text(verb, "--help"))

    def test_help_does_nothing_else(self):
        self.assertIn("--memory", self.text("run", "/nowhere.json", "--help"))

    def test_unknown_verb(self):
        done = self.run_cli("help", "fly")
        self.assertEqual(done.returncode, 2)

    def test_lines_fit(self):
        for line in self.text("check", "--help").splitlines():
            self.assertLessEqual(len(line), 90, line)

    def test_version(self):
        self.assertRegex(self.text("version"), r"^bulkhead \d+\.\d+\.\d+, protocol \d")
        self.assertEqual(self.text("--version"), self.text("version"))

    def test_exit_codes_listed(self):
        text = self.text("run", "--help")
        for code in (0, 1, 2, 3, 10, 11, 12, 13, 14):
            self.assertRegex(text, rf"(?m)^ +{code}  \w")


class Man(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_lint(self):
        done = subprocess.run(["mandoc", "-Tlint", "-W", "style", MAN],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertEqual(done.returncode, 0)

    def test_same_flags_as_help(self):
        done = subprocess.run([os.path.join(os.environ["BULKHEAD_BIN"], "bulkhead"),
                               "check", "--help"], capture_output=True, text=True,
                              check=True)
        flags = set(re.findall(r"^  (--[a-z-]+)", done.stdout, re.M))
        with open(MAN, encoding="ascii") as f:
            page = f.read().replace("\\-", "-")
        self.assertEqual({"-" + f for f in re.findall(r"^\.It Fl (\S+)", page, re.M)},
                         flags)


if __name__ == "__main__":
    unittest.main()
