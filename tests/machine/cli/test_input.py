# SPDX-License-Identifier: Apache-2.0
"""Bad input on the command line and in CONFIG.json: exit code 2, one clear
error, nothing started. Children are fakes: a test that gets as far as starting
one would end with another code."""
import fcntl
import os
import subprocess
import unittest

from machine_cli import Case, lock


class Config(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def run_config(self, value, *words):
        path = self.config(value)
        return self.refused(["run", path], path + ":", *words)

    def test_unknown_key_near_miss(self):
        self.run_config('{\n "kernel": {"path": "kernel"},\n "memory":\n'
                        '  {"size_mib": 64}\n}', ":4: ", "memory.size_mib",
                        'unknown key; did you mean "size-mib"?')

    def test_unknown_key_elsewhere(self):
        self.run_config({"initrd": "x"}, "initrd: unknown key",
                        '"kernel.initrd"')

    def test_unknown_key_in_disk(self):
        self.run_config('{"kernel": {"path": "kernel"},\n"disks": [{"path": "a"},\n'
                        '{"path": "b",\n "read-only": true}]}',
                        ":4: disks[1].read-only: unknown key", '"readonly"')

    def test_repeated_key(self):
        self.run_config('{"cpus": 1,\n "cpus": 2}', ":2: cpus:", "twice")

    def test_wrong_types(self):
        self.run_config({"memory": {"size-mib": "512"}}, ":3: memory.size-mib",
                        "expected a whole number, found a string", "32..")
        self.run_config({"cpus": 1.0}, "cpus: expected a whole number")
        self.run_config({"cpus": None}, "found null")
        self.run_config({"memory": 512}, "memory: expected an object")
        self.run_config({"disks": {}}, "disks: expected a list")
        self.run_config({"disks": ["x"]}, "disks[0]: expected an object")
        self.run_config({"debug-exit": "yes"}, "debug-exit: expected true or")
        self.run_config([1], "expected an object, found a list")

    def test_memory_out_of_range(self):
        for size in (0, 1, 31, 1 << 44, -1, -(1 << 63), (1 << 63) - 1):
            self.run_config({"memory": {"size-mib": size}}, ":3: memory.size-mib",
                            f"{size} is out of range; accepted: 32..", "bits")

    def test_number_too_big_for_anything(self):
        self.run_config('{"cpus": 99999999999999999999}', ":1: cpus:",
                        "too big integer")

    def test_cpus_out_of_range(self):
        for cpus in (0, 33, -1):
            self.run_config({"cpus": cpus}, "cpus:", "accepted: 1..32")

    def test_word_not_accepted(self):
        self.run_config({"kernel": {"boot": "pvhh"}}, "kernel.boot",
                        "accepted: auto, linux64, pvh", 'mean "pvh"')

    def test_not_json(self):
        self.run_config('{"cpus": 1,}', ":1: ", "column")
        self.run_config("", ":1: ")
        self.run_config('{"cpus": 1} x', ":1: ", "column")

    def test_nothing_but_object(self):
        self.run_config("{}", "kernel.path: required")

    def test_two_disks_same_id(self):
        self.run_config('{"kernel": {"path": "kernel"},\n"disks": [\n'
                        '{"id": "a", "path": "x"},\n{"id": "a", "path": "y"}]}',
                        ":4: disks[1].id", '"a" is already the id of disks[0]')

    def test_bad_ids(self):
        for name in ("", "A", "a b", "-a", "vmm", "x" * 32):
            self.run_config({"disks": [{"id": name, "path": "x"}]}, "disks[0].id")

    def test_bad_serials(self):
        for serial in ("", "x" * 21, "a b", "\u00e9"):
            self.run_config({"disks": [{"serial": serial, "path": "x"}]},
                            "disks[0].serial")

    def test_too_many_disks(self):
        self.run_config({"disks": [{"path": "x"}] * 32}, "disks[31]", "at most 31")

    def test_console_path(self):
        kernel = {"path": "kernel"}
        self.run_config({"kernel": kernel, "console": {"mode": "file"}},
                        "console.path: required")
        self.run_config({"kernel": kernel,
                         "console": {"mode": "none", "path": "x"}},
                        "console.path: only accepted")

    def test_file_missing_directory_too_long(self):
        missing = os.path.join(self.dir, "missing.json")
        self.refused(["run", missing], missing, "No such file")
        self.refused(["run", self.dir], self.dir, "directory")
        fifo = os.path.join(self.dir, "fifo.json")
        os.mkfifo(fifo)
        self.refused(["run", fifo], fifo, "not a file")
        self.refused(["run", self.file("l.json", b" " * ((1 << 20) + 1))],
                     "too long", "1048576")

    def test_control_characters_do_not_reach_the_terminal(self):
        path = self.config('{"a\\u001b[2Jb": 1}')
        self.assertNotIn("\x1b", self.refused(["run", path], "unknown key"))

    def test_relative_path_starts_at_the_file(self):
        path = self.config({"kernel": {"path": "no-kernel"}})
        self.refused(["run", path], os.path.join(self.dir, "no-kernel"))


class Flags(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def run_flags(self, flags, *words):
        return self.refused(["run", "--kernel", self.kernel, *flags], *words)

    def test_unknown(self):
        self.run_flags(["--memry", "64"], "--memry: unknown flag",
                       "did you mean --memory?")
        self.run_flags(["--frobnicate"], "unknown flag", "--help")
        self.run_flags(["-m", "5"], "-m: unexpected")
        self.run_flags(["x.json"], "x.json: unexpected")

    def test_values(self):
        self.run_flags(["--memory"], "--memory: needs a value")
        for bad in ("512M", "", "0x200", " 64", "64 ", "+64"):
            self.run_flags(["--memory", bad], "not a whole number", "32..")
        for bad in ("0", "1", "-1", str(1 << 44), "9" * 40):
            self.run_flags(["--memory", bad], "out of range; accepted: 32..")
        self.run_flags(["--cpus=33"], "--cpus: 33 is out of range", "1..32")
        self.run_flags(["--debug-exit=1"], "takes no value")
        self.run_flags(["--cpus", "1", "--cpus", "2"], "--cpus: given twice")
        self.run_flags(["--console", "tty"], "--console", "stdio, file, none")
        self.run_flags(["--console", "file"], "file=PATH")

    def test_disk(self):
        self.run_flags(["--disk", "path=a,path=b"], "--disk path: key given twice")
        self.run_flags(["--disk", "a.img"], "is not KEY=VALUE")
        self.run_flags(["--disk", "path=a,ro=on"], 'unknown key "ro"')
        self.run_flags(["--disk", "path=a,read_only=on"], 'mean "readonly"?')
        self.run_flags(["--disk", "path=a,readonly=maybe"], "on, off")
        self.run_flags(["--disk", "readonly=on"], "disks[0].path: required")

    def test_verbs(self):
        done = self.run_cli("rum")
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "run"', done.stderr)
        self.assertEqual(self.run_cli().returncode, 2)

    def test_command_line_over_every_limit(self):
        self.run_flags(["--cmdline", "x" * 32768], "--cmdline",
                       "32768 bytes long; accepted: 0..32767")


class Files(Case):
    vmm, blk = "fake-vmm", "fake-blk"

    def run_disk(self, disk, *words, code=2, more=()):
        return self.refused(["run", "--kernel", self.kernel, "--disk", disk, *more],
                            *words, code=code)

    def test_kernel(self):
        self.refused(["run", "--kernel", self.dir], "kernel", "is a directory")
        self.refused(["run", "--kernel", self.file("e")], "kernel", "is empty")
        self.refused(["run", "--kernel", self.dir + "/no"], "cannot open kernel",
                     "No such file")
        self.refused(["run", "--kernel", "/dev/null"], "is a character device")

    def test_kernel_fifo_does_not_hang(self):
        os.mkfifo(self.dir + "/fifo")
        self.refused(["run", "--kernel", self.dir + "/fifo"], "is a pipe",
                     timeout=5)

    def test_initrd(self):
        kernel = ["run", "--kernel", self.kernel]
        self.refused([*kernel, "--initrd", self.dir], "initrd", "is a directory")
        self.refused([*kernel, "--initrd", self.dir + "/no"], "initrd",
                     "No such file")
        self.refused([*kernel, "--initrd", self.file("e")], "initrd", "is empty")

    def test_image_missing(self):
        self.run_disk(f"path={self.dir}/no", 'disk "disk0"', "No such file")

    def test_image_directory(self):
        self.run_disk(f"path={self.dir}", "is a directory")
        self.run_disk(f"path={self.dir},readonly=on", "is a directory")

    def test_image_character_device(self):
        self.run_disk("path=/dev/zero", "is a character device")

    def test_image_too_small(self):
        self.run_disk(f"path={self.file('s', b'x' * 511)}", "511 bytes",
                      "at least 512")

    def test_image_not_a_multiple_is_rounded_down(self):
        odd = self.file("odd", bytes(1025))
        done = self.run_cli("run", "--kernel", self.kernel, "--disk",
                            f"path={odd}", "--cmdline", "running=poweroff")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning", done.stderr)
        self.assertIn("1025 bytes, not a multiple of 512; the last 1 are left out",
                      done.stderr)

    def test_image_locked(self):
        with open(self.image, "r+b") as f:
            for kind, option in ((fcntl.F_WRLCK, ""), (fcntl.F_RDLCK, ""),
                                 (fcntl.F_WRLCK, ",readonly=on")):
                lock(f, kind)
                args = ["run", "--kernel", self.kernel, "--disk",
                        f"path={self.image}{option}"]
                done = subprocess.run(
                    self.command(*args), capture_output=True, text=True,
                    timeout=30, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("is locked by another machine", done.stderr)

    def test_image_shared_by_readers(self):
        with open(self.image, "rb") as f:
            lock(f, fcntl.F_RDLCK)
            done = subprocess.run(
                self.command("run", "--kernel", self.kernel, "--cmdline",
                             "running=poweroff", "--disk",
                             f"path={self.image},readonly=on"),
                capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_same_image_twice(self):
        hard = os.path.join(self.dir, "hard.img")
        os.link(self.image, hard)
        for other in (self.image, hard):
            for first, second in (("off", "off"), ("on", "off"), ("off", "on")):
                self.run_disk(f"path={self.image},readonly={first}",
                              '"disk0" and "disk1" are the same image', more=(
                                  "--disk", f"path={other},readonly={second}"))

    def test_same_image_twice_readonly(self):
        done = self.run_cli("run", "--kernel", self.kernel, "--cmdline",
                            "running=poweroff", *["--disk",
                            f"path={self.image},readonly=on"] * 2)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_hugepages(self):
        kernel = ["run", "--kernel", self.kernel, "--hugepages"]
        self.refused([*kernel, "2m", "--memory", "33"], "33 is not a multiple",
                     "2 MiB")
        self.refused([*kernel, "1g", "--memory", "1536"], "1536 is not a multiple",
                     "1 GiB")
        self.refused([*kernel, "1g", "--memory", "1048576"],
                     "1024 free pages of 1 GiB are needed", "nr_hugepages")

    def test_console_and_timings_not_writable(self):
        self.refused(["run", "--kernel", self.kernel, "--console",
                      f"file={self.dir}/no/c"], "console: cannot open")
        self.refused(["run", "--kernel", self.kernel, "--timings-file", self.dir],
                     "timings-file: cannot open")


if __name__ == "__main__":
    unittest.main()
