"""Stage `judge_applications`: what a paper says of its application, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.applications import published
from pipeline.reporting.sections import published_figure

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, application_runs: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`, of the first experiment in the published setting."""
    name = next(one.name for one in work.config.applications if one.is_published)
    own = application_runs[application_runs["experiment"] == name]
    return published_figure.rows(published.FIGURES, published.by_seed(own))
