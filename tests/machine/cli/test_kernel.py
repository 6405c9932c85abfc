# SPDX-License-Identifier: Apache-2.0
"""Kernels, initrds and command lines that cannot be booted: refused by the real,
confined vmm with what was found and what is accepted; exit code 2, nothing left.
Limits are tried exactly and one beyond. (`check` stops before the guest.)"""
import gzip
import json
import os
import subprocess
import unittest

import images
from machine_cli import Case


class Kernel(Case):
    def refuse(self, data, *words, more=()):
        return self.refused(["run", "--kernel", self.file("k", data), *more], *words)

    def check(self, data, *more):
        done = self.run_cli("check", "--kernel", self.file("k", data), "--format",
                            "json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_unknown_format(self):
        self.refuse(b"hello, world" * 1000, "bzImage", "ELF vmlinux")
        self.refuse(b"x", "bzImage", "ELF vmlinux")

    def test_gzip(self):
        self.refuse(gzip.compress(images.elf(images.HALT)), "gzip")

    def test_other_machine(self):
        self.refuse(images.elf(b"", machine=images.MACHINE_AARCH64), "ARM64",
                    "x86-64")

    def test_truncated_elf(self):
        whole = images.elf(images.HALT)
        for size in (32, 64 + 20, 0x1000, len(whole) - 1):
            self.refuse(whole[:size], "truncated ELF")

    def test_truncated_bzimage(self):
        whole = images.bzimage(images.HALT)
        for size in (0x210, 1024, len(whole) - 1):
            self.refuse(whole[:size], "kernel is")

    def test_old_protocol(self):
        self.refuse(images.bzimage(images.HALT, version=0x20b), "2.11", "2.12")

    def test_formats_found(self):
        for data, word, entry in (
                (images.elf(images.HALT), "64-bit entry", images.LOAD),
                (images.elf(images.HALT, pvh=True), "PVH entry", images.LOAD),
                (images.bzimage(images.HALT), "bzImage", images.LOAD + 0x200)):
            report = self.check(data)
            self.assertIn(word, report["kernel"]["format"])
            self.assertEqual(int(report["kernel"]["entry"], 16), entry)

    def test_pvh_asked_but_no_note(self):
        self.refuse(images.elf(images.HALT), "PVH", more=["--boot", "pvh"])

    def test_kernel_does_not_fit(self):
        self.refuse(images.elf(images.HALT, load=64 << 20), "RAM",
                    more=["--memory", "64"])

    def test_command_line_limit(self):
        data = images.bzimage(images.HALT, cmdline_size=100)
        self.assertEqual(self.check(data, "--cmdline", "x" * 100)["cmdline"],
                         {"bytes": 100, "limit": 100})
        self.refuse(data, "101", "100", more=["--cmdline", "x" * 101])

    def test_initrd_too_large(self):
        data = images.bzimage(images.HALT)
        path = self.file("initrd")
        with open(path, "r+b") as f:
            f.truncate(100 << 20)
        self.refuse(data, "initrd", str(100 << 20),
                    more=["--initrd", path, "--memory", "64"])
        report = self.check(data, "--initrd", path, "--memory", "256")
        self.assertEqual(report["initrd"]["bytes"], 100 << 20)

    def test_smallest_memory(self):
        self.assertEqual(self.check(images.elf(images.HALT), "--memory", "32")
                         ["memory"]["size-mib"], 32)


class Check(Case):
    def test_report(self):
        kernel = self.file("k", images.elf(images.HALT))
        args = ["check", "--kernel", kernel, "--cpus", "3", "--memory", "4096",
                "--disk", f"path={self.image},serial=SN1,id=root", "--disk",
                f"path={self.file('b', bytes(512))},readonly=on"]
        done = self.run_cli(*args, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        root, other = report["devices"]
        self.assertEqual((root["id"], root["serial"], root["bytes"]),
                         ("root", "SN1", 1 << 20))
        self.assertEqual((root["slot"], other["slot"]), ("00:01.0", "00:02.0"))
        self.assertEqual(root["pci-id"], "1af4:1042")
        self.assertEqual(root["queues"], 3)
        self.assertEqual([p["name"] for p in report["processes"]],
                         ["vmm", "blk/root", "blk/disk1"])
        for process in report["processes"]:
            self.assertTrue(process["walls"])
        ram = [e for e in report["memory-map"] if e["type"] == "ram"]
        self.assertEqual(ram[-1]["start"], "0x100000000")
        self.assertEqual(int(ram[-1]["end"], 16), (5 << 30))
        text = self.run_cli(*args)
        self.assertEqual(text.returncode, 0)
        for word in ("kernel:", "memory-map:", "devices:", "root", "limit",
                     "host-features-missing:", "seccomp"):
            self.assertIn(word, text.stdout)

    def test_block_device(self):
        found = None
        for name in sorted(os.listdir("/sys/block")):
            with open(f"/sys/block/{name}/size", encoding="ascii") as f:
                sectors = int(f.read())
            try:
                open(f"/dev/{name}", "rb").close()  # a cgroup may forbid it
            except OSError:
                continue
            if sectors:
                found = (f"/dev/{name}", sectors * 512)
        if not found:
            self.skipTest("no block device that may be read")
        done = self.run_cli("check", "--kernel",
                            self.file("k", images.elf(images.HALT)), "--disk",
                            f"path={found[0]},readonly=on", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["devices"][0]["bytes"], found[1])

    def test_random_serials_differ(self):
        kernel = self.file("k", images.elf(images.HALT))
        second = self.file("second", bytes(512))
        seen = set()
        for _ in range(2):
            done = self.run_cli("check", "--kernel", kernel, "--disk",
                                f"path={self.image}", "--disk", f"path={second}",
                                "--format", "json")
            seen |= {d["serial"] for d in json.loads(done.stdout)["devices"]}
        self.assertEqual(len(seen), 4)

    def test_running_machine_is_seen(self):
        kernel = self.file("k", images.elf(images.HALT))
        timings = self.file("t")
        process = self.start("run", "--kernel", kernel, "--disk",
                             f"path={self.image}", "--timings-file", timings)
        self.wait_running(timings)
        done = subprocess.run(
            self.command("check", "--kernel", kernel, "--disk",
                         f"path={self.image}"), capture_output=True, text=True,
            timeout=30, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is locked by another machine", done.stderr)
        process.kill()
        process.wait()


if __name__ == "__main__":
    unittest.main()
