"""``groupscale runs``."""

from __future__ import annotations

import sys

from pipeline.cli.commands.options import Debug, Json, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.process.output import answered

QUERY = """
SELECT run_id, preset, created_at, date_diff('second', created_at, finished_at) AS seconds, seed
FROM runs ORDER BY created_at DESC, run_id DESC
"""


def runs(
    as_json: Json = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """List published runs, the newest first."""
    from pipeline.cli import sql_format
    from pipeline.storage import sql

    with (
        reporting_errors(debug),
        answered(),
        sql.answering(QUERY, places(warehouse)) as answer,
    ):
        sql_format.write(answer, sql_format.JSON if as_json else sql_format.TABLE, sys.stdout)
