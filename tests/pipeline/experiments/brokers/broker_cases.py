"""Small results of a run with brokers that join and leave, without running one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pandas as pd

from pipeline.experiments.brokers.published import figures
from pipeline.reporting.sections import published_figure
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from schemas.tables import TABLES as CONTRACTS
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_brokers, tiny_deciding

RUN = "brokers-20250102T030405"
TABLES = ("broker_runs", "broker_scalings", "broker_pauses", "broker_episodes")


@cache
def small() -> Results:
    """A broker that joins, and two that are to leave."""
    return _results(tiny_brokers.EXPERIMENT, tiny_brokers.rows(RUN))


@cache
def decided() -> Results:
    """An agent and a rule that decide."""
    return _results(tiny_deciding.EXPERIMENT, tiny_deciding.rows(RUN))


def _empty(table: str) -> pd.DataFrame:
    return pd.DataFrame(columns=[column.name for column in CONTRACTS[table].columns])


def _results(settings: Mapping[str, Any], rows: Mapping[str, list[Any]]) -> Results:
    experiment = BrokerExperiment(**settings)
    tables = {n: pd.DataFrame(rows[n]) if rows.get(n) else _empty(n) for n in TABLES}
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table_name", "rule", "meaning", "observed", "success")
    checked = [("broker_runs", "both_producers", "Both kinds.", "as expected", True)]
    others = {"validations": pd.DataFrame(checked, columns=columns)}
    config = {"preset": "brokers-smoke", "brokers": [experiment.model_dump(mode="json")]}
    run = run_row(RUN, config, ("scale_brokers", [experiment.name], 61.5))
    results = Results({**tables, **others}, run, states)
    # Of few scalings nothing is judged: the table has no row of the run.
    assert not list(published_figure.rows(figures([experiment]), results))
    return results
