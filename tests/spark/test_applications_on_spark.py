"""A small run on applications: tables, checks, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from algorithms.simulation import simulate_application
from pipeline.engine import local
from pipeline.experiments.applications import kernels
from pipeline.settings import load
from pipeline.warehouse.runs.context import RunContext
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

APPLICATION = {
    "functions": {"read": {"mu": 4}, "write": {"mu": 1, "cs": 0.5}},
    "edges": [["read", "write"]],
    "sources": {"read": [[100, 0.5], [110, 2.5]]},
}
CONFIG = {
    "preset": "applications",
    "application": APPLICATION,
    "policies": ["constant", "ds2"],
    "replicates": 2,
}


@pytest.fixture(scope="module")
def applied(
    spark: SparkSession, warehouse: Path, tmp_path_factory: pytest.TempPathFactory
) -> RunContext:
    """A published run; tests only read it."""
    file = tmp_path_factory.mktemp("applications") / "config.json"
    file.write_text(json.dumps(CONFIG))
    return local.run_all(load.resolve(None, file, [], []), warehouse, "applied")


def test_rows_are_those_of_the_simulations(applied: RunContext) -> None:
    runs, steps, functions = (
        rows(applied, table)
        for table in ("application_runs", "application_steps", "function_steps")
    )
    experiments = applied.config.applications
    assert len(runs) == len(experiments) * 2 * 2
    assert len(steps) == len(runs) * 7
    assert len(functions) == len(steps) * 2
    one = kernels.plans(experiments, applied.config.seed)["images"]
    call = (APPLICATION["functions"], [("read", "write")], APPLICATION["sources"], "ds2")
    expected = simulate_application(*call, settings={**one.settings, "seed": one.seed(2)})  # type: ignore[arg-type]
    where = "experiment == 'images' and policy == 'ds2' and replicate == 2"
    (row,) = runs.query(where).to_dict("records")
    assert row["mean"] == expected.paths[0].mean
    assert row["path"] == "read > write"
    own = steps.query(where).sort_values("step")
    assert own["instances"].tolist() == expected.instances.sum(axis=1).tolist()
    assert own["rate"].tolist()[:4] == [0.5, 0.5, 0.5, (10 * 0.5 + 20 * 2.5) / 30]
    backlogs = functions.query(f"{where} and function == 'write'").sort_values("step")["backlog"]
    assert backlogs.tolist() == expected.backlogs[1:, 1].tolist()


def test_the_report_has_figures_and_policies(applied: RunContext) -> None:
    page = applied.paths.report("applied").read_text()
    assert "How should the functions of an application be scaled?" in page
    assert "Instances and response times over time" in page
    assert "read &gt; write" in page
