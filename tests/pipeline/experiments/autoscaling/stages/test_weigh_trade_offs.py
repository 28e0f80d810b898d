"""Trade-offs are a function of the simulations in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import schemas
from pipeline.experiments.autoscaling.stages import weigh_trade_offs
from tests.pipeline.experiments.autoscaling import scaling_cases

pytestmark = pytest.mark.slow


def test_every_candidate_of_an_experiment_has_a_row() -> None:
    results = scaling_cases.small()
    simulations = results["simulations"]
    experiments = [
        SimpleNamespace(name=name, most_minutes=1000.0)
        for name in reversed(simulations["experiment"].unique())
    ]
    work: Any = SimpleNamespace(config=SimpleNamespace(autoscaling=experiments, seed=7))
    rows = list(weigh_trade_offs.run(work, simulations))
    columns = {column.name for column in schemas.TABLES["trade_offs"].columns}
    assert all(set(row) == columns - {"run_id"} for row in rows)
    # In the order of the configuration.
    assert list(dict.fromkeys(row["experiment"] for row in rows)) == [e.name for e in experiments]
    candidates = simulations[["experiment", "strategy", "setting"]].drop_duplicates()
    assert len(rows) == len(candidates)
