# SPDX-License-Identifier: Apache-2.0
"""The real processes on /dev/kvm with guests of a few instructions: every exit
code, every death, and the operator's ways to end a machine."""
import os
import pty
import signal
import subprocess
import termios
import time
import unittest

import images
from machine_cli import best_of_three, Case, kill, processes


class Guests(Case):
    def ends(self, code, exit_code, *words, flags=(), data=None):
        done = self.run_cli("run", "--kernel",
                            self.file("k", data or images.elf(code)), "--disk",
                            f"path={self.image}", *flags)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr.splitlines()[-1])

    def test_debug_exit(self):
        for byte in (0, 1, 42, 255):
            self.ends(images.port_write(images.DEBUG_EXIT, byte), byte,
                      f"(exit {byte})", flags=["--debug-exit"])

    def test_debug_exit_by_every_entry(self):
        code = images.port_write(images.DEBUG_EXIT, 77)
        for data in (images.elf(code), images.elf(code, pvh=True),
                     images.bzimage(code)):
            self.ends(None, 77, flags=["--debug-exit"], data=data)

    def test_poweroff(self):
        self.ends(images.POWEROFF, 0, "guest powered off (exit 0)")

    def test_reset(self):
        self.ends(images.port_write(images.RESET, 1), 10, "reset")

    def test_panic(self):
        self.ends(images.port_write(images.PVPANIC, 1), 11, "panic")

    def test_many_cpus_and_disks(self):
        disks = []
        for i in range(5):
            disks += ["--disk", f"path={self.file(f'd{i}', bytes(512))}"]
        self.ends(images.POWEROFF, 0, flags=["--cpus", "4", *disks])

    def test_start_after_start(self):
        # The image's lock must be free as soon as the machine is gone.
        for _ in range(5):
            self.ends(images.POWEROFF, 0)


class Deaths(Case):
    def begin(self, code=images.HALT, *flags):
        timings = self.file("t.json")
        process = self.start("run", "--kernel", self.file("k", images.elf(code)),
                             "--disk", f"path={self.image}", "--timings-file",
                             timings, "--console", "none", *flags)
        self.wait_running(timings)
        return process

    @best_of_three
    def test_vmm(self):
        for code in (images.HALT, images.SPIN):
            process = self.begin(code)
            kill(self.child("bulkhead-vmm"))
            self.gone_within([p for p, n in processes(self.bin)
                              if n != "bulkhead"])
            self.end(process, 13, "vmm process died", "SIGKILL")

    @best_of_three
    def test_device(self):
        process = self.begin()
        kill(self.child("bulkhead-blk"))
        self.gone_within([p for p, n in processes(self.bin) if n != "bulkhead"])
        self.end(process, 12, 'device "disk0" died', "SIGKILL")

    @best_of_three
    def test_monitor(self):
        for code in (images.HALT, images.SPIN):
            process = self.begin(code)
            pids = [p for p, _ in processes(self.bin)]
            self.assertEqual(len(pids), 3)
            kill(process.pid)
            process.wait(timeout=5)
            self.gone_within(pids)

    def test_power_button_ignored(self):
        for code in (images.HALT, images.SPIN):
            process = self.begin(code, "--power-button-grace-ms", "200")
            process.terminate()
            self.end(process, 14, "ended by the operator")


class Terminal(Case):
    """The console on a terminal: raw while it runs, restored afterwards."""

    def begin(self, code):
        main, term = pty.openpty()
        self.addCleanup(os.close, main)
        self.addCleanup(os.close, term)
        before = termios.tcgetattr(term)
        timings = self.file("t.json")
        args = self.command("run", "--kernel",
                            self.file("k", images.elf(code)),
                            "--timings-file", timings)
        process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *args], stdin=term, stdout=term,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_running(timings)
        self.assertFalse(termios.tcgetattr(term)[3] & termios.ICANON)
        return process, main, term, before

    def test_escape(self):
        process, main, term, before = self.begin(images.HALT)
        os.write(main, b"\x03\x1a")  # Ctrl-C and Ctrl-Z go to the guest
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        os.write(main, b"\x01x")
        self.end(process, 14, "escape keys")
        self.assertEqual(termios.tcgetattr(term), before)

    def test_background_job_is_not_stopped_by_typing(self):
        timings = self.file("t.json")
        os.unlink(timings)
        args = self.command("run", "--kernel",
                            self.file("k", images.elf(images.HALT)),
                            "--power-button-grace-ms", "0",
                            "--timings-file", timings)
        pid, main = pty.fork()
        if pid == 0:
            # A job of its own group beside the terminal's foreground one.
            os.execvp("bash", ["bash", "--norc", "-mc", '"$@" & wait $!; exit $?',
                               "bash", *args])
        self.addCleanup(os.close, main)
        self.wait_running(timings)
        os.write(main, b"typed\n")
        time.sleep(0.3)
        machine = self.child("bulkhead")
        with open(f"/proc/{machine}/stat", encoding="ascii") as stat:
            self.assertNotEqual(stat.read().rsplit(")", 1)[1].split()[0], "T")
        kill(machine, signal.SIGTERM)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 14)
        self.assert_nothing_left()

    def test_restored_after_poweroff_and_signals(self):
        for number, code in ((signal.SIGTERM, 14), (signal.SIGSEGV, -11),
                             (signal.SIGABRT, -6), (signal.SIGQUIT, -3)):
            process, _, term, before = self.begin(images.HALT)
            pid = self.child("bulkhead")
            kill(pid, number)
            if number == signal.SIGTERM:
                time.sleep(0.05)
                kill(pid, number)
            process.wait(timeout=10)
            self.assertEqual(process.returncode, code)
            self.assertEqual(termios.tcgetattr(term), before)
            self.assert_nothing_left()

    def test_output(self):
        # mov dx, 0x3f8; mov al, '!'; out dx, al; then power off.
        code = b"\x66\xba\xf8\x03\xb0\x21\xee" + images.POWEROFF
        done = self.run_cli("run", "--kernel", self.file("k", images.elf(code)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "!")

    def test_output_to_file_is_appended(self):
        code = b"\x66\xba\xf8\x03\xb0\x21\xee" + images.POWEROFF
        path = os.path.join(self.dir, "console")
        for size in (1, 2):
            done = self.run_cli("run", "--kernel",
                                self.file("k", images.elf(code)), "--console",
                                f"file={path}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.stat(path).st_size, size)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
