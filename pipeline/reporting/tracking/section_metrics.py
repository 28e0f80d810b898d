"""Sections as metrics of MLflow's parent run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from pipeline.reporting.sections.section import Experiment
from pipeline.reporting.tracking import run_content


def metrics(experiments: Iterable[Experiment]) -> dict[str, float]:
    """Values of all fields with the name of a metric, of all rows with a label."""
    return dict(_known(experiments))


def _known(experiments: Iterable[Experiment]) -> Iterator[tuple[str, float]]:
    tables = (t for one in experiments for section in one.sections for t in section.tables)
    for table in tables:
        for row in table.rows:
            for field in table.fields:
                value = row.values.get(field.key) if field.metric and row.label else None
                if value is not None and not math.isnan(value):
                    yield f"{field.metric}/{run_content.spelt(row.label)}", float(value)
