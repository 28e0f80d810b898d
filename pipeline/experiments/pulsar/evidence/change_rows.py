"""Rows of `pulsar_changes` from a run's evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.simulation.application_graph import Application
from live.pulsar.loop_journal import ASKED, RESIZED
from pipeline.experiments.pulsar.evidence.application_evidence import Evidence
from schemas.tables.pulsar.pulsar_changes import DOWN, NONE, UP

Row = dict[str, Any]


class Change(NamedTuple):
    """A change of a function's instances, or a window without one, whose `call_s` is None."""

    function: str
    at_s: float
    before: int
    after: int
    call_s: float | None

    @property
    def kind(self) -> str:
        """As table `pulsar_changes` has it."""
        return NONE if self.after == self.before else UP if self.after > self.before else DOWN


def made(evidence: Evidence) -> list[Change]:
    """Changes that were made, in order; at the moment at which Pulsar was asked."""
    asked: dict[str, float] = {}
    changes = []
    for entry in evidence.journal:
        if entry["kind"] == ASKED:
            asked[entry["function"]] = float(entry["at_s"])
        elif entry["kind"] == RESIZED:
            name = entry["function"]
            counts = int(entry["before"]), int(entry["after"])
            changes.append(Change(name, asked[name], *counts, float(entry["call_s"])))
    return changes


def rows(
    evidence: Evidence, application: Application, changes: Sequence[Change], window_s: float
) -> Iterator[Row]:
    """A row per change, in order of time."""
    again = _repeats(evidence.passed)
    lost = lost_events(evidence, application)
    due = evidence.sent[evidence.sent["number"].isin(lost)]["due_s"]
    ends = [change.at_s + window_s for change in changes]
    for number, change in enumerate(sorted(changes, key=lambda one: one.at_s), 1):
        own = evidence.passed[evidence.passed["function"] == change.function]
        end_s = change.at_s + window_s
        # What a change loses was on the way, so it was due before.
        since_s = max((each for each in ends if each <= change.at_s), default=-math.inf)
        kept, restarted = _instances(own, change, end_s)
        yield {
            "change": number,
            "kind": change.kind,
            "function": change.function,
            "at_s": change.at_s,
            "window_s": window_s,
            "before": change.before,
            "after": change.after,
            "call_s": change.call_s,
            "kept": kept,
            "restarted": restarted,
            "gap_s": longest_gap(own["done_s"].to_numpy(), change.at_s, end_s),
            "lost": int(_inside(due, since_s, end_s).sum()),
            "repeated": int(_inside(again["done_s"], change.at_s, end_s).sum()),
        }


def lost_events(evidence: Evidence, application: Application) -> set[int]:
    """Numbers of stored events that did not come out of some path of the application."""
    stored = set(evidence.sent[evidence.sent["acknowledged_s"].notna()]["number"])
    out = evidence.passed[evidence.passed["last"]]
    ends = {path[-1] for path in application.paths}
    return stored.difference(
        set.intersection(*(set(out[out["path"] == end]["number"]) for end in ends))
    )


def repeats(evidence: Evidence) -> int:
    """Times that an event came out of a path again."""
    return len(_repeats(evidence.passed))


def longest_gap(times: np.ndarray, begin: float, end: float) -> float:
    """Longest time without output between begin and end, which count as output. O(n log n)."""
    inside = np.sort(times[(times > begin) & (times < end)])
    return float(np.diff(np.concatenate(([begin], inside, [end]))).max())


def _repeats(passed: pd.DataFrame) -> pd.DataFrame:
    """Rows of events that came out of a path before."""
    out = passed[passed["last"]].sort_values("done_s")
    return out[out.duplicated(["path", "number"])]


def _inside(times: pd.Series, begin: float, end: float) -> pd.Series:
    return (times > begin) & (times <= end)


def _instances(own: pd.DataFrame, change: Change, end_s: float) -> tuple[int, int]:
    """Instances with output before that went on, and that began again."""
    kept = restarted = 0
    for _, rows in own[own["instance"] < min(change.before, change.after)].groupby("instance"):
        before = rows[rows["began_s"] <= change.at_s]
        later = set(rows[_inside(rows["done_s"], change.at_s, end_s)]["incarnation"])
        if before.empty or not later:
            continue
        last = before.sort_values("began_s")["incarnation"].iloc[-1]
        is_same = later == {last}
        kept, restarted = kept + is_same, restarted + (not is_same)
    return kept, restarted
