"""Small results of a run with brokers that join and leave, without running one."""

from __future__ import annotations

from functools import cache

import pandas as pd

from pipeline.experiments.brokers.published import figures
from pipeline.reporting.sections import published_figure
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_brokers

RUN = "brokers-20250102T030405"
TABLES = ("broker_runs", "broker_scalings", "broker_pauses")


@cache
def small() -> Results:
    """A broker that joins, and two that are to leave."""
    experiment = BrokerExperiment(**tiny_brokers.EXPERIMENT)
    rows = tiny_brokers.rows(RUN)
    tables = {name: pd.DataFrame(rows[name]) for name in TABLES}
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table_name", "rule", "meaning", "observed", "success")
    checked = [("broker_runs", "both_producers", "Both kinds.", "as expected", True)]
    others = {"validations": pd.DataFrame(checked, columns=columns)}
    config = {"preset": "brokers-smoke", "brokers": [experiment.model_dump(mode="json")]}
    run = run_row(RUN, config, ("scale_brokers", ["elastic"], 61.5))
    results = Results({**tables, **others}, run, states)
    # Of few scalings nothing is judged: the table has no row of the run.
    assert not list(published_figure.rows(figures([experiment]), results))
    return results
