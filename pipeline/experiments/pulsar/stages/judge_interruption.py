"""Stage `judge_interruption`: the published claim on interruption, and what our changes show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.pulsar import published
from pipeline.reporting.sections import published_figure
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, pulsar_changes: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `published_figures`."""
    results = Results({"pulsar_changes": pulsar_changes})
    return published_figure.rows(published.figures(work.config.pulsar), results)
