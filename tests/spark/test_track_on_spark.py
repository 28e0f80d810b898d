"""``groupscale track`` as pages give it, and the rows to which a run in MLflow then leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.engine import late_tracking, steps
from pipeline.warehouse.runs.context import RunContext
from tests import guides
from tests.documentation.shell import RUNNABLE, each
from tests.pipeline.cli.command import call

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@each(RUNNABLE, "track")
def test_a_complete_run_is_logged_and_published_if_asked(
    words: list[str], spark: SparkSession, copied: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlflow

    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(copied.paths.warehouse))
    steps.conclude(copied, "MLflow was away")
    if "--publish" not in words:
        # The other command makes the same checks.
        monkeypatch.setattr(late_tracking, "_check", lambda ctx, shown: None)
    result = call(*(word.replace("RUN_ID", copied.run_id) for word in words[1:]))
    assert result.exit_code == 0, result.output
    is_published = f"Run {copied.run_id} is published in" in result.stdout
    assert is_published == ("--publish" in words)

    tag = f"tags.`groupscale.run_id` = '{copied.run_id}' AND params.seed != ''"
    (parent,) = mlflow.search_runs(
        experiment_names=["groupscale/smoke"],
        filter_string=f"{tag} AND tags.`mlflow.runName` = '{copied.run_id}'",
        output_format="list",
    )
    names: dict[str, Any] = {"mlflow": mlflow, "mlflow_run_id": parent.info.run_id}
    exec(compile(guides.block("docs/mlflow.md", "parent = "), "docs/mlflow.md", "exec"), names)
    stored = spark.read.format("delta").load(copied.paths.table("scores"))
    assert names["rows"].count() == stored.count() > 0
