"""Rows of `pulsar_runs` and `pulsar_intervals` from a run's evidence, and from its simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from algorithms.inference.lost_share import lost_high
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_result import ApplicationResult
from live.pulsar import loop_journal
from pipeline.experiments.pulsar.evidence import change_rows
from pipeline.experiments.pulsar.evidence.application_evidence import Evidence
from pipeline.experiments.pulsar.evidence.change_rows import Change
from schemas.tables.pulsar.pulsar_intervals import AGREES, DIFFERS

Row = dict[str, Any]

LATE_S = 0.1
"""An event that is published later than this after it was due counts as late."""

NEAR_S, NEAR_SHARE = 0.05, 0.05
"""Measured and simulated mean responses agree within this time and this share of the simulated."""


class Responses(NamedTuple):
    """Events that came out of the longest path, by when they first did."""

    done_s: Floats
    response_s: Floats


def responses(evidence: Evidence, application: Application) -> Responses:
    """Responses of a run."""
    path = application.paths[application.longest]
    passed = evidence.passed
    out = passed[passed["last"] & (passed["path"] == path[-1])]
    done = out.groupby("number")["done_s"].min()
    due = evidence.sent.set_index("number")["due_s"]
    return Responses(done.to_numpy(), (done - due.reindex(done.index)).to_numpy())


def run_row(
    evidence: Evidence,
    application: Application,
    changes: Sequence[Change],
    simulated: ApplicationResult | None,
) -> Row:
    """What happened in total."""
    response = responses(evidence, application).response_s
    stored = int(evidence.sent["acknowledged_s"].notna().sum())
    lost = len(change_rows.lost_events(evidence, application))
    late = evidence.sent["sent_s"] - evidence.sent["due_s"] > LATE_S
    p50, p99 = np.percentile(response, (50, 99)) if response.size else (math.nan, math.nan)
    return {
        "drained": evidence.drained,
        "late_sends": int(late.sum()),
        "acknowledged": stored,
        "lost": lost,
        "lost_high": lost_high(lost, stored),
        "repeated": change_rows.repeats(evidence),
        "recoveries": loop_journal.recoveries(evidence.journal),
        "changes": len(changes),
        "mean_instances": mean_instances(application, changes, 0.0, application.seconds),
        "mean_s": _mean(response),
        "p50_s": _known(p50),
        "p99_s": _known(p99),
        "max_s": float(response.max()) if response.size else None,
        "simulated_instances": None if simulated is None else simulated.mean_instances,
        "simulated_mean_s": None if simulated is None else _simulated_mean(application, simulated),
    }


def interval_rows(
    evidence: Evidence,
    application: Application,
    changes: Sequence[Change],
    simulated: ApplicationResult,
) -> Iterator[Row]:
    """A row per interval of constant load."""
    measured, path = responses(evidence, application), application.longest
    begin = 0.0
    for number, piece in enumerate(application.sources[0].pieces, 1):
        end = begin + piece.seconds
        inside = (measured.done_s > begin) & (measured.done_s <= end)
        due = evidence.sent["due_s"].between(begin, end, inclusive="left")
        mean = _mean(measured.response_s[inside])
        rows = (simulated.times[:-1] >= begin - 1e-9) & (simulated.times[:-1] < end - 1e-9)
        events = simulated.responses.events[rows, path]
        totals = np.nansum(simulated.responses.means[rows, path] * events)
        predicted = float(totals / events.sum()) if events.sum() else None
        yield {
            "interval": number,
            "begins_s": begin,
            "seconds": piece.seconds,
            "rate": int(due.sum()) / piece.seconds,
            "instances": mean_instances(application, changes, begin, end),
            "events": int(inside.sum()),
            "mean_s": mean,
            "simulated_instances": float(simulated.instances[rows].sum(axis=1).mean()),
            "simulated_mean_s": predicted,
            "verdict": verdict(mean, predicted),
        }
        begin = end


def verdict(mean: float | None, predicted: float | None) -> str | None:
    """Whether measured and simulated means agree; None without both."""
    if mean is None or predicted is None:
        return None
    return AGREES if abs(mean - predicted) <= NEAR_S + NEAR_SHARE * predicted else DIFFERS


def mean_instances(
    application: Application, changes: Sequence[Change], begin: float, end: float
) -> float:
    """Instances of all functions asked for, mean over a time."""
    total = sum(function.initial for function in application.functions.values()) * (end - begin)
    for change in changes:
        left = end - min(max(change.at_s, begin), end)
        total += (change.after - change.before) * left
    return total / (end - begin)


def _simulated_mean(application: Application, simulated: ApplicationResult) -> float | None:
    return simulated.paths[application.longest].mean


def _mean(values: Floats) -> float | None:
    return float(np.mean(values)) if values.size else None


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
