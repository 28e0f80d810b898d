"""Small results of a run on learning, without training anything."""

from __future__ import annotations

import json
from functools import cache

import pandas as pd

from pipeline.config.learning_experiment import LearningExperiment
from pipeline.runs.run_results import Results, TableState
from tests.schemas import tiny_learning

RUN = "learning-20250102T030405"


@cache
def small() -> Results:
    """One agent with two seeds."""
    experiment = LearningExperiment(**tiny_learning.EXPERIMENT)
    tables = {name: pd.DataFrame(rows) for name, rows in tiny_learning.rows(RUN).items()}
    tables["policies"] = tables["policies"].drop(columns="weights")
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table", "rule", "meaning", "observed", "success")
    checked = [("policies", "policies_planned", "All are there.", "as expected", True)]
    validations = pd.DataFrame(checked, columns=columns)
    config = {"preset": "learning-smoke", "seed": 7, "experiments": [], "traces": []}
    run = {
        "run_id": RUN,
        "status": "running",
        "preset": "learning-smoke",
        "seed": 7,
        "created_at": pd.Timestamp("2025-01-02 03:04:05"),
        "config": json.dumps(config | {"learning": [experiment.model_dump(mode="json")]}),
        "versions": json.dumps({"numpy": "2.4.6", "code": "0123abcd"}),
        "stage_timings": json.dumps([{"stage": "train_agents", "units": None, "seconds": 9.5}]),
    }
    return Results({**tables, "validations": validations}, run, states)
