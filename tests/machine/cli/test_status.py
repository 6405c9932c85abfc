# SPDX-License-Identifier: Apache-2.0
"""`bulkhead status` and the control socket of real machines: what is told, who
is served, and that no client disturbs a machine."""
import array
import errno
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time
import unittest

import images
from control_client import (CONFINEMENT, HELLO, STATUS, Client, decode, field,
                            frame)
from machine_cli import alive, best_of_three, Case, kill, processes

ROOT = os.geteuid() == 0
BASE = 720896
NAMES = {"monitor": "bulkhead", "vmm": "bulkhead-vmm", "blk/disk0": "bulkhead-blk"}
CLIENTS, HELLO_SECONDS, ANSWER_SECONDS = 16, 5, 5


class Machine(Case):
    def setUp(self):
        super().setUp()
        self.halt = self.file("k", images.elf(images.HALT))
        # A directory in which the monitor may remove its socket.
        self.sockets = os.path.join(self.dir, "s")
        os.mkdir(self.sockets, 0o755)
        if ROOT:
            os.chown(self.sockets, BASE, BASE)
        self.path = os.path.join(self.sockets, "control")
        self.runtime = os.path.join(self.dir, "runtime")
        os.mkdir(self.runtime, 0o700)
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = self.runtime
        self.addCleanup(lambda: os.environ.update(XDG_RUNTIME_DIR=before) if before
                        else os.environ.pop("XDG_RUNTIME_DIR"))

    def automatic(self, pid):
        """Where the socket of the monitor `pid` lies by default."""
        return (f"/run/bulkhead/{BASE}/{pid}.sock" if ROOT
                else f"{self.runtime}/bulkhead/{pid}.sock")

    def launch(self, *flags, kernel=None, name="machine"):
        """A machine whose guest runs: process, pids by program."""
        timings = os.path.join(self.dir, f"{name}.json")
        if os.path.exists(timings):
            os.unlink(timings)
        before = set(processes(self.bin))
        process = self.start("run", "--kernel", kernel or self.halt, "--disk",
                             f"path={self.file(name + '.img', bytes(1 << 20))}",
                             "--console", "none", "--power-button-grace-ms", "0",
                             "--timings-file", timings, *flags)
        self.wait_for(lambda: process.poll() is not None or
                      os.path.exists(timings) and os.path.getsize(timings),
                      "RUNNING or the end")
        self.assertIsNone(process.poll(), process.poll() is not None and
                          process.stderr.read())
        # The program of a monitor is hidden from its own user.
        pids = {n: p for p, n in set(processes(self.bin)) - before}
        return process, {**pids, "bulkhead": process.pid}

    def launch_at(self, *flags, **kwargs):
        """launch() with its socket at self.path."""
        return self.launch("--control", self.path, *flags, **kwargs)

    def status(self, *args, code=0):
        # Not run_cli: the machine is meant to be there still.
        done = subprocess.run(self.command("status", *args), check=False,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=30)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def machine(self, target, *args):
        return json.loads(self.status(target, "--json", *args).stdout)

    def client(self, path=None):
        got = Client(path or self.path)
        self.addCleanup(got.close)
        return got

    def serves(self):
        """The machine answers as ever."""
        with Client(self.path) as c:
            c.hello()
            self.assertEqual(c.status()[1], [2])


