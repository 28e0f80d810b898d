"""Rows of `pulsar_steps` from a run's evidence, and from its simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_result import ApplicationResult
from live.pulsar import loop_journal
from live.pulsar.loop_journal import Entry
from pipeline.experiments.pulsar.evidence import run_rows
from pipeline.experiments.pulsar.evidence.application_evidence import Evidence
from pipeline.experiments.pulsar.evidence.change_rows import Change

Row = dict[str, Any]

_EARLY_S = 0.001
"""By which clocks may round the end of a window down."""


def rows(
    evidence: Evidence,
    application: Application,
    changes: Sequence[Change],
    simulated: ApplicationResult,
) -> Iterator[Row]:
    """A row per step between two decisions, in order of time."""
    measured = run_rows.responses(evidence, application)
    due = evidence.sent["due_s"]
    windows = _windows(evidence.journal, simulated.times[1:])
    means = simulated.responses.means[:, application.longest]
    for i, (begin, end) in enumerate(pairwise(simulated.times.tolist())):
        inside = (measured.done_s > begin) & (measured.done_s <= end)
        yield {
            "step": i + 1,
            "begins_s": begin,
            "seconds": end - begin,
            "rate": int(due.between(begin, end, inclusive="left").sum()) / (end - begin),
            "instances": run_rows.mean_instances(application, changes, begin, end),
            "events": int(inside.sum()),
            "mean_s": float(measured.response_s[inside].mean()) if inside.any() else None,
            **_waiting(windows.get(i)),
            "simulated_rate": application.mean_rate(begin, end),
            "simulated_instances": int(simulated.instances[i].sum()),
            "simulated_mean_s": None if np.isnan(means[i]) else float(means[i]),
            "simulated_backlog": int(simulated.backlogs[i + 1].sum()),
        }


def _windows(journal: Sequence[Entry], ends: Floats) -> Mapping[int, Entry]:
    """The loop's measurements at the end of each step; a loop that is late has those of its last.

    ends: Of the steps, ascending.
    """
    windows = [entry for entry in journal if entry["kind"] == loop_journal.WINDOW]
    until = np.array([window["until_s"] for window in windows]) + _EARLY_S
    return dict(zip((np.searchsorted(ends, until, "right") - 1).tolist(), windows, strict=True))


def _waiting(window: Entry | None) -> Row:
    """What waits for all functions; None where it was not measured."""
    backlog = None if window is None else sum(window["window"]["backlog"])
    entries = [None] if window is None else window.get("entries", [None])
    return {"backlog": backlog, "msg_backlog": None if None in entries else sum(entries)}
