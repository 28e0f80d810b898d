"""Rows of `pulsar_steps` from a run's evidence, and from its simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_result import ApplicationResult
from pipeline.experiments.pulsar.evidence import run_rows
from pipeline.experiments.pulsar.evidence.application_evidence import Evidence
from pipeline.experiments.pulsar.evidence.change_rows import Change

Row = dict[str, Any]


def rows(
    evidence: Evidence,
    application: Application,
    changes: Sequence[Change],
    simulated: ApplicationResult,
) -> Iterator[Row]:
    """A row per step between two decisions, in order of time."""
    measured = run_rows.responses(evidence, application)
    due = evidence.sent["due_s"]
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
            "simulated_rate": application.mean_rate(begin, end),
            "simulated_instances": int(simulated.instances[i].sum()),
            "simulated_mean_s": None if np.isnan(means[i]) else float(means[i]),
        }
