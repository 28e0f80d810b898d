"""Stage `statistics`: comparisons of algorithms and fronts over replicates, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.assignment import statistics

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, scores: pd.DataFrame) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Rows of `comparisons`, `rankings`, `indicators` and `dominance`."""
    settings = {e.name: e.model_dump(mode="json") for e in work.config.experiments}
    return statistics.rows(statistics.of_scores(scores), work.config.seed, settings)
