"""Experiments of groups whose assignor asks, and rows of their runs, without a broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.experiments.live.paper.repeated_rows import strategies
from pipeline.reporting.sections import published_figure
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.presets import PRESETS
from pipeline.warehouse.runs.run_results import Results

NIGHT = PRESETS["group-night"].experiments

Outcome = Mapping[str, Sequence[float]]
"""Values of a column of `live_runs` by replicate."""


def experiment(name: str = "equal-5", **changes: Any) -> LiveExperiment:
    """One of preset `group-night`, with changes."""
    return LiveExperiment(**{"name": name, **NIGHT[name], **changes})


def results(*outcomes: tuple[LiveExperiment, str, Outcome]) -> Results:
    """Rows of strategies, each by its name in the paper."""
    rows = []
    for one, name, columns in outcomes:
        strategy = strategies(one)[name]
        values = zip(*columns.values(), strict=True)
        for replicate, row in enumerate(values, 1):
            placed = {"experiment": one.name, "strategy": strategy, "replicate": replicate}
            rows.append(placed | dict(zip(columns, row, strict=True)))
    return Results({"live_runs": pd.DataFrame(rows)})


def judged(figures: Any, run: Results) -> dict[str, dict[str, Any]]:
    """Rows of `published_figures` by key."""
    return {row["figure_key"]: row for row in published_figure.rows(figures, run)}
