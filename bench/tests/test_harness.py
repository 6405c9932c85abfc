# SPDX-License-Identifier: Apache-2.0
"""The harness: figures are right, bad samples are refused."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest

from bench.harness import pairs, provenance, refusals, rows, stats, walls
from bench.harness.context import Invalid
from bench.sections import confine_blk, confine_boot, confine_start


def _load_run():
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "run")
    loader = importlib.machinery.SourceFileLoader("bench_run", path)
    spec = importlib.util.spec_from_loader("bench_run", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class _Ctx:
    """What pairs need of a context."""

    def __init__(self, reps=7, quick=False):
        self.reps, self.quick, self.discarded = reps, quick, []

    def discard(self, row, why):
        self.discarded.append({"row": row, "reason": why})

    def progress(self, text):
        pass


class Stats(unittest.TestCase):
    def test_summary_of_known_series(self):
        got = stats.summary([5, 1, 4, 2, 3])
        self.assertEqual((got["p50"], got["p95"], got["min"], got["max"], got["n"]),
                         (3, 5, 1, 5, 5))
        self.assertEqual(got["samples"], [5, 1, 4, 2, 3])

    def test_median_of_even_count(self):
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)

    def test_zero_work_is_an_error(self):
        for bad in ([], [1, 0, 2], [-1]):
            with self.assertRaises(ValueError):
                stats.summary(bad)

    def test_ratio_is_taken_pair_by_pair(self):
        ratio, spread = stats.paired_ratio([1, 4, 9], [2, 4, 6])
        self.assertEqual((ratio, spread), (1.0, 1.0))

    def test_unpaired_series_are_refused(self):
        with self.assertRaises(ValueError):
            stats.paired_ratio([1, 2], [1])


    def test_interval_of_the_median(self):
        # Of 7 only the extremes are 95 % sure, of 21 the 6th and the 16th.
        self.assertEqual(stats.median_interval([3, 1, 2, 7, 5, 6, 4]), (1, 7))
        self.assertEqual(stats.median_interval(range(1, 22)), (6, 16))
        self.assertEqual(stats.median_interval([2, 1]), (1, 2))

    def test_unstable_series_are_named(self):
        self.assertIsNone(stats.unstable([10, 10.5, 11, 10, 12, 10.2, 40]))
        self.assertIn("p25", stats.unstable([1, 1, 1, 2, 2, 2, 2]))
        self.assertIn("between", stats.unstable([10, 10, 10, 10, 10, 14, 14, 14]))


class Pairs(unittest.TestCase):
    def setUp(self):
        self.calls = []
        self.ctx = _Ctx()

    def take(self, answers):
        answers = iter(answers)

        def one(side):
            self.calls.append(side)
            return next(answers)
        return one

    def test_sides_take_turns(self):
        found = pairs.alternate(self.ctx, "r", ("a", "b"),
                                self.take([(n, None) for n in range(4)]), 2)
        self.assertEqual(self.calls, ["a", "b", "a", "b"])
        self.assertEqual(found, [(0, 1), (2, 3)])

    def test_a_bad_sample_takes_its_pair_along(self):
        found = pairs.alternate(self.ctx, "r", ("a", "b"),
                                self.take([(0, None), (1, "broken"), (2, None),
                                           (3, None)]), 1)
        self.assertEqual(found, [(2, 3)])
        self.assertEqual(self.ctx.discarded, [{"row": "r", "reason": "b: broken"}])

    def test_nothing_but_bad_samples_is_invalid(self):
        with self.assertRaises(Invalid):
            pairs.alternate(self.ctx, "r", ("a", "b"),
                            self.take([(0, "bad")] * 16), 2)

    def test_unstable_is_measured_once_more(self):
        wild = [({"x": v}, None) for v in (1, 1, 1, 1, 2, 2, 2, 2)]
        calm = [({"x": 5}, None)] * 8
        found, bad = pairs.settled(self.ctx, "r", ("a", "b"),
                                   self.take(wild + calm), 4, ["x"])
        self.assertEqual((len(self.calls), bad, found[0][0]["x"]), (16, {}, 5))
        _, bad = pairs.settled(self.ctx, "r", ("a", "b"),
                               self.take(wild + wild), 4, ["x"])
        self.assertIn("x", bad)

    def test_seven_pairs_at_least(self):
        self.assertEqual(pairs.count(_Ctx(reps=5)), 21)
        self.assertEqual(pairs.count(_Ctx(reps=10)), 30)
        self.assertEqual(pairs.count(_Ctx(reps=2, quick=True)), 2)


def _threads(*filters):
    return [{"name": f"t{n}", "mode": 2 if f else 0, "filters": f}
            for n, f in enumerate(filters)]


class Walls(unittest.TestCase):
    def test_mode_is_told_by_every_thread(self):
        own = _threads(0)
        self.assertIsNone(walls.wrong_mode("enforce", _threads(2, 2), own))
        self.assertIsNone(walls.wrong_mode("off", _threads(0, 0), own))
        self.assertIn("t1", walls.wrong_mode("enforce", _threads(2, 0), own))
        self.assertIn("t1", walls.wrong_mode("off", _threads(0, 1), own))
        self.assertIsNotNone(walls.wrong_mode("off", [], own))

    def test_inherited_filters_are_no_walls(self):
        own = _threads(1)
        self.assertIsNone(walls.wrong_mode("off", _threads(1), own))
        self.assertIsNotNone(walls.wrong_mode("enforce", _threads(1), own))
        self.assertIsNone(walls.wrong_mode("enforce", _threads(2), own))

    def test_own_threads_can_be_read(self):
        found = walls.threads(os.getpid())
        self.assertGreaterEqual(len(found), 1)
        self.assertTrue(found[0]["name"])


class Refusals(unittest.TestCase):
    def test_trace_is_counted(self):
        text = ("12 --- SIGSYS {si_signo=SIGSYS, si_code=SYS_SECCOMP} ---\n"
                "12 clone3({flags=0}, 88) = -1 ENOSYS (Function not implemented)\n"
                "12 openat(AT_FDCWD, \"x\") = -1 ENOENT (No such file)\n"
                "13 +++ exited with 0 +++\n")
        self.assertEqual(refusals.counts(text), (1, 1))


class ConfineSamples(unittest.TestCase):
    blk = {"ok": True, "why": "", "requests": 10, "device_cpu_ns_per_request": 5.0,
           "verified": 1, "cached_before": 1.0, "cached_after": 1.0, "refusals": 0,
           "busy_part": 1.0,
           "self": _threads(0), "threads": _threads(2, 2)}

    def test_a_good_sample_counts(self):
        self.assertIsNone(confine_blk.wrong("enforce", self.blk))

    def test_bad_samples_say_why(self):
        for change, why in (({"ok": False, "why": "data read is wrong"}, "wrong"),
                            ({"requests": 0}, "zero work"),
                            ({"verified": 0}, "compared"),
                            ({"cached_after": 0.9}, "page cache"),
                            ({"refusals": None}, "refused"),
                            ({"busy_part": 0.9}, "90% of their CPU"),
                            ({"threads": _threads(0, 0)}, "no filter")):
            got = confine_blk.wrong("enforce", {**self.blk, **change})
            self.assertIn(why, got)
        self.assertIn("asked for off", confine_blk.wrong("off", self.blk))

    def test_boot_in_the_wrong_mode_does_not_count(self):
        clock = {"ok": True, "why": "", "status": 33}
        warned = "warning: confine is not enforce: fewer walls"
        self.assertIsNone(confine_boot.wrong("enforce", clock, "quiet"))
        self.assertIsNone(confine_boot.wrong("off", clock, warned))
        self.assertIsNotNone(confine_boot.wrong("off", clock, "quiet"))
        self.assertIsNotNone(confine_boot.wrong("enforce", clock, warned))
        self.assertIsNotNone(confine_boot.wrong("enforce", {**clock, "status": 1}, ""))

    def test_phases_are_running_totals(self):
        def process(role, names):
            return {"role": role, "name": role, "pid": 1, "phases": [
                {"name": n, "cpu_ns": (i + 1) * 1000000, "mono_ns": 0}
                for i, n in enumerate(names)]}
        timings = {"processes": [
            process("monitor", ["main", "spawn", "confine"]),
            process("vmm", ["start", "memory", "confine", "vcpus"]),
            process("blk", ["exec", "device", "confine", "ready", "running"])]}
        got = confine_start.sample_of(timings)
        self.assertEqual({r: s["walls"] for r, s in got.items()},
                         {"monitor": 2, "vmm": 3, "blk": 3})
        with self.assertRaises(KeyError):
            confine_start.sample_of({"processes": timings["processes"][:2]})


class BlkRing(unittest.TestCase):
    def ring(self, *args):
        return subprocess.run([os.environ["BLK_RING"], *args], capture_output=True,
                              text=True, timeout=60, check=False)

    def test_bad_options_are_refused(self):
        for args in ((), ("--image", "x"), ("--image", "x", "--program", "y",
                                            "--depth", "0"),
                     ("--image", "x", "--program", "y", "--size", "100"),
                     ("--image", "x", "--program", "y", "--confine", "maybe")):
            self.assertEqual(self.ring(*args).returncode, 2)

    def sample(self, image, *args):
        done = self.ring("--image", image, "--program", os.environ["BULKHEAD_BLK"],
                         "--seconds", "0.1", "--warmup", "0.05", *args)
        return json.loads(done.stdout)

    def test_foreign_data_is_noticed(self):
        with tempfile.TemporaryDirectory() as d:
            image = os.path.join(d, "image")
            self.assertEqual(self.ring("--image", image, "--fill-mib", "4").returncode, 0)
            good = self.sample(image, "--confine", "off")
            self.assertTrue(good["ok"], good)
            self.assertGreater(good["verified"], 0)
            with open(image, "r+b") as f:
                f.seek(2 << 20)
                f.write(bytes(4096))
            bad = self.sample(image, "--confine", "off", "--op", "read",
                              "--size", "1048576")
            self.assertFalse(bad["ok"])
            self.assertEqual(bad["why"], "data read is wrong")


class Rows(unittest.TestCase):
    goals = {"s": {"fast": {"goal": 1.0, "on": "ratio"},
                   "even": {"goal": 0.01, "on": "loss"},
                   "small": {"goal": 10, "on": "ours"}}}

    def row(self, name, ours, peer=None):
        return rows.make_row("s", name, unit="ms", better="lower", ours=ours,
                             peer=peer, goals=self.goals, conditions={})

    def test_goal_on_ratio(self):
        self.assertTrue(self.row("fast", [9, 9], ("p", [10, 10]))["met"])
        self.assertFalse(self.row("fast", [11, 11], ("p", [10, 10]))["met"])

    def test_goal_without_its_ratio_is_not_met(self):
        self.assertFalse(self.row("fast", [1])["met"])

    def loss(self, ratio, better="lower", cnt=7, noise=0.0):
        ours = [100 * ratio * (1 + noise * (i % 2)) for i in range(cnt)]
        return rows.make_row("s", "even", unit="ms", better=better, ours=ours,
                             peer=("off", [100] * cnt), goals=self.goals,
                             conditions={})["met"]

    def test_loss_is_counted_in_the_right_direction(self):
        self.assertTrue(self.loss(1.009))
        self.assertFalse(self.loss(1.02))
        self.assertTrue(self.loss(0.991, "higher"))
        self.assertFalse(self.loss(0.98, "higher"))
        self.assertTrue(self.loss(0.5))
        self.assertTrue(self.loss(2, "higher"))

    def test_loss_within_the_interval_is_none(self):
        self.assertTrue(self.loss(1.0, noise=0.08))
        self.assertFalse(self.loss(1.02, noise=0.08))

    def test_noise_is_no_pass(self):
        self.assertIsNone(self.loss(1.0, noise=0.2))
        self.assertFalse(self.loss(1.02, noise=0.2))
        self.assertTrue(self.loss(0.7, noise=0.2))

    def test_few_pairs_cannot_tell(self):
        self.assertIsNone(self.loss(1.5, cnt=2))

    def test_goal_on_own_figure(self):
        self.assertTrue(self.row("small", [10])["met"])
        self.assertFalse(self.row("small", [10.1])["met"])

    def test_no_goal_says_nothing(self):
        self.assertIsNone(self.row("other", [1])["met"])

    def test_schema_has_every_key(self):
        self.assertEqual(set(self.row("fast", [1])),
                         {"section", "name", "unit", "better", "ours", "peer",
                          "ratio", "interval", "spread", "goal", "met",
                          "conditions"})

    def test_goals_file_names_known_figures(self):
        for section in rows.load_goals().values():
            for goal in section.values():
                self.assertIn(goal["on"], ("ours", "ratio", "loss"))


class KeepEarlier(unittest.TestCase):
    def test_failed_section_keeps_completed_result(self):
        run = _load_run()
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "r.json")
            old = {"sections": [{"section": "boot", "completed": True, "rows": [1]}]}
            with open(path, "w", encoding="utf-8") as f:
                json.dump(old, f)
            new = {"sections": [{"section": "boot", "completed": False,
                                 "reason": "broken", "rows": []}]}
            kept = run.keep_earlier(path, new)["sections"][0]
            self.assertTrue(kept["completed"])
            self.assertEqual(kept["kept-earlier-result"], "broken")


class Provenance(unittest.TestCase):
    def test_what_cannot_be_read_is_null(self):
        got = provenance.collect("/nonexistent", ["/nonexistent/bin"],
                                 peers=[("no-such-program", "--version")])
        self.assertIsNone(got["commit"])
        self.assertIsNone(got["dirty"])
        self.assertIsNone(got["sha256"]["bin"])
        self.assertIsNone(got["peers"]["no-such-program"])
        self.assertTrue(got["kernel"])


class LaunchClock(unittest.TestCase):
    def clock(self, marker, seconds, script):
        done = subprocess.run([os.environ["LAUNCH_CLOCK"], marker, str(seconds),
                               "--", "sh", "-c", script],
                              capture_output=True, text=True, timeout=30,
                              check=True)
        return json.loads(done.stdout)

    def test_marker_and_exit_are_timed(self):
        got = self.clock("READY", 10, "sleep 0.2; echo READY; sleep 0.2; exit 7")
        self.assertTrue(got["ok"])
        self.assertGreater(got["marker_ns"], 150e6)
        self.assertGreater(got["exit_ns"], got["marker_ns"] + 150e6)
        self.assertEqual(got["status"], 7)

    def test_invalid_samples_say_why(self):
        for script, why in (("echo other", "marker missing"),
                            ("echo READY; echo READY", "marker more than once"),
                            ("sleep 20", "timed out and was killed")):
            got = self.clock("READY", 1, "exec 2>&1; " + script)
            self.assertFalse(got["ok"])
            self.assertEqual(got["why"], why)


if __name__ == "__main__":
    unittest.main()
