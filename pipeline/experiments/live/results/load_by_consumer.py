"""What each consumer of a group whose assignor asks is sent, second by second, of `live_lag`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from live.strategy_kinds import is_asking
from pipeline.experiments.live.results.lag_by_second import PLACE
from pipeline.warehouse.storage import reader
from pipeline.warehouse.storage.reader import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext

TABLE = "load_by_consumer"
"""Name among the tables of `pipeline.warehouse.runs.run_results.Results`."""

_COLUMNS = (*PLACE, "second", "owner", "speed", "longest_s")


def read(spark: SparkSession, ctx: RunContext) -> pd.DataFrame:
    """Rows of `reduced` with `PLACE`, on the first stream of each experiment."""
    source = reader.of(ctx.paths)
    runs = source.rows("live_runs", PLACE, run_id=[ctx.run_id]).to_pandas()
    return of_runs(source, ctx.run_id, runs)


def of_runs(source: Source, run_id: str, runs: pd.DataFrame) -> pd.DataFrame:
    """As `read`, with one `PLACE` of ``runs``, of `live_runs`, in memory at a time."""
    asking = runs[[is_asking(strategy) for strategy in runs["strategy"]]]
    is_first = asking.groupby("experiment")["stream_id"].transform("min") == asking["stream_id"]
    parts = []
    for place in asking.loc[is_first, list(PLACE)].sort_values(list(PLACE)).to_dict("records"):
        filters = {name: [value] for name, value in place.items()}
        stored = ("second", "owner", "speed", "longest_s")
        rows = source.rows("live_lag", stored, run_id=[run_id], **filters)
        parts.append(reduced(rows).assign(**place))
    if not parts:
        return pd.DataFrame(columns=list(_COLUMNS))
    return pd.concat(parts, ignore_index=True)[list(_COLUMNS)]


def reduced(rows: pa.Table) -> pd.DataFrame:
    """Write speed of each owner's partitions, and the longest latency, by ``second``, in order."""
    owned = rows.filter(pc.is_valid(rows["owner"]))
    keys = ["second", "owner"]
    sums = owned.group_by(keys, use_threads=False).aggregate(
        [("speed", "sum"), ("longest_s", "max")]
    )
    names = {"speed_sum": "speed", "longest_s_max": "longest_s"}
    by_owner: pd.DataFrame = sums.sort_by([(key, "ascending") for key in keys]).to_pandas()
    return by_owner.rename(columns=names)
