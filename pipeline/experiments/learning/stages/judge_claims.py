"""Stage `judge_claims`: verdicts on a paper's claims, and whether variants agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.learning.claims import judged_claims
from pipeline.experiments.learning.claims.judged_claims import Tables
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, trainings: pd.DataFrame, evaluations: pd.DataFrame, policies: pd.DataFrame
) -> Iterator[Mapping[str, object]]:
    """Rows of `learning_verdicts`."""
    results = Tables(StoredTrainings(trainings), evaluations, policies, work.config.seed)
    return judged_claims.rows(work.config.learning, results)
