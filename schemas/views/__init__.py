"""Views over published runs, one module per view. A new view needs its module and a line here."""

from schemas.tables import TABLES
from schemas.view import index
from schemas.views import (
    history,
    latest_results,
    latest_strategy_results,
    learning_results,
    live_results,
    papers_verdicts,
    per_stream,
    results,
    strategy_results,
    stream_partitions,
)

VIEWS = index(
    TABLES,
    per_stream.VIEW,
    results.VIEW,
    latest_results.VIEW,
    history.VIEW,
    strategy_results.VIEW,
    latest_strategy_results.VIEW,
    live_results.VIEW,
    learning_results.VIEW,
    papers_verdicts.VIEW,
    stream_partitions.VIEW,
)
"""Contract of each view by name, in an order in which they can be made."""
