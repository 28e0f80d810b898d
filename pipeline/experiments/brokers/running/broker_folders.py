"""Where runs with brokers that join and leave keep the cluster, evidence and logs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.warehouse.runs.context import RunContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class BrokerFolders:
    """Folders of a run."""

    state: Path

    def of_experiment(self, experiment: str) -> Path:
        """All that belongs to an experiment."""
        return self.state / experiment


def of_stage(spark: SparkSession, ctx: RunContext) -> BrokerFolders:
    """Folders of the run that a stage works on."""
    return BrokerFolders(ctx.paths.live(ctx.run_id))
