"""A small run on agents of groups: trained, judged beside rules, scored, and exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.engine import local
from pipeline.experiments.learning.policies import attached_policies, policy_files
from pipeline.inputs.policies import policy_content, strategy_policies
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import reader
from tests.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.long]

SMALL = [
    *("decisions=64", "trace_seconds=100", "window_s=30", "hidden=8,8", "windows=4"),
    *("variants=action=delta,action=delta:weight=1", "rules=constant,linear", "trials=2"),
]


@pytest.fixture(scope="module")
def grouped(spark: SparkSession, warehouse: Path) -> RunContext:
    """A published run; tests only read it."""
    return local.run_all(resolve("learning-groups-smoke", None, SMALL, []), warehouse, "grouped")


def test_every_policy_is_trained_judged_and_scored(grouped: RunContext) -> None:
    trainings, policies, evaluations, scores = (
        rows(grouped, table)
        for table in ("trainings", "policies", "group_evaluations", "group_scores")
    )
    assert len(trainings) == 2 * 2 * 2
    assert (trainings["greedy_reward"] < 0.0).all()
    assert list(policies["environment"]) == ["group"] * 4
    agents = evaluations[evaluations["seed"] > 0]
    assert len(agents) == 4 * 11
    assert set(agents["part"]) == {"test"}
    # Weights, splits; agents, rules, other numbers of replicas, clairvoyant.
    assert len(scores) == 2 * 3 * (1 + 2 + 4 + 1)
    assert scores["chosen"].sum() == 2 * 3 * (1 + 2 + 1)
    constants = scores[scores["policy"] == "constant"].groupby(["weight", "split"])["parameters"]
    assert (constants.nunique() == 5).all()
    assert set(scores["weight"]) == {1.0, 5.0}
    fronts = rows(grouped, "group_fronts")
    assert len(fronts) == 3 * (1 + 2 + 1)
    assert set(fronts["points"]) == {2}


def test_an_exported_policy_is_a_strategy(grouped: RunContext, tmp_path: Path) -> None:
    (row, *_) = policy_files.stored(reader.of(grouped.paths), "grouped", seeds=1)
    file = tmp_path / policy_files.file_name(row)
    file.write_text(policy_content.text_of(row))
    (one,) = strategy_policies.parse(f"dqn:{file}", 5, 200.0, 0.5)
    assert one.arguments["policy"].policy.action == "delta"


def test_mlflow_gets_a_policy_of_each_variant(grouped: RunContext, tmp_path: Path) -> None:
    attached_policies.attach(grouped, tmp_path)
    assert {file.name for file in (tmp_path / "policies").iterdir()} == {
        "groups-dqn-late-action_delta-0001.json",
        "groups-dqn-late-action_delta_weight_1-0001.json",
    }


def test_the_report_has_the_section(grouped: RunContext) -> None:
    page = grouped.paths.report("grouped").read_text()
    assert "Agents on a consumer group" in page
    assert "dqn:action=delta:weight=1" in page
    assert "Fronts over weights" in page
    assert "Late events against replicas" in page
