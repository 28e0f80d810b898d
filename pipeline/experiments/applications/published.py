"""Figures of Russo Russo et al. 2021 that simulated applications are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.reporting.sections import russo_russo_figures
from pipeline.reporting.sections.russo_russo_figures import Seeds

if TYPE_CHECKING:
    import pandas as pd

FIGURES = russo_russo_figures.FIGURES
"""In the paper's order."""


def by_seed(rows: pd.DataFrame) -> Seeds:
    """Rows of one experiment, grouped by replicate."""
    return [
        {str(row["policy"]): row for row in own.to_dict("records")}
        for _, own in rows.groupby("replicate", sort=True)
    ]
