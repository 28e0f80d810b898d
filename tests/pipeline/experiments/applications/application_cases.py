"""Small results of a run on applications, without simulating anything."""

from __future__ import annotations

from functools import cache

import pandas as pd

from pipeline.settings.application_experiment import ApplicationExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_applications

RUN = "applications-20250102T030405"


@cache
def small() -> Results:
    """One policy with two seeds, on two functions."""
    tables = {name: pd.DataFrame(rows) for name, rows in tiny_applications.rows(RUN).items()}
    for name in ("application_steps", "function_steps"):
        tables[name] = tables[name][tables[name]["replicate"] == 1]
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table_name", "rule", "meaning", "observed", "success")
    checked = [("application_runs", "simulations_planned", "All there.", "as expected", True)]
    validations = pd.DataFrame(checked, columns=columns)
    experiment = ApplicationExperiment(**tiny_applications.EXPERIMENT)
    config = {"preset": "applications", "applications": [experiment.model_dump(mode="json")]}
    run = run_row(RUN, config, ("simulate_applications", None, 9.5))
    return Results({**tables, "validations": validations}, run, states)
