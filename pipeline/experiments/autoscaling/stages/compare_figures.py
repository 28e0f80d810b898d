"""Stage `compare_figures`: what papers print on autoscaling, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper import claimed_figures, workload_runs
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import keyed

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work,
    simulations: pd.DataFrame,
    claim_runs: pd.DataFrame,
    claim_differences: pd.DataFrame,
) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures` of a run on published workloads, or with seeds for claims."""
    labelled = keyed(claim_runs).rename(columns={"algorithm": "label"})
    ours = PaperRun(claim_runs=labelled, claim_differences=claim_differences)
    yield from published_figure.rows(
        claimed_figures.figures(workload_runs.claimed(work.config)), ours
    )
    workloads = workload_runs.workloads(work.config)
    if workloads:
        simulated = workload_runs.simulations(work.config, simulations.to_dict("records"))
        yield from published_figure.rows(published.figures(workloads), PaperRun(simulated))
