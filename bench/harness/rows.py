# SPDX-License-Identifier: Apache-2.0
"""Rows of the one schema that every section writes, and their goals."""
import json
import os

from bench.harness import stats

GOALS_FILE = os.path.join(os.path.dirname(__file__), "..", "goals.json")


def load_goals(path=GOALS_FILE):
    """{section: {row name: {"goal": number, "on": "ours"|"ratio"|"loss"}}}.

    "loss": how much worse than the peer the row may be, beyond the interval that
    holds the median ratio: 0.01 is missed by what is worse than 1 % for sure. An
    interval of more than INTERVAL_MAX that does not exclude a loss is no answer.
    """
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def _is_met(goal, better, figure):
    return figure <= goal if better == "lower" else figure >= goal


# A median ratio that is known no better than that shows no goal of percents.
INTERVAL_MAX = 0.1


def _loss_met(goal, better, row):
    """True, False, or None: the pairs cannot tell."""
    if row["interval"] is None or row["ours"]["n"] < stats.INTERVAL_MIN:
        return None
    low, high = row["interval"]
    least, most = (low - 1, high - 1) if better == "lower" else (1 - high, 1 - low)
    if least > goal:
        return False
    if most > goal and high - low > INTERVAL_MAX:
        return None
    return True


def _goal_met(goal, better, row):
    """Does the row reach its goal? None: not known."""
    if goal["on"] == "loss":
        return _loss_met(goal["goal"], better, row)
    figure = row["ratio"] if goal["on"] == "ratio" else row["ours"]["p50"]
    return figure is not None and _is_met(goal["goal"], better, figure)


def make_row(section, name, *, unit, better, ours, conditions, peer=None,
             goals=None):
    """One row. `peer` is (name, samples) taken in turn with `ours`, or None."""
    if better not in ("lower", "higher"):
        raise ValueError(f"better: {better!r}, accepted: lower, higher")
    row = {"section": section, "name": name, "unit": unit, "better": better,
           "ours": stats.summary(ours), "peer": None, "ratio": None,
           "interval": None, "spread": stats.relative_spread(ours), "goal": None, "met": None,
           "conditions": conditions}
    if peer:
        row["peer"] = {"name": peer[0], **stats.summary(peer[1])}
        row["ratio"], row["spread"] = stats.paired_ratio(ours, peer[1])
        row["interval"] = stats.median_interval(stats.pair_ratios(ours, peer[1]))
    goal = (goals or {}).get(section, {}).get(name)
    if goal:
        row["goal"] = goal["goal"]
        row["met"] = _goal_met(goal, better, row)
    return row


def table(rows):
    """The rows as text for a terminal."""
    head = ("row", "unit", "p50", "min", "max", "n", "peer", "ratio",
            "95 %", "spread", "goal", "met")
    lines = [head]
    for r in rows:
        lines.append((
            r["name"], r["unit"], *(f"{r['ours'][k]:.3g}" for k in
                                    ("p50", "min", "max")),
            str(r["ours"]["n"]), r["peer"]["name"] if r["peer"] else "-",
            f"{r['ratio']:.3f}" if r["ratio"] else "-",
            "-" if r["interval"] is None else
            f"{r['interval'][0]:.3f}..{r['interval'][1]:.3f}",
            f"{r['spread']:.3f}",
            "-" if r["goal"] is None else f"{r['goal']:g}",
            {None: "-" if r["goal"] is None else "cannot tell", True: "yes",
             False: "NO"}[r["met"]] + (" unstable" if r["conditions"].get("unstable") else "")))
    width = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, width)).rstrip()
                     for line in lines)
