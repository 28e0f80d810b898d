"""A small run of the family `learning`: trained, evaluated, judged, tracked, and the same again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import mlflow
import numpy as np
import pandas as pd
import pytest

from pipeline.engine import local, steps
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content, policy_weights
from pipeline.reporting.tracking import client
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import reader
from tests.spark.rows import rows
from tests.spark.stages_alone import computed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SMALL = ["seeds=2", "episodes=2", "steps=12", "held_out=8", "hidden=8,8", "variants=base,gamma=0.9"]
TABLES = ("trainings", "policies", "evaluations", "learning_scores", "learning_verdicts")


@pytest.fixture(scope="module")
def config() -> RunConfig:
    """One agent and reward, two variants."""
    return resolve("learning-smoke", None, SMALL, [])


@pytest.fixture(scope="module")
def learned(spark: SparkSession, config: RunConfig, warehouse: Path) -> RunContext:
    """A published run; tests only read it."""
    return local.run_all(config, warehouse, "learned")


def test_every_seed_has_its_episodes_policy_and_evaluation(learned: RunContext) -> None:
    tables = {table: rows(learned, table) for table in TABLES}
    assert len(tables["trainings"]) == 2 * 2 * 2
    assert len(tables["policies"]) == 2 * 2
    evaluations = tables["evaluations"]
    by_policy = evaluations.groupby("policy")["seed"].apply(list)
    assert sorted(by_policy["dqn"]) == sorted(by_policy["q_table"]) == [1, 1, 2, 2]
    # Rules once per variant: 9 fixed numbers, 4 others; tabular learning once per seed.
    assert len(evaluations) == 2 * (2 + 9 + 4 + 2)
    assert (evaluations["score"] <= 1.2).all()
    assert len(tables["learning_scores"]) == 2
    # Two claims hold by construction of the simulation, whatever is trained.
    assert set(tables["learning_verdicts"]["verdict"]) == {"open", "by construction"}


@pytest.mark.long
def test_the_same_configuration_gives_the_same_weights(
    learned: RunContext, config: RunConfig
) -> None:
    again = computed(config, learned.paths.warehouse, "again")
    steps.conclude(again, "stopped by a test")
    for table in TABLES:
        pd.testing.assert_frame_equal(rows(learned, table), rows(again, table))


def test_policies_of_seed_1_are_files_beside_the_report(learned: RunContext) -> None:
    (file,) = (learned.paths.report("learned").parent / "policies").iterdir()
    policy = policy_files.read(file)
    assert policy.settings.agent.hidden == (8, 8)
    (row,) = _of_seed_1(learned)
    assert file.read_text() == policy_content.text_of(row)


def _of_seed_1(learned: RunContext) -> list[dict[str, Any]]:
    every = policy_files.stored(reader.of(learned.paths), "learned", seeds=1)
    return [row for row in every if row["variant"] == "base"]


def test_mlflow_has_curves_by_episode_and_the_policy(learned: RunContext, tmp_path: Path) -> None:
    uri = learned.tracking_uri
    parent = client.find("learned", tracking_uri=uri)
    assert parent is not None
    store = mlflow.MlflowClient(uri)
    listed = store.list_artifacts(parent, "policies")
    assert [file.path for file in listed] == ["policies/smoke-dqn-weighted-base-0001.json"]
    loaded = policy_files.read(
        Path(store.download_artifacts(parent, listed[0].path, str(tmp_path)))
    )
    (row,) = _of_seed_1(learned)
    stored = policy_weights.unpacked(row["layers"], row["weights"], row["digest"])
    for array, expected in zip(loaded.weights, stored, strict=True):
        np.testing.assert_array_equal(array, expected)
    children = store.search_runs(
        [store.get_run(parent).info.experiment_id], "tags.variant = 'base'"
    )
    (child,) = children
    curve = store.get_metric_history(child.info.run_id, "total_reward.median")
    assert sorted(point.step for point in curve) == [1, 2]
