# SPDX-License-Identifier: Apache-2.0
"""Every way in which a machine can end, with children that misbehave on order:
exit code, last line, and that nothing is left within 100 ms."""
import json
import os
import signal
import time
import unittest

import images
from machine_cli import best_of_three, Case, kill, processes


def stopped(pid):
    """Is it stopped by a signal?"""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


class Ends(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def ends(self, orders, code, *words, flags=()):
        done = self.run_cli("run", "--kernel", self.kernel, "--cmdline", orders,
                            "--disk", f"path={self.image}", *flags)
        self.assertEqual(done.returncode, code, done.stderr)
        last = done.stderr.strip().splitlines()[-1]
        for word in words:
            self.assertIn(word, last)
        self.assertNotIn("\x1b", done.stderr)
        return done.stderr

    def test_guest_ends(self):
        self.ends("running=poweroff", 0, "guest powered off (exit 0)")
        self.ends("running=reset", 10, "guest asked for a reset (exit 10)")
        self.ends("running=panic", 11, "panic", "(exit 11)")
        self.ends("running=escape", 14, "escape keys")
        for byte in (0, 1, 13, 42, 255):
            self.ends(f"running=debug{byte}", byte, f"(exit {byte})")

    def test_debug_code_out_of_range_is_a_broken_protocol(self):
        self.ends("running=debug256", 13, "broke the protocol at EXIT")

    def test_vmm_dies(self):
        # Without a pid namespace a child can kill itself with any signal.
        off = ("--confine", "off")
        self.ends("running=kill9", 13, "vmm process died", "signal 9 (SIGKILL)",
                  flags=off)
        self.ends("running=kill31", 13, "SIGSYS", "outside its policy", flags=off)
        self.ends("running=trap", 13, "vmm process died", "signal 4 (SIGILL)")
        self.ends("running=exit3", 13, "exited with status 3")
        self.ends("running=error", 13, "vmm failed: fake\\x1b[31m message")

    def test_vmm_breaks_the_protocol(self):
        self.ends("running=garbage", 13, "broke the protocol")
        self.ends("ready=early", 13, "broke the protocol at RUNNING")
        self.ends("prepare=twice", 13, "broke the protocol at PREPARED")

    def test_vmm_names_device(self):
        self.ends("running=failed", 12, "device failed: fake")

    def test_start_fails(self):
        self.ends("grant=error", 3, "vmm failed: fake")
        self.ends("grant=exit1", 13, "exited with status 1")
        self.ends("prepare=trap", 13, "SIGILL")
        self.ends("run=trap", 13, "SIGILL")

    def test_no_guest_end_before_the_guest_ran(self):
        for step in ("grant", "ready", "prepare", "run"):
            self.ends(f"{step}=poweroff", 13, "before the guest ran")

    def test_refused_by_the_vmm(self):
        for error in (8, 7, 28, 22):  # ENOEXEC E2BIG ENOSPC EINVAL
            self.ends(f"prepare=refuse{error}", 2, "bulkhead: fake refusal")
        self.ends("prepare=refuse5", 3, "bulkhead: fake refusal")

    def test_log_flood_is_bounded_and_escaped(self):
        err = self.ends("running=poweroff flood", 0)
        lines = [l for l in err.splitlines() if "flood" in l]
        self.assertGreater(len(lines), 50)
        self.assertLessEqual(len(lines), 1000)
        self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z "
                                   r"vmm\[\d+\] fake: err: flood \\x1b\[2J$")

    def test_device_fails_at_start(self):
        for orders, code, word in (("grant=error", 3, 'device "disk0"'),
                                   ("grant=trap", 12, "SIGILL"),
                                   ("ready=exit9", 12, "status 9"),
                                   ("ready=garbage", 12, "broke the protocol")):
            done = self.run_cli("run", "--kernel", self.kernel, "--disk",
                                f"path={self.image},serial={orders}")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stderr.splitlines()[-1])



class Prepare(Case):
    blk = "fake-blk"

    def test_device_dies_while_the_vmm_prepares(self):
        # The vmm's answer and the device's end come at once: the end is told.
        kernel = self.file("k", images.elf(images.HALT))
        for _ in range(5):
            done = self.run_cli("run", "--kernel", kernel, "--console", "none",
                                "--disk", f"path={self.image},serial=after=trap")
            self.assertEqual(done.returncode, 12, done.stderr)
            self.assertIn('device "disk0" died', done.stderr)
            self.assertIn("SIGILL", done.stderr)


