# SPDX-License-Identifier: Apache-2.0
"""The test guest's own tests, in machines of several shapes: entry by PVH and
by the 64-bit protocol, 1 to 8 vCPUs, little and much memory, polling and MSI-X."""
import os
import unittest

import machine


class Guest(machine.Case):
    ALWAYS = ("acpi-tables", "pci-scan", "acpi", "memmap", "memory", "cpuid",
              "smp", "timer", "uart", "probe", "absent", "pcicfg", "barsize",
              "barmove", "decodeoff", "features", "featsel", "featbad",
              "config", "queuesize", "noqueue", "novector", "zeroaddr",
              "early", "read", "write", "flush", "getid", "outofrange",
              "unsupported", "smpio", "poll", "msix", "masked", "unmask",
              "retarget", "eventidx", "isr", "depth", "small", "reset",
              "restart", "badring", "badchain", "badflood", "badraw",
              "noindirect", "badrings")

    def all_tests(self, mode, cpus, **other):
        text = self.run_guest(
            f"tests=all mode={mode} disk-sectors={machine.SECTORS} "
            "serial=serial-of-the-disk", cpus=cpus, **other)
        self.assert_tests(text, *self.ALWAYS)
        self.assert_image(cpus=cpus, written=True)
        return text

    def test_poll_1_cpu(self):
        self.assertIn("entry=pvh", self.all_tests("poll", 1))

    def test_poll_2_cpus(self):
        self.all_tests("poll", 2)

    def test_msix_1_cpu(self):
        self.all_tests("msix", 1)

    def test_msix_2_cpus(self):
        self.all_tests("msix", 2)

    def test_msix_3_cpus(self):
        self.all_tests("msix", 3)

    def test_msix_8_cpus(self):
        self.all_tests("msix", 8)

    def test_entry64_without_note(self):
        text = self.all_tests("msix", 2, kernel="guest64.elf")
        self.assertIn("entry=linux64", text)

    def test_entry64_of_choice(self):
        text = self.run_guest("tests=smp,read", "--boot", "linux64", cpus=2)
        self.assertIn("entry=linux64", text)
        self.assert_tests(text, "smp", "read")

    def test_32_cpus(self):
        text = self.run_guest("tests=memmap,cpuid,smp,read,smpio mode=msix",
                              cpus=32)
        self.assert_tests(text, "memmap", "cpuid", "smp", "read", "smpio")

    def test_index_wraps(self):
        for mode in ("poll", "msix"):
            text = self.run_guest(f"tests=wrap mode={mode}")
            self.assert_tests(text, "wrap")


class Memory(machine.Case):
    def test_sizes(self):
        page = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        for mib in (32, 33, 64, 512, 3071, 3072, 3073, 5120):
            with self.subTest(mib=mib):
                if mib > page:
                    self.skipTest(f"this host has {page} MiB only")
                tests = ["memmap", "memory", "read", "depth"]
                if mib > 3072:
                    tests.append("highmem")
                text = self.run_guest("tests=" + ",".join(tests), memory=mib)
                self.assert_tests(text, *(t for t in tests if t in text))
                self.assert_tests(text, "memmap", "memory", "read", "depth")
                if mib > 3073:
                    self.assert_tests(text, "highmem")


class Initrd(machine.Case):
    def fnv(self, data):
        h = 0xCBF29CE484222325
        for byte in data:
            h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
        return h

    def test_content(self):
        for size in (1, 4095, 4096, 300001):
            data = os.urandom(size)
            path = os.path.join(self.dir, "initrd")
            with open(path, "wb") as f:
                f.write(data)
            for kernel in ("guest.elf", "guest64.elf"):
                text = self.run_guest(
                    f"tests=initrd,memmap initrd-bytes={size} "
                    f"initrd-fnv={self.fnv(data):#x}", "--initrd", path,
                    kernel=kernel)
                self.assert_tests(text, "initrd", "memmap")


class NoDisk(machine.Case):
    def test_without_disk(self):
        command = self.command("tests=acpi,memmap,smp,absent")
        at = command.index("--disk")
        del command[at:at + 2]
        running = machine.Running(command)
        self.addCleanup(running.end)
        self.assertEqual(running.finish(), machine.GUEST_OK, running.text)
        self.assertIn("disk=no", running.text)

    def test_a_failing_test_shows(self):
        text = self.run_guest("tests=config disk-sectors=1",
                              code=machine.GUEST_FAILED)
        self.assertIn("FAIL config 8192 sectors, expected 1", text)


class Bench(machine.Case):
    def test_every_measurement_prints_its_line(self):
        for mode in ("poll", "msix"):
            text = self.run_guest(f"tests=none bench=all bench-count=50 mode={mode}")
            for name in ("read4k", "kick", "msi", "port-exit", "mmio-exit"):
                self.assertRegex(text, rf"(?m)^bench {name} n=50 p50=\d+ p95=\d+ "
                                 r"min=\d+ max=\d+ mean=\d+")


if __name__ == "__main__":
    machine.main()
