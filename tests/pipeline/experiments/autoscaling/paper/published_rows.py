"""Rows of `published_figures` on published workloads, from figures of simulations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper import workload_runs
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure
from pipeline.reporting.sections.published_figure import Row
from pipeline.settings.run_config import RunConfig


def of_run(config: RunConfig, simulations: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Those of a run's simulations, without figures that need none."""
    figures = published.figures(workload_runs.workloads(config))
    own = [figure for figure in figures if figure in published.FIGURES]
    run = PaperRun(workload_runs.simulations(config, simulations))
    return list(published_figure.rows(own, run))
