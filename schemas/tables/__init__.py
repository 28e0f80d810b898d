"""The contracts, one module per table. A new table needs its module and a line here."""

from schemas.table import index
from schemas.tables.assignment import (
    assignments,
    bounds,
    comparisons,
    dominance,
    indicators,
    latency,
    measurements,
    pareto,
    rankings,
    scores,
)
from schemas.tables.common import baselines, differences, runs, streams, validations

_RESULTS = (
    runs.TABLE,
    streams.TABLE,
    measurements.TABLE,
    assignments.TABLE,
    bounds.TABLE,
    scores.TABLE,
    latency.TABLE,
    pareto.TABLE,
    comparisons.TABLE,
    rankings.TABLE,
    indicators.TABLE,
    dominance.TABLE,
)
_CHECKED = (*_RESULTS, differences.TABLE)
_NAMES = tuple(table.name for table in _CHECKED)

TABLES = index(*_RESULTS, baselines.TABLE, differences.TABLE, validations.contract(_NAMES))
"""Contract of each table by name, in the order in which a run fills them."""
