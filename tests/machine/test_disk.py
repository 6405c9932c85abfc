# SPDX-License-Identifier: Apache-2.0
"""What stands in the image afterwards, and disks that are read-only or odd."""
import os
import unittest

import machine


class Image(machine.Case):
    def test_written_bytes(self):
        for mode in ("poll", "msix"):
            text = self.run_guest(f"tests=write,flush mode={mode}")
            self.assert_tests(text, "write", "flush")
            self.assert_image(written=True)

    def test_reading_changes_nothing(self):
        text = self.run_guest("tests=read,depth,outofrange,badchain,reset")
        self.assert_tests(text, "read", "depth", "outofrange", "badchain",
                          "reset")
        self.assert_image()

    def test_every_cpu_writes(self):
        text = self.run_guest("tests=smpio mode=msix", cpus=4)
        self.assert_tests(text, "smpio")
        self.assert_image(cpus=4)


class ReadOnly(machine.Case):
    NAMES = ("read", "readonly", "flush", "getid", "outofrange", "smpio")

    def test_readonly(self):
        for mode in ("poll", "msix"):
            text = self.run_guest(f"tests={','.join(self.NAMES)} mode={mode} "
                                  "serial=serial-of-the-disk", cpus=2,
                                  disk=",readonly=on")
            self.assert_tests(text, *self.NAMES)
            self.assert_image()

    def test_file_without_write_permission(self):
        os.chmod(self.image, 0o444)
        text = self.run_guest("tests=read,readonly", disk=",readonly=on")
        self.assert_tests(text, "read", "readonly")
        self.assert_image()


class Size(machine.Case):
    def test_rounded_down(self):
        with open(self.image, "ab") as f:
            f.write(b"x" * 100)
        text = self.run_guest(
            f"tests=config,read,outofrange disk-sectors={machine.SECTORS}")
        self.assert_tests(text, "config", "read", "outofrange")
        self.assertEqual(os.stat(self.image).st_size,
                         machine.SECTORS * machine.SECTOR + 100)

    def test_image_cut_under_the_guest(self):
        # Reads end with an error or other data, the guest says so, and no
        # process dies of it.
        running = self.start_guest("tests=none end=io")
        self.assertTrue(running.until("end io"), running.text)
        os.truncate(self.image, machine.SECTOR)
        self.assertTrue(running.until("FAIL io"), running.text)
        self.assertEqual(running.finish(), machine.GUEST_FAILED, running.text)


if __name__ == "__main__":
    machine.main()