class Tells(Machine):
    def test_json(self):
        config = self.config({"kernel": {"path": self.halt}, "cpus": 2,
                              "memory": {"size-mib": 64},
                              "disks": [{"id": "a", "path": self.image}],
                              "console": {"mode": "none"}}, "the-name.json")
        process = self.start("run", config, "--power-button-grace-ms", "0")
        path = self.automatic(process.pid)
        self.wait_for(lambda: os.path.exists(path), "socket")
        m = self.wait_for(lambda: (got := self.machine(str(process.pid)))["phase"]
                          == "running" and got, "running")
        self.assertEqual({k: m[k] for k in ("socket", "name", "pid", "confine",
                                            "cpus", "memory-mib", "ending")},
                         {"socket": path, "name": "the-name", "pid": process.pid,
                          "confine": "enforce", "cpus": 2, "memory-mib": 64,
                          "ending": None})
        self.assertRegex(m["build"], r"^\d+\.\d+")
        pids = {**{n: p for p, n in processes(self.bin)}, "bulkhead": process.pid}
        want = [("monitor", "monitor", "monitor", "running", "bulkhead"),
                ("vmm", "vmm", "vmm", "running", "bulkhead-vmm"),
                ("blk/a", "blk", "a", "ready", "bulkhead-blk")]
        for got, (name, role, ident, state, program) in zip(m["processes"], want,
                                                            strict=True):
            self.assertEqual(
                {k: v for k, v in got.items() if k not in ("uptime-ms", "refusals")},
                {"name": name, "role": role, "id": ident, "state": state,
                 "pid": pids[program], "confine": "enforce", "ended": None})
            self.assertLessEqual(got["uptime-ms"], m["uptime-ms"] + 1000)
        self.assertEqual(m["processes"][0]["refusals"], 0)
        later = self.machine(str(process.pid))
        self.assertGreater(later["uptime-ms"], m["uptime-ms"])
        process.terminate()
        self.end(process, 14)

    def test_text(self):
        process, pids = self.launch_at()
        text = self.status(self.path).stdout
        self.assertRegex(text, rf"^machine {process.pid}: running for \d+\.\d s, "
                               r"1 CPUs, \d+ MiB, confine enforce\n"
                               rf"  socket {re.escape(self.path)}, bulkhead ")
        for name, program in NAMES.items():
            self.assertRegex(text, rf"(?m)^  {name} +{pids[program]}  (running|ready) "
                                   r"+enforce +\d+\.\d s$")
        self.assertNotIn("WARNING", text)
        self.assertEqual(text, re.sub(r"[^\x20-\x7e\n]", "", text))

    def test_fewer_walls_are_prominent(self):
        self.launch_at("--confine", "off")
        text = self.status(self.path).stdout
        self.assertIn("WARNING: confinement is OFF for monitor, vmm, blk/disk0", text)
        self.assertEqual({p["confine"] for p in self.machine(self.path)["processes"]},
                         {"off"})

    def test_logged_walls_are_prominent(self):
        process, _ = self.launch_at("--confine", "log")
        text = self.status(self.path).stdout
        self.assertIn("WARNING: confinement only LOGS what it should refuse for "
                      "monitor, vmm, blk/disk0", text)
        process.terminate()
        process.wait(10)

    def test_one_drive_without_walls(self):
        process = self.start("run", "--kernel", self.halt, "--console", "none",
                             "--control", self.path, "--disk",
                             f"path={self.image},confine=off")
        self.wait_for(lambda: os.path.exists(self.path), "socket")
        self.wait_for(lambda: self.machine(self.path)["phase"] == "running",
                      "running")
        self.assertIn("WARNING: confinement is OFF for blk/disk0\n",
                      self.status(self.path).stdout)
        kill(process.pid)

    def test_all_machines(self):
        one, _ = self.launch(name="one")
        two, _ = self.launch(name="two")
        three, _ = self.launch(name="three")
        kill(two.pid)
        two.wait()
        stale = self.automatic(two.pid)
        text = self.status()
        for process in (one, three):
            self.assertRegex(text.stdout, rf"(?m)^machine {process.pid}: running")
        self.assertNotRegex(text.stdout, rf"(?m)^machine {two.pid}:")
        self.assertIn(f"skipped: {stale}: the machine is gone", text.stderr)
        both = json.loads(self.status("--format", "json").stdout)
        self.assertEqual(set(both), {"machines", "skipped"})
        self.assertLessEqual({one.pid, three.pid},
                             {m["pid"] for m in both["machines"]})
        self.assertIn(stale, [s["socket"] for s in both["skipped"]])
        # The next machine in the same directory clears it away.
        self.launch(name="four")
        self.assertFalse(os.path.lexists(stale))
        for process in (one, three):
            self.assertEqual(self.machine(str(process.pid))["pid"], process.pid)

    def test_confinement(self):
        """Every fact of every process, beside what /proc tells this test."""
        process, pids = self.launch_at()
        machine = self.machine(self.path, "--confinement")
        text = self.status(self.path, "--confinement").stdout
        uid = BASE if ROOT else os.geteuid()
        for number, p in enumerate(machine["processes"]):
            with self.subTest(p["name"]):
                c = p["confinement"]
                self.assertTrue(c["reported"])
                child = p["name"] != "monitor"
                self.walls(c, child)
                self.ready(c["ready"], child)
                self.assertIn(f"\n{p['name']}[{p['pid']}]\n", text)
                if child or ROOT:
                    self.assertIsNone(c["kernel-note"])
                    self.facts(c["kernel"], p["pid"], uid + number if ROOT else uid,
                               child)
                else:
                    self.assertIn("only part", c["kernel-note"])
                    self.assertEqual(c["kernel"]["uids"], [uid] * 4)
        self.assertEqual(text.count("it said itself when it was ready:"), 3)
        self.assertEqual(text.count("the kernel says now:"), 3)
        self.assertEqual(set(pids.values()), {p["pid"] for p in machine["processes"]})
        process.terminate()
        self.end(process, 14)

    def walls(self, confinement, child):
        stands = {w["name"] for w in confinement["walls"] if w["stands"]}
        own = {"dumpable", "fds", "no-new-privs", "caps", "rlimits", "landlock",
               "seccomp", "mntns", "netns", "ipcns", "utsns", "cgroupns", "root"}
        every = own | {"pdeathsig", "userns", "pidns"}
        self.assertEqual({w["name"] for w in confinement["walls"]}, every)
        self.assertLessEqual(every if child else own, stands)

    def ready(self, facts, child):
        """What only the process itself could tell."""
        self.assertEqual(facts["dumpable"], 0)
        self.assertEqual(facts["pdeathsig"], 9 if child else 0)
        self.assertTrue(facts["landlock"]["enforced"])
        self.assertGreaterEqual(facts["landlock"]["abi"], 2)
        self.assertEqual(int(facts["landlock"]["fs"], 16) & 0x3fff, 0x3fff)

    def facts(self, facts, pid, uid, child):
        base = f"/proc/{pid}"
        with open(base + "/status", encoding="ascii", errors="replace") as f:
            said = dict(l.rstrip("\n").split(":\t", 1) for l in f if ":\t" in l)
        self.assertEqual(facts["uids"], [uid] * 4)
        self.assertEqual(facts["uids"], list(map(int, said["Uid"].split())))
        self.assertEqual(facts["gids"], list(map(int, said["Gid"].split())))
        self.assertEqual(facts["groups"], list(map(int, said["Groups"].split())))
        for name, row in (("inheritable", "CapInh"), ("permitted", "CapPrm"),
                          ("effective", "CapEff"), ("ambient", "CapAmb")):
            self.assertEqual((facts["cap-" + name], int(said[row], 16)), ("none", 0))
        self.assertEqual(facts["cap-bounding"] == "none",
                         int(said["CapBnd"], 16) == 0)
        self.assertEqual(facts["no-new-privs"], said["NoNewPrivs"] == "1")
        self.assertTrue(facts["no-new-privs"])
        self.assertEqual((facts["seccomp-mode"], said["Seccomp"]), (2, "2"))
        self.assertEqual(facts["seccomp-filters"], int(said["Seccomp_filters"]))
        for which in ("uid", "gid"):
            with open(f"{base}/{which}_map", encoding="ascii") as f:
                self.assertEqual(facts[which + "-map"].split(), f.read().split())
        own = {n["name"]: n["inode"] for n in facts["namespaces"]}
        self.assertLessEqual({"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"},
                             set(own))
        for name, inode in own.items():
            self.assertEqual(inode, os.stat(f"{base}/ns/{name}").st_ino)
            # The monitor stays in its pid namespace, and only a user's
            # needs a user namespace to leave the others.
            same = name == "time" or not child and (
                name == "pid" or name == "user" and ROOT)
            self.assertEqual(
                inode == os.stat(f"/proc/self/ns/{name}").st_ino, same, name)
        self.assertEqual({t["tid"] for t in facts["threads"]},
                         set(map(int, os.listdir(base + "/task"))))
        for thread in facts["threads"]:
            self.assertEqual(thread["seccomp-mode"], 2)
        limits = {l["name"]: (l["soft"], l["hard"]) for l in facts["rlimits"]}
        self.assertEqual(limits["CORE"], (0, 0))
        self.assertLessEqual(limits["NOFILE"][1], 2048)
        numbers = set(map(int, os.listdir(base + "/fd")))
        extra = [f["kind"] for f in facts["fds"] if f["fd"] not in numbers]
        # The connection on which it was asked may be closed by now.
        self.assertIn(extra, [[]] if child else [[], ["socket"]])
        self.assertLessEqual(numbers, {f["fd"] for f in facts["fds"]})
        kinds = [f["kind"] for f in facts["fds"]]
        self.assertEqual(kinds.count("directory"), 0 if child else 1)
        self.assertTrue(any(m.endswith("/" + os.path.basename(os.readlink(
            base + "/exe"))) for m in facts["exec-maps"]), facts["exec-maps"])
        if child:
            self.assertTrue(facts["root-read"] and facts["root-readonly"])
            self.assertEqual(facts["root-entries"], [])

    def test_confinement_off(self):
        self.launch_at("--confine", "off")
        text = self.status(self.path, "--confinement").stdout
        for p in self.machine(self.path, "--confinement")["processes"]:
            c = p["confinement"]
            # A child is never dumpable, and has no user namespace now.
            if ROOT or p["name"] == "monitor":
                self.assertIsNone(c["kernel-note"], p["name"])
            else:
                self.assertIn("only part", c["kernel-note"])
                self.assertIn(f"note: {c['kernel-note']}\n", text)
                self.assertEqual(c["kernel"]["namespaces"], [])
                self.assertNotEqual(c["ready"]["namespaces"], [])
            self.assertEqual(c["kernel"]["seccomp-mode"], 0)
            self.assertNotIn("seccomp",
                             {w["name"] for w in c["walls"] if w["stands"]})

    def test_confinement_of_a_process_that_ended(self):
        """A pid that was used again must not be shown as the machine's."""
        process, pids = self.launch_at()
        kill(process.pid, signal.SIGSTOP)
        asking = subprocess.Popen(self.command("status", self.path, "--confinement",
                                               "--json"), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        kill(pids["bulkhead-blk"])
        kill(process.pid, signal.SIGCONT)
        out, err = asking.communicate(timeout=20)
        # It came before, while, or after the machine ended: never nonsense.
        self.assertIn(asking.returncode, (0, 3), err)
        if asking.returncode == 0:
            blk = json.loads(out)["processes"][2]["confinement"]
            if blk["kernel"] is None:
                self.assertRegex(blk["kernel-note"],
                                 "ended meanwhile|No such (file|process)")
            else:
                uid = BASE + 2 if ROOT else os.geteuid()
                self.assertEqual(blk["kernel"]["uids"], [uid] * 4)
                # Its memory may be gone already, but is nobody else's.
                programs = [m for m in blk["kernel"]["exec-maps"]
                            if m.startswith(self.bin)]
                self.assertEqual(programs, [m for m in programs
                                            if m.endswith("/bulkhead-blk")])
        self.assertEqual(process.wait(10), 12)

    def test_bad_arguments(self):
        for args, word in ((["x"], "neither a pid nor"), (["1", "2"], "2: unexpected"),
                           (["--what"], "--what"), (["--format", "xml"], "text, json"),
                           (["--format"], "text, json"),
                           ([self.image], "is no socket")):
            self.refused(["status", *args], word)
        for args, word in ((["4194304"], "no machine of this user"),
                           ([self.dir + "/none"], "no machine there"),
                           (["99999999999999999999"], "no machine of this user")):
            self.refused(["status", *args], word, code=3)

    def test_symbolic_link_is_not_followed(self):
        self.launch_at()
        link = os.path.join(self.dir, "link")
        os.symlink(self.path, link)
        self.assertIn("is no socket", self.status(link, code=2).stderr)

    def test_monitor_that_hangs(self):
        process, _ = self.launch_at()
        kill(process.pid, signal.SIGSTOP)
        start = time.monotonic()
        self.assertIn("does not answer", self.status(self.path, code=3).stderr)
        self.assertLess(time.monotonic() - start, ANSWER_SECONDS + 5)
        kill(process.pid, signal.SIGCONT)
        self.serves()


class Clients(Machine):
    def setUp(self):
        super().setUp()
        self.process, self.pids = self.launch_at()

    def tearDown(self):
        """Whatever the client did, the machine goes on and ends in order."""
        self.serves()
        for name, pid in self.pids.items():
            self.assertTrue(alive(pid), name)
        self.process.terminate()
        self.end(self.process, 14)
        self.assertFalse(os.path.exists(self.path))

    def test_mode_and_owner(self):
        found = os.lstat(self.path)
        self.assertTrue(stat.S_ISSOCK(found.st_mode))
        self.assertEqual(stat.S_IMODE(found.st_mode), 0o600)
        self.assertEqual(found.st_uid, os.geteuid())

    def test_every_request_is_answered(self):
        c = self.client()
        self.assertEqual(c.error(STATUS), "hello-first")
        self.assertEqual(c.error(1000), "unknown-op")
        self.assertEqual(c.error(HELLO), "bad-request")
        self.assertEqual(c.error(HELLO, field(1, 2) + field(2, "x")), "version")
        self.assertEqual(c.error(STATUS), "hello-first")
        self.assertEqual(c.error(HELLO, field(1, 1) + field(2, "x" * 65)),
                         "bad-request")
        self.assertEqual(c.error(HELLO, field(1, 1) + field(2, "x") + field(99, 1)),
                         "bad-request")
        hello = decode(c.hello()[2][0])
        self.assertEqual((hello[1], hello[3]), ([1], [self.process.pid]))
        self.assertEqual(c.error(HELLO, field(1, 1) + field(2, "x")), "not-now")
        for op in (8, 98, 100, 1 << 20, 0xfffffffe):
            self.assertEqual(c.error(op), "unknown-op")
        for payload in (b"", field(1, 0) + field(2, "vmm"), field(2, ""),
                        field(2, "x" * 65), field(3, 1), b"\xff"):
            self.assertEqual(c.error(CONFINEMENT, payload), "bad-request")
        for payload in (field(1, 3), field(1, 0xffffffff), field(2, "blk"),
                        field(2, "blk/disk1")):
            self.assertEqual(c.error(CONFINEMENT, payload), "no-such-process")
        self.assertEqual(c.error(STATUS, field(1, 1)), "bad-request")
        for payload in (field(1, 1), field(2, "vmm")):
            self.assertEqual(set(c.ask(CONFINEMENT, payload)), {4})

    def test_fds_are_refused_and_closed(self):
        before = self.monitor_fds()
        c = self.client()
        c.hello()
        r, w = os.pipe()
        c.socket.sendmsg([frame(STATUS, 77)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                                array.array("i", [w]))])
        os.close(w)
        answer = decode(c.socket.recv(1 << 16)[16:])
        self.assertEqual(decode(answer[1][0])[1], [b"bad-request"])
        self.assertEqual(os.read(r, 1), b"")  # the last copy of w is closed
        os.close(r)
        c.close()
        self.wait_for(lambda: self.monitor_fds() == before,
                      "the connection's fd is closed")

    def monitor_fds(self):
        """How many; only root may look."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd")) if ROOT else 0

    def test_unsound_frames_close_the_connection(self):
        for data in (b"\0", b"x" * 15, frame(STATUS, 1)[:15], bytes(16),
                     frame(STATUS, 1, magic=0), frame(STATUS, 1, length=1),
                     frame(STATUS, 1, b"ab", length=1),
                     frame(STATUS, 1, bytes(65537)),
                     frame(STATUS, 0), frame(STATUS + 1, 1), frame(1001, 1),
                     frame(1000, 0), os.urandom(4096)):
            for first in (False, True):
                c = self.client()
                if first:
                    c.hello()
                c.send(data)
                self.assertTrue(c.is_closed(), data[:32])

    def test_seventeenth(self):
        clients = [self.client() for _ in range(CLIENTS)]
        for c in clients:
            c.hello()
        with Client(self.path) as more:
            self.assertTrue(more.is_closed())
        self.assertIn("16 connections", self.status(self.path, code=3).stderr)
        for c in clients:
            self.assertEqual(c.status()[1], [2])
        clients[3].close()
        self.wait_for(self.connects, "a place is free")
        for c in clients:
            c.close()
        self.wait_for(self.connects, "places are free")

    def connects(self):
        try:
            with Client(self.path) as c:
                return bool(c.hello())
        except (AssertionError, OSError):
            return False

    def test_flood_of_connections(self):
        done = 0
        while done < 300:
            try:
                Client(self.path).close()
                done += 1
            except BlockingIOError:  # more wait than the monitor lets wait
                time.sleep(0.001)

    def test_no_hello(self):
        start = time.monotonic()
        silent, half, idle = self.client(), self.client(), self.client()
        idle.hello()
        half.error(STATUS)  # is answered, but is no HELLO
        self.assertTrue(silent.is_closed())
        self.assertGreater(time.monotonic() - start, HELLO_SECONDS - 0.5)
        self.assertTrue(half.is_closed())
        self.assertEqual(idle.status()[1], [2])

    def test_client_that_does_not_read_is_dropped(self):
        c = self.client()
        c.hello()
        c.socket.settimeout(5)
        try:
            for number in range(1, 100000):
                c.send(frame(STATUS, number))
            self.fail("the monitor goes on to read")
        except OSError as e:
            self.assertIn(e.errno, (errno.EPIPE, errno.ECONNRESET))
        self.assertTrue(c.is_closed())

    def test_half_closed_client_is_dropped(self):
        c = self.client()
        c.hello()
        c.socket.shutdown(socket.SHUT_RD)
        try:
            for number in range(1, 1000):
                c.send(frame(STATUS, number))
        except OSError as e:
            self.assertIn(e.errno, (errno.EPIPE, errno.ECONNRESET))

    @unittest.skipUnless(ROOT, "only root can become another user")
    def test_another_user_is_refused(self):
        os.chmod(self.dir, 0o711)
        os.chmod(self.path, 0o666)
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
                with Client(self.path) as c:
                    closed = c.is_closed()
                os.write(writer, b"closed" if closed else b"served")
            except BaseException as e:  # pylint: disable=broad-except
                os.write(writer, repr(e).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as f:
            self.assertEqual(f.read(), b"closed")
        os.waitpid(pid, 0)


class Socket(Machine):
    """Where it lies, and what becomes of it."""

    def test_none(self):
        process, _ = self.launch("--control", "none")
        self.assertFalse(os.path.exists(self.automatic(process.pid)))
        self.assertIn("no machine of this user",
                      self.status(str(process.pid), code=3).stderr)

    def test_automatic_directory(self):
        process, _ = self.launch()
        path = self.automatic(process.pid)
        folder = os.stat(os.path.dirname(path))
        self.assertEqual(stat.S_IMODE(folder.st_mode), 0o700)
        self.assertEqual(folder.st_uid, BASE if ROOT else os.geteuid())
        self.assertEqual(stat.S_IMODE(os.lstat(path).st_mode), 0o600)
        self.assertEqual(self.machine(path)["pid"], process.pid)
        process.terminate()
        self.end(process, 14)
        self.assertFalse(os.path.exists(path))

    def test_removed_at_every_end(self):
        kernels = {"poweroff": images.POWEROFF,
                   "reset": images.port_write(images.RESET, 1)}
        for name, code in kernels.items():
            done = self.run_cli("run", "--kernel", self.file("g", images.elf(code)),
                                "--control", self.path, "--console", "none")
            self.assertIn(done.returncode, (0, 10), name)
            self.assertFalse(os.path.lexists(self.path), name)
        for program in ("bulkhead-vmm", "bulkhead-blk"):
            process, pids = self.launch_at()
            kill(pids[program])
            process.wait(10)
            self.assertFalse(os.path.lexists(self.path), program)
        self.refused(["run", "--kernel", self.kernel, "--control", self.path],
                     "kernel")
        self.assertFalse(os.path.lexists(self.path))
        done = self.run_cli("check", "--kernel", self.halt, "--control", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.lexists(self.path))

    @best_of_three
    def test_replaced_after_the_monitor_was_killed(self):
        process, pids = self.launch_at()
        kill(process.pid)
        process.wait()
        self.gone_within(pids.values())
        self.assertTrue(os.path.lexists(self.path))
        self.assertIn("the machine is gone", self.status(self.path, code=3).stderr)
        process, _ = self.launch_at(name="second")
        self.assertEqual(self.machine(self.path)["pid"], process.pid)
        self.assertEqual(os.listdir(self.sockets), ["control"])

    def test_taken_by_a_live_machine(self):
        process, _ = self.launch_at()
        done = subprocess.run(self.command("run", "--kernel", self.halt, "--control",
                                           self.path, "--console", "none"),
                              check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.path}: another machine", done.stderr)
        self.assertEqual(self.machine(self.path)["pid"], process.pid)

    def test_other_files_are_left_alone(self):
        target = self.file("target", b"precious")
        for make in (lambda: os.link(target, self.path),
                     lambda: os.symlink(target, self.path),
                     lambda: os.symlink("/nowhere", self.path),
                     lambda: os.mkfifo(self.path)):
            make()
            before = os.lstat(self.path)
            self.refused(["run", "--kernel", self.halt, "--control", self.path],
                         self.path, "is no socket")
            self.assertEqual(os.lstat(self.path).st_ino, before.st_ino)
            os.unlink(self.path)
        with open(target, "rb") as f:
            self.assertEqual(f.read(), b"precious")

    def test_socket_of_another_kind_that_lives(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind(self.path)
            other.listen(1)
            self.refused(["run", "--kernel", self.halt, "--control", self.path],
                         self.path)
            self.assertTrue(os.path.lexists(self.path))

    def test_removed_by_hand_and_reused(self):
        first, _ = self.launch_at(name="first")
        os.unlink(self.path)
        second, _ = self.launch_at(name="second")
        first.terminate()
        self.assertEqual(first.wait(10), 14)
        self.assertEqual(self.machine(self.path)["pid"], second.pid)

    def test_bad_paths(self):
        long = self.sockets + "/" + "x" * 200
        for path, words in ((self.dir + "/", ["names no file"]),
                            (self.dir + "/none/x", ["No such file"]),
                            (long[:120], ["control"])):
            self.refused(["run", "--kernel", self.halt, "--control", path], *words)

    def prepared(self, script):
        """Prefix of a command for which script has changed $D, the directory
        that the automatic one is made in; root's is hidden from all others."""
        enter = (["unshare", "-m"], "mount -t tmpfs none /run && D=/run && ") \
            if ROOT else ([], f"D={self.runtime} && rm -rf $D/bulkhead && ")
        return [*enter[0], "sh", "-c", enter[1] + script + ' && exec "$@"', "sh"]

    def test_directory_that_others_may_change(self):
        args = ["check", "--kernel", self.halt]
        for mode in ("777", "770", "702", "1777"):
            self.refused(args, "bulkhead has mode", "others may write", code=3,
                         prefix=self.prepared(f"mkdir -m {mode} $D/bulkhead"))
        self.refused(args, "Not a directory",
                     prefix=self.prepared("touch $D/bulkhead"))
        self.refused(args, "Not a directory",
                     prefix=self.prepared("ln -s /tmp $D/bulkhead"))
        if ROOT:
            self.refused(args, "belongs to user 1234", code=3, prefix=self.prepared(
                "mkdir $D/bulkhead && chown 1234 $D/bulkhead"))
            self.refused(args, f"belongs to user 0, not to user {BASE}", code=3,
                         prefix=self.prepared(f"mkdir -p $D/bulkhead/{BASE}"))

    def test_host_without_a_place(self):
        """No reason not to start a machine, but told."""
        args = ["check", "--kernel", self.halt, "--log-level", "info"]
        none = "mount -o remount,ro /run" if ROOT else "chmod 500 $D"
        done = self.run_cli(*args, prefix=self.prepared(none))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no control socket: cannot make", done.stderr)
        if not ROOT:
            os.chmod(self.runtime, 0o700)
            done = self.run_cli(*args, prefix=["env", "-u", "XDG_RUNTIME_DIR"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("no control socket: XDG_RUNTIME_DIR is not set", done.stderr)

    def test_ending_is_told(self):
        """Whoever is connected while the machine ends gets sound answers."""
        process, pids = self.launch_at()
        c = self.client()
        c.hello()
        phases = [c.status()[1][0]]
        kill(pids["bulkhead-blk"])
        try:
            while True:
                reply = c.status()
                phases.append(reply[1][0])
                self.assertEqual(3 in reply, phases[-1] == 3)
        except (AssertionError, OSError):
            pass
        self.assertEqual(phases, sorted(phases))
        self.assertEqual(process.wait(10), 12)
        self.assertFalse(os.path.lexists(self.path))


if __name__ == "__main__":
    unittest.main()