class Stopped(Case):
    def test_child_is_stopped_before_exec(self):
        # Whoever stops it then may hold up a start, but not for ever.
        kernel = self.file("k", images.elf(images.HALT))
        for _ in range(50):
            process = self.start("run", "--kernel", kernel, "--console", "none")
            if self.stop_first_child(process):
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
        else:
            self.fail("exec was faster, 50 times")
        self.end(process, 3, "cannot start bulkhead-vmm", "timed out", seconds=20)

    def stop_first_child(self, process):
        """Stops it; is it still the monitor's program?"""
        path = f"/proc/{process.pid}/task/{process.pid}/children"
        pids = []
        while not pids and process.poll() is None:
            with open(path, encoding="ascii") as f:
                pids = f.read().split()
        try:
            os.kill(int(pids[0]), signal.SIGSTOP)
            self.wait_for(lambda: stopped(pids[0]), "stopped")
            with open(f"/proc/{pids[0]}/comm", encoding="ascii") as f:
                return f.read() == "bulkhead\n"
        except (OSError, IndexError):
            return False


class Kills(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def begin(self, orders="", *flags):
        timings = self.file("t.json")
        process = self.start("run", "--kernel", self.kernel, "--cmdline", orders,
                             "--disk", f"path={self.image}", "--disk",
                             f"path={self.file('second', bytes(4096))}",
                             "--timings-file", timings, *flags)
        self.wait_running(timings)
        return process

    @best_of_three
    def test_kill_vmm(self):
        process = self.begin()
        pids = [p for p, _ in processes(self.bin)]
        self.assertEqual(len(pids), 4)
        kill(self.child("bulkhead-vmm"))
        self.gone_within([p for p in pids if p != process.pid])
        self.end(process, 13, "vmm process died", "SIGKILL")

    @best_of_three
    def test_kill_device(self):
        process = self.begin()
        pids = [p for p, n in processes(self.bin) if n != "bulkhead"]
        kill(self.child("bulkhead-blk"))
        self.gone_within(pids)
        self.end(process, 12, "died", "blk/disk", "SIGKILL")

    @best_of_three
    def test_kill_monitor(self):
        process = self.begin()
        pids = [p for p, _ in processes(self.bin)]
        kill(process.pid)
        process.wait(timeout=5)
        self.gone_within(pids)

    def test_sigterm_power_button_then_off(self):
        process = self.begin("button=poweroff")
        process.terminate()
        self.end(process, 0, "guest powered off")

    def test_sigterm_grace_over(self):
        process = self.begin("button=ignore", "--power-button-grace-ms", "300")
        start = time.monotonic()
        process.terminate()
        self.end(process, 14, "ended by the operator (exit 14)")
        self.assertGreater(time.monotonic() - start, 0.25)

    def test_second_signal_ends(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.begin("button=ignore")
            process.send_signal(number)
            time.sleep(0.1)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            self.end(process, 14, "ended by the operator")

    def test_grace_zero(self):
        process = self.begin("button=kill9", "--power-button-grace-ms", "0")
        process.terminate()
        self.end(process, 14, "ended by the operator")

    def test_stop_ignored(self):
        process = self.begin("stop=hang", "--power-button-grace-ms", "0")
        process.terminate()
        self.end(process, 14, "had to be killed")

    def test_stopped_device_does_not_hold_the_end(self):
        process = self.begin("button=poweroff")
        kill(self.child("bulkhead-blk"), signal.SIGSTOP)
        process.terminate()
        self.end(process, 0, "guest powered off")

    def test_sigterm_during_start(self):
        process = self.start("run", "--kernel", self.kernel, "--cmdline",
                             "prepare=hang", "--disk", f"path={self.image}")
        self.child("bulkhead-blk")
        time.sleep(0.1)
        process.terminate()
        self.end(process, 14, "before the guest ran")

    def test_walls_before_the_vmm_parses(self):
        """A kernel that takes the vmm over meets a confined monitor."""
        for verb in "run", "check":
            process = self.start(verb, "--kernel", self.kernel, "--cmdline",
                                 "prepare=hang", "--disk", f"path={self.image}")
            self.wait_for(lambda: self.seccomp(process.pid) == "2",
                          f"{verb}: the monitor's filter", seconds=5)
            process.terminate()
            self.end(process, 14, "before the guest ran")

    def seccomp(self, pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return dict(l.rstrip("\n").split(":\t", 1) for l in f)["Seccomp"]

    def test_timings(self):
        process = self.begin("button=poweroff")
        with open(os.path.join(self.dir, "t.json"), encoding="ascii") as f:
            timings = json.load(f)
        process.terminate()
        self.end(process, 0)
        self.assertEqual([p["name"] for p in timings["processes"]],
                         ["monitor", "vmm", "blk/disk0", "blk/disk1"])
        monitor = timings["processes"][0]["phases"]
        self.assertEqual([p["name"] for p in monitor],
                         ["main", "config", "resources", "spawn", "ready",
                          "confine", "prepared", "running"])
        self.assertEqual(monitor, sorted(monitor, key=lambda p: p["mono_ns"]))
        self.assertEqual(timings["total_cpu_ns"],
                         sum(p["cpu_ns"] for p in timings["processes"]))
        self.assertGreater(timings["wall_ns"], 0)

    def test_what_the_monitor_keeps(self):
        process = self.begin("button=poweroff")
        base = f"/proc/{process.pid}"
        if os.geteuid() != 0:
            # Not dumpable: even its own user may not look.
            self.assertRaises(PermissionError, os.listdir, base + "/fd")
            self.assertRaises(PermissionError, open, base + "/maps", "rb")
        else:
            links = [os.readlink(f"{base}/fd/{n}")
                     for n in os.listdir(base + "/fd")]
            with open(base + "/maps", encoding="ascii") as f:
                self.assertNotIn("bulkhead-guest", f.read())
            self.assertFalse([l for l in links
                              if "kvm" in l or l == self.kernel])
        process.terminate()
        self.end(process, 0)


class Hangs(Case):
    blk = "fake-blk"

    def overdue(self, *words):
        start = time.monotonic()
        self.refused(["run", "--kernel", self.kernel, "--cmdline", self.orders],
                     *words, code=3)
        self.assertGreater(time.monotonic() - start, 9.5)


class HangsBeforeHello(Hangs):
    vmm, orders = "fake-mute", ""

    def test_no_hello(self):
        self.overdue("vmm[", "HELLO did not come in time")


class HangsLater(Hangs):
    vmm = "fake-vmm"

    def test_no_ready(self):
        self.orders = "ready=hang"
        self.overdue("vmm[", "READY did not come in time")

    def test_no_prepared(self):
        self.orders = "prepare=hang"
        self.overdue("vmm[", "PREPARED did not come in time")

    def test_no_running(self):
        self.orders = "run=hang"
        self.overdue("vmm[", "RUNNING did not come in time")


class OtherVersion(Case):
    vmm, blk = "fake-old", "fake-blk"

    def test_other_version(self):
        self.refused(["run", "--kernel", self.kernel], "another version", code=13)


class WrongProgram(Case):
    vmm, blk = "fake-blk", "fake-blk"

    def test_wrong_role(self):
        self.refused(["run", "--kernel", self.kernel], "another version or program",
                     code=13)


class NoProgram(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def test_missing(self):
        os.unlink(os.path.join(self.bin, "bulkhead-blk"))
        self.refused(["run", "--kernel", self.kernel, "--disk",
                      f"path={self.image}"], "bulkhead-blk not found", self.bin,
                     code=3)

    def test_libexec(self):
        libexec = os.path.join(self.dir, "libexec", "bulkhead")
        os.makedirs(libexec)
        os.rename(os.path.join(self.bin, "bulkhead-vmm"),
                  os.path.join(libexec, "bulkhead-vmm"))
        done = self.run_cli("run", "--kernel", self.kernel, "--cmdline",
                            "running=poweroff")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_not_a_program(self):
        with open(os.path.join(self.bin, "bulkhead-vmm"), "wb") as f:
            f.write(b"not a program")
        self.refused(["run", "--kernel", self.kernel],
                     "cannot start bulkhead-vmm: exec", code=3)


if __name__ == "__main__":
    unittest.main()
