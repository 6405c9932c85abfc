# SPDX-License-Identifier: Apache-2.0
"""The harness: figures are right, bad samples are refused."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest

from bench.harness import provenance, rows, stats


def _load_run():
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "run")
    loader = importlib.machinery.SourceFileLoader("bench_run", path)
    spec = importlib.util.spec_from_loader("bench_run", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


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


class Rows(unittest.TestCase):
    goals = {"s": {"fast": {"goal": 1.0, "on": "ratio"},
                   "small": {"goal": 10, "on": "ours"}}}

    def row(self, name, ours, peer=None):
        return rows.make_row("s", name, unit="ms", better="lower", ours=ours,
                             peer=peer, goals=self.goals, conditions={})

    def test_goal_on_ratio(self):
        self.assertTrue(self.row("fast", [9, 9], ("p", [10, 10]))["met"])
        self.assertFalse(self.row("fast", [11, 11], ("p", [10, 10]))["met"])

    def test_goal_without_its_ratio_is_not_met(self):
        self.assertFalse(self.row("fast", [1])["met"])

    def test_goal_on_own_figure(self):
        self.assertTrue(self.row("small", [10])["met"])
        self.assertFalse(self.row("small", [10.1])["met"])

    def test_no_goal_says_nothing(self):
        self.assertIsNone(self.row("other", [1])["met"])

    def test_schema_has_every_key(self):
        self.assertEqual(set(self.row("fast", [1])),
                         {"section", "name", "unit", "better", "ours", "peer",
                          "ratio", "spread", "goal", "met", "conditions"})

    def test_goals_file_names_known_figures(self):
        for section in rows.load_goals().values():
            for goal in section.values():
                self.assertIn(goal["on"], ("ours", "ratio"))


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
