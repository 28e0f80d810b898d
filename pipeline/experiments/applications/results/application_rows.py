"""Figures of one simulation of an application, as tables and JSON have them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from algorithms.simulation import ApplicationResult
from algorithms.simulation.application_graph import Application

Row = dict[str, Any]

RESPONSES = ("mean", "p50", "p90", "p99", "max", "peak", "above")
"""Figures of response times, as `algorithms.simulation` names them."""


def path_text(path: tuple[str, ...]) -> str:
    """The functions of a path, in order."""
    return " > ".join(path)


def run_row(result: ApplicationResult, application: Application) -> Row:
    """Figures of a simulation; responses are those along the longest path."""
    totals, path = result.instances.sum(axis=1), result.paths[application.longest]
    return {
        "mean_instances": result.mean_instances,
        "fewest_instances": int(totals.min()),
        "most_instances": result.max_instances,
        "scalings": len(result.scalings),
        "path": path_text(path.path),
        "events": path.events,
        **{name: getattr(path, name) for name in RESPONSES},
    }


def step_rows(result: ApplicationResult, application: Application) -> Iterator[Row]:
    """A row per interval between decisions; responses are those along the longest path."""
    totals = result.instances.sum(axis=1).tolist()
    events = result.responses.events[:, application.longest].tolist()
    means = result.responses.means[:, application.longest]
    for i, (begin, end) in enumerate(pairwise(result.times.tolist())):
        yield {
            "step": i + 1,
            "begins_s": begin,
            "seconds": end - begin,
            "instances": totals[i],
            "rate": application.mean_rate(begin, end),
            "completed": events[i],
            "mean": None if np.isnan(means[i]) else float(means[i]),
        }


def function_rows(result: ApplicationResult) -> Iterator[Row]:
    """A row per function and interval."""
    for f, name in enumerate(result.functions):
        for i, window in enumerate(result.windows):
            yield {
                "function": name,
                "step": i + 1,
                "instances": int(result.instances[i, f]),
                "arrivals": int(window.arrivals[f]),
                "completions": int(window.completions[f]),
                "backlog": int(window.backlog[f]),
                "busy_s": float(window.busy[f]),
            }
