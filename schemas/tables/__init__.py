"""The contracts, one module per table. A new table needs its module and a line here."""

from schemas.table import index
from schemas.tables import (
    assignments,
    latency,
    measurements,
    pareto,
    runs,
    scores,
    streams,
    validations,
)

_CHECKED = (
    runs.TABLE,
    streams.TABLE,
    measurements.TABLE,
    assignments.TABLE,
    scores.TABLE,
    latency.TABLE,
    pareto.TABLE,
)

TABLES = index(*_CHECKED, validations.contract(tuple(table.name for table in _CHECKED)))
"""Contract of each table by name, in the order in which a run fills them."""
