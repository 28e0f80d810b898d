"""Stage `score_groups`: agents on groups beside rules, and fronts, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.learning.results import group_scoring, weight_fronts

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

_ROWS = {"group_scores": group_scoring.rows, "group_fronts": weight_fronts.rows}


def run(
    work: Work, group_evaluations: pd.DataFrame
) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Rows of `group_scores` and `group_fronts`."""
    judged = [
        (one, group_evaluations[group_evaluations["experiment"] == one.name])
        for one in work.config.learning
        if one.scales_group
    ]
    return {
        table: [
            row for one, evaluations in judged for row in rows(one, evaluations, work.config.seed)
        ]
        for table, rows in _ROWS.items()
    }
