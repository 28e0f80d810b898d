"""Where the runs of experiments on Pulsar keep its data, evidence and logs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.warehouse.runs.context import RunContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class PulsarFolders:
    """Folders of a run."""

    state: Path
    version: str
    """Of configuration and code."""

    def of_experiment(self, experiment: str) -> Path:
        """All that belongs to an experiment."""
        return self.state / experiment

    def of_pulsar(self, experiment: str, executor: str) -> Path:
        """Data and logs of the Pulsar of an executor."""
        return self.of_experiment(experiment) / f"pulsar-{executor}"

    def of_application(self, experiment: str, executor: str, policy: str, replicate: int) -> Path:
        """Evidence of one run of the application."""
        name = f"{executor}-{quote(policy, safe=':=')}-{replicate}"
        return self.of_experiment(experiment) / name


def of_stage(spark: SparkSession, ctx: RunContext) -> PulsarFolders:
    """Folders of the run that a stage works on."""
    return PulsarFolders(ctx.paths.live(ctx.run_id), ctx.version)
