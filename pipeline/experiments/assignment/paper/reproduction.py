"""Whether a run reproduces the paper's published figures.

Each published figure gets a verdict of `schemas.verdicts`. Where our streams have the paper's
setting, numbers are compared with the 95 % prediction interval for one further stream, and on the
authors' own recorded stream with the printed digits. A printed number stands for every value that
rounds to it; no interval is widened to fit.
"""

from __future__ import annotations

from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper.reproduce_latency import latency_verdicts
from pipeline.experiments.assignment.paper.reproduce_tradeoff import tradeoff_verdicts
from pipeline.reporting.sections.figure_verdict import Verdict
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import ALL


def all_verdicts(results: Results) -> list[Verdict]:
    """Judge every published figure, in the paper's order; `stored_verdicts` are these, stored."""
    latency = (
        one._replace(location=published.LATENCY_LOCATION, workload=published.LATENCY_WORKLOAD)
        for one in latency_verdicts(results)
    )
    tradeoff = (
        one._replace(location=published.TRADEOFF_LOCATION, workload=published.TRADEOFF_WORKLOAD)
        for one in tradeoff_verdicts(results)
    )
    return [*latency, *tradeoff]


def tally(found: list[Verdict]) -> dict[str, int]:
    """Number of figures by verdict."""
    return {kind: sum(v.verdict == kind for v in found) for kind in ALL}
