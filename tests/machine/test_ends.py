# SPDX-License-Identifier: Apache-2.0
"""Each way in which a guest can end its machine has an exit code of its own."""
import os
import signal
import time
import unittest

import machine


class Ends(machine.Case):
    def ends(self, how, code, cpus=1, **other):
        start = time.monotonic()
        text = self.run_guest(f"tests=read,smp end={how}", code=code, cpus=cpus,
                              **other)
        self.assertIn(f"end {how}", text)
        self.assertLess(time.monotonic() - start, 10)
        return text

    def test_poweroff(self):
        self.ends("poweroff", machine.POWEROFF)
        self.ends("poweroff", machine.POWEROFF, cpus=2)
        self.ends("poweroff", machine.POWEROFF, kernel="guest64.elf")

    def test_reset(self):
        self.ends("reset", machine.RESET, cpus=2)

    def test_triple_fault(self):
        self.ends("triple", machine.RESET, cpus=2)

    def test_panic(self):
        self.ends("panic", machine.PANIC, cpus=2)

    def test_debug_exit(self):
        text = self.run_guest("tests=smp", cpus=2)
        self.assert_tests(text, "smp")

    def test_no_debug_exit_without_the_flag(self):
        command = self.command("tests=none")
        command.remove("--debug-exit")
        running = machine.Running(command)
        self.addCleanup(running.end)
        self.assertTrue(running.until("done "), running.text)
        time.sleep(0.5)
        self.assertIsNone(running.process.poll(), running.text)

    def test_no_pvpanic_when_off(self):
        text = self.run_guest("tests=none end=panic", "--no-pvpanic",
                              code=machine.GUEST_FAILED)
        self.assertIn("FAIL end panic had no effect", text)


class Console(machine.Case):
    def test_input_comes_back(self):
        running = self.start_guest("tests=none end=echo", cpus=2)
        self.assertTrue(running.until("end echo"), running.text)
        lines = ["hello", "a" * 100, "0123456789" * 8]
        for line in lines:
            running.process.stdin.write(line.encode() + b"\n")
            self.assertTrue(running.until(f"echo {line}"), running.text)
        running.process.stdin.write(b"quit\n")
        self.assertEqual(running.finish(), machine.GUEST_OK, running.text)

    def test_much_input_at_once(self):
        running = self.start_guest("tests=none end=echo")
        self.assertTrue(running.until("end echo"), running.text)
        text = "".join(f"line {i}\n" for i in range(200)) + "quit\n"
        running.process.stdin.write(text.encode())
        self.assertEqual(running.finish(40), machine.GUEST_OK, running.text)
        for i in range(200):
            self.assertIn(f"echo line {i}\n", running.text.replace("\r", ""))

    def test_to_a_file(self):
        path = os.path.join(self.dir, "console")
        command = self.command("tests=smp")
        command[command.index("stdio")] = f"file={path}"
        running = machine.Running(command)
        self.addCleanup(running.end)
        self.assertEqual(running.finish(), machine.GUEST_OK, running.text)
        with open(path, encoding="ascii") as f:
            self.assert_tests(f.read(), "smp")


class Button(machine.Case):
    def test_guest_obeys(self):
        running = self.start_guest("tests=none end=button",
                                   "--power-button-grace-ms", 20000)
        self.assertTrue(running.until("waiting for the power button"),
                        running.text)
        os.kill(running.process.pid, signal.SIGTERM)
        self.assertEqual(running.finish(), machine.POWEROFF, running.text)
        self.assertIn("power button pressed", running.text)

    def test_guest_obeys_late(self):
        """Pressed before the guest takes interrupts: kept, not lost."""
        running = self.start_guest("tests=none end=button button-late-ms=1500",
                                   "--power-button-grace-ms", 20000)
        self.assertTrue(running.until("pin is masked"), running.text)
        os.kill(running.process.pid, signal.SIGTERM)
        self.assertEqual(running.finish(), machine.POWEROFF, running.text)
        self.assertIn("waiting for the power button", running.text)
        self.assertIn("power button pressed", running.text)

    def test_grace_ends(self):
        for how in ("spin", "halt", "idle"):
            running = self.start_guest(f"tests=none end={how}",
                                       "--power-button-grace-ms", 400)
            self.assertTrue(running.until(f"end {how}"), running.text)
            start = time.monotonic()
            os.kill(running.process.pid, signal.SIGTERM)
            self.assertEqual(running.finish(), machine.OPERATOR, running.text)
            self.assertGreaterEqual(time.monotonic() - start, 0.39)
            self.assertLess(time.monotonic() - start, 5)

    def test_second_signal_ends_at_once(self):
        running = self.start_guest("tests=none end=spin",
                                   "--power-button-grace-ms", 60000)
        self.assertTrue(running.until("end spin"), running.text)
        os.kill(running.process.pid, signal.SIGTERM)
        time.sleep(0.3)
        self.assertIsNone(running.process.poll(), running.text)
        os.kill(running.process.pid, signal.SIGTERM)
        self.assertEqual(running.finish(5), machine.OPERATOR, running.text)


if __name__ == "__main__":
    machine.main()
