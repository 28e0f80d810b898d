"""Stage `compare_figures`: what papers print on autoscaling, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper import workload_runs
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, simulations: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures` of a run on published workloads."""
    figures = published.figures(workload_runs.workloads(work.config))
    simulated = workload_runs.simulations(work.config, simulations.to_dict("records"))
    return published_figure.rows(figures, PaperRun(simulated))
