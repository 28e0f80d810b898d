"""Where the paper has a figure, for captions."""

from __future__ import annotations

from pipeline.experiments.assignment.paper import paper_runs
from pipeline.warehouse.runs.run_results import Results


def corresponds(results: Results, place: str) -> str:
    """A sentence on the place in the paper; empty for somebody's own trace."""
    return f" Corresponds to {place} of the paper." if paper_runs.applies(results) else ""
