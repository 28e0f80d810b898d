"""Printed figures of a strategy on a workload, beside the range of its repeats on a broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.experiments.live.paper.repeated_rows import (
    SHAPE_ALONE,
    Workload,
    no_verdict,
    repeated,
    strategies,
)
from pipeline.reporting.sections import level_tolerances
from pipeline.reporting.sections.ezzeddine_figures import (
    EZZEDDINE,
    FIXED,
    OVERPROVISIONING,
    TITLES,
)
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import PublishedFigure
from pipeline.reporting.sections.tolerances import Judged, Measured
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE

Figure = PublishedFigure[Results]

COLUMNS: Final[Mapping[str, str]] = {
    "sla": "sla_percent",
    "minutes": "replica_minutes",
    "up": "n_up",
    "down": "n_down",
    "maximum": "peak_s",
}
"""Column of `live_runs` for each field of
`pipeline.reporting.sections.ezzeddine_figures.PrintedRun`."""


def levels(one: LiveExperiment, workload: Workload) -> Iterator[Figure]:
    """Figures of the printed rows that an experiment repeats."""
    rows = repeated(one, workload)
    if rows is None:
        return
    for name, strategy in strategies(one).items():
        printed = rows.runs.get(name)
        for field, text in printed._asdict().items() if printed else ():
            if text:
                yield _level(one, workload, rows.place, (name, strategy), field, text)


def _level(
    one: LiveExperiment,
    workload: Workload,
    place: str,
    names: tuple[str, str],
    field: str,
    text: str,
) -> Figure:
    name, strategy = names
    title, unit = TITLES[field]
    is_fixed = name == OVERPROVISIONING
    reason = no_verdict(one) or ("" if workload.is_published else SHAPE_ALONE)
    return PublishedFigure(
        key=f"{one.name}: {strategy}: {COLUMNS[field]}",
        source=EZZEDDINE,
        place=place,
        workload=f"{workload.name}, {one.split} {one.partitions}",
        strategy=name,
        candidate=f"{one.name}, {strategy}",
        figure=title,
        value=Printed.of(text),
        unit=unit,
        tolerance=level_tolerances.like_fixed if is_fixed else in_range,
        measure=lambda run: Measured(repeats(run, one.name, strategy, COLUMNS[field]).tolist()),
        incomparable="" if is_fixed else reason,
        by_construction=FIXED if is_fixed else "",
    )


def repeats(run: Results, experiment: str, strategy: str, column: str) -> NDArray[np.float64]:
    """Values of a strategy by replicate, NaN where there is none, ``float64[repeats]``."""
    rows = run.at(experiment, strategy=strategy)["live_runs"].sort_values("replicate")
    values: NDArray[np.float64] = rows[column].astype(float).to_numpy(np.float64)
    return values


def in_range(printed: Printed, unit: str, measured: Measured) -> Judged:
    """A level: whether it lies in the range of our repeats."""
    values = np.asarray(measured.values, np.float64)
    if not len(values) or not np.isfinite(values).all():
        return Judged(NOT_COMPARABLE, note="a repeat has no value")
    ends = float(values.min()), float(values.max())
    return level_tolerances.in_range(printed, float(values.mean()), *ends, "our repeats")
