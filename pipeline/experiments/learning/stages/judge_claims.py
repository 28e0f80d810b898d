"""Stage `judge_claims`: verdicts on a paper's claims, and whether variants agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.learning import published
from pipeline.experiments.learning.claims import judged_claims
from pipeline.experiments.learning.claims.claim_measures import Tables
from pipeline.experiments.learning.claims.claim_rows import Row
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.reporting.sections import published_figure

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(
    work: Work, trainings: pd.DataFrame, evaluations: pd.DataFrame, policies: pd.DataFrame
) -> Mapping[str, Iterable[Mapping[str, object]]]:
    """Rows of `learning_verdicts`, the evidence, and of `published_figures`."""
    results = Tables(StoredTrainings(trainings), evaluations, policies, work.config.seed)
    return judged(judged_claims.rows(work.config.learning, results))


def judged(evidence: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Both tables, with the same verdicts and notes."""
    claims = list(evidence)
    figures = list(published_figure.rows(published.figures(claims), None))
    verdicts = [
        row | {name: figure[name] for name in ("verdict", "note")}
        for row, figure in zip(claims, figures, strict=True)
    ]
    return {"learning_verdicts": verdicts, "published_figures": figures}
