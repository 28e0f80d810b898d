"""Small results of a run on Pulsar, without running one."""

from __future__ import annotations

from functools import cache

import pandas as pd

from pipeline.experiments.pulsar.published import figures
from pipeline.reporting.sections import published_figure
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_pulsar

RUN = "pulsar-20250102T030405"
TABLES = ("pulsar_runs", "pulsar_intervals", "pulsar_steps", "pulsar_changes")


@cache
def small() -> Results:
    """One policy with both executors."""
    experiment = PulsarExperiment(**tiny_pulsar.EXPERIMENT)
    rows = tiny_pulsar.rows(RUN)
    tables = {name: pd.DataFrame(rows[name]) for name in TABLES}
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table_name", "rule", "meaning", "observed", "success")
    checked = [("pulsar_runs", "nothing_lost", "No event is lost.", "as expected", True)]
    others = {"validations": pd.DataFrame(checked, columns=columns)}
    config = {"preset": "pulsar-smoke", "pulsar": [experiment.model_dump(mode="json")]}
    run = run_row(RUN, config, ("measure_functions", ["pulsed"], 61.5))
    results = Results({**tables, **others}, run, states)
    # Without changes at set times nothing is judged: the table has no row of the run.
    assert not list(published_figure.rows(figures([experiment]), results))
    return results
