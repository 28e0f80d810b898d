"""Small results of a run on a broker, without running one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa

from pipeline.experiments.live.published import figures
from pipeline.experiments.live.results import lag_by_second, load_by_consumer
from pipeline.reporting.sections import published_figure
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_live

TABLES = (
    *("live_runs", "live_plans", "live_events"),
    *("live_latency", "live_integrity", "live_agreement", "live_courses", "live_recoveries"),
)


class Rows:
    """A source of rows in memory."""

    def __init__(self, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self._tables = tables

    def rows(self, table: str, columns: Sequence[str], **where: Sequence[str]) -> pa.Table:
        """As `pipeline.warehouse.storage.reader.Source.rows`."""
        matches = [
            {name: row[name] for name in columns}
            for row in self._tables[table]
            if all(row[name] in values for name, values in where.items())
        ]
        return pa.Table.from_pylist(matches)

    def count(self, table: str, run_id: str) -> int:
        """Not needed."""
        raise NotImplementedError

    def sums(self, table: str, run_id: str, keys: Sequence[str], bins: str, n: int) -> pa.Table:
        """Not needed."""
        raise NotImplementedError


@cache
def small(**settings: Any) -> Results:
    """One experiment with two strategies on two streams."""
    fields: dict[str, Any] = dict(tiny_live.EXPERIMENT)
    del fields["strategies"]
    experiment = LiveExperiment(
        **fields | {"strategies": tiny_live.STRATEGIES, "iteration_seconds": 4.0} | settings
    )
    run_id = "live-20250102T030405"
    rows = tiny_live.rows(run_id)
    tables = {name: pd.DataFrame(rows[name]) for name in TABLES}
    seconds = lag_by_second.of_runs(Rows(rows), run_id, tables["live_runs"])
    streams = pd.DataFrame(rows["streams"]).drop(columns="partitions").assign(n_partitions=2)
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    loads = load_by_consumer.of_runs(Rows(rows), run_id, tables["live_runs"])
    others = {
        "streams": streams,
        "validations": _validations(),
        lag_by_second.TABLE: seconds,
        load_by_consumer.TABLE: loads,
    }
    return published(Results({**tables, **others}, _run(experiment), states))


def published(results: Results) -> Results:
    """The same run with what its stage stores of published figures."""
    experiments = [LiveExperiment(**one) for one in results.config["live"]]
    rows = published_figure.rows(figures(experiments, {}), results)
    return results.with_tables(published_figures=pd.DataFrame(rows).astype(object))


def _run(experiment: LiveExperiment) -> dict[str, Any]:
    config = {"preset": "live-smoke", "live": [experiment.model_dump(mode="json")]}
    return run_row("live-20250102T030405", config, ("measure_groups", ["brokered δ=25"], 61.5))


def _validations() -> pd.DataFrame:
    columns = ("table_name", "rule", "meaning", "observed", "success")
    rows = [("live_integrity", "nothing_lost", "No record is lost.", "as expected", True)]
    return pd.DataFrame(rows, columns=columns)
