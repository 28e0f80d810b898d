"""Small results of a run on learning, without training anything."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import tiny_groups, tiny_learning

RUN = "learning-20250102T030405"


@cache
def small() -> Results:
    """One agent with two seeds, on brokers."""
    return _results(tiny_learning)


@cache
def grouped() -> Results:
    """The same, and one on a group."""
    return _results(tiny_learning, tiny_groups)


def _results(*experiments_of: Any) -> Results:
    experiments = [LearningExperiment(**tiny.EXPERIMENT) for tiny in experiments_of]
    parts = [tiny.rows(RUN) for tiny in (tiny_learning, tiny_groups)]
    if tiny_groups not in experiments_of:
        parts[1] = {name: [] for name in parts[1]}
    names = dict.fromkeys(name for part in parts for name in part)
    tables = {
        name: pd.DataFrame([row for part in parts for row in part.get(name, ())]) for name in names
    }
    tables["policies"] = tables["policies"].drop(columns="weights")
    states = [
        TableState(name, f"s3a://bucket/{name}", 3, len(frame)) for name, frame in tables.items()
    ]
    columns = ("table_name", "rule", "meaning", "observed", "success")
    checked = [("policies", "policies_planned", "All are there.", "as expected", True)]
    validations = pd.DataFrame(checked, columns=columns)
    learning = [one.model_dump(mode="json") for one in experiments]
    config = {"preset": "learning-smoke", "learning": learning}
    run = run_row(RUN, config, ("train_agents", None, 9.5))
    return Results({**tables, "validations": validations}, run, states)
