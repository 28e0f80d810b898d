"""Where the runs of live experiments keep brokers, evidence, logs and samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.warehouse.runs.context import RunContext

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class LiveFolders:
    """Folders of a run."""

    run_id: str
    version: str
    """Of configuration and code."""
    state: Path
    """Evidence of all experiments, in the run's state folder."""
    samples: Path
    """Samples of all experiments, beside the report."""

    def of_experiment(self, experiment: str) -> Path:
        """Evidence of all strategies of an experiment."""
        return self.state / experiment

    def of_strategy(self, experiment: str, stream_id: str, strategy: str) -> Path:
        """Evidence of one strategy on one stream."""
        return self.of_experiment(experiment) / stream_id / _file_name(strategy)

    def samples_of(self, experiment: str) -> Path:
        """Samples of an experiment."""
        return self.samples / experiment

    def sample_file(self, experiment: str, stream_id: str, strategy: str) -> Path:
        """Samples of one strategy on one stream."""
        return self.samples_of(experiment) / stream_id / f"{_file_name(strategy)}.parquet"

    def read(self, experiment: str, stream_id: str, strategy: str) -> RunFolder:
        """What a strategy on a stream has left. Raises StageError if it is missing or damaged."""
        folder = self.of_strategy(experiment, stream_id, strategy)
        if not folder.is_dir():
            raise StageError(f"{folder}: no evidence; run the stage measure_groups again")
        return run_folder.read(folder)


def of_run(ctx: RunContext) -> LiveFolders:
    """Folders of a run."""
    paths, run_id = ctx.paths, ctx.run_id
    return LiveFolders(run_id, ctx.version, paths.live(run_id), paths.samples(run_id))


def of_stage(spark: SparkSession, ctx: RunContext) -> LiveFolders:
    """Folders of the run that a stage works on."""
    return of_run(ctx)


def _file_name(strategy: str) -> str:
    # A strategy can have the path of a policy.
    return quote(strategy, safe=":=+")
