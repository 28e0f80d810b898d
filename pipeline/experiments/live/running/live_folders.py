"""Where the runs of live experiments keep brokers, evidence, logs and samples."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.warehouse.runs.context import RunContext


def of_experiment(ctx: RunContext, experiment: str) -> Path:
    """Folder of all runs of an experiment, in the run's state folder."""
    return ctx.paths.state(ctx.run_id) / "live" / experiment


def of_strategy(ctx: RunContext, experiment: str, stream_id: str, strategy: str) -> Path:
    """Folder of one strategy on one stream."""
    return of_experiment(ctx, experiment) / stream_id / _file_name(strategy)


def samples_of(ctx: RunContext, experiment: str) -> Path:
    """Folder of the samples of an experiment, beside the report."""
    return ctx.paths.samples(ctx.run_id) / experiment


def sample_file(ctx: RunContext, experiment: str, stream_id: str, strategy: str) -> Path:
    """Samples of one strategy on one stream."""
    return samples_of(ctx, experiment) / stream_id / f"{_file_name(strategy)}.parquet"


def _file_name(strategy: str) -> str:
    # A strategy can have the path of a policy.
    return quote(strategy, safe=":=+")


def read(ctx: RunContext, experiment: str, stream_id: str, strategy: str) -> RunFolder:
    """What one strategy on one stream has left behind.

    Raises
    ------
    StageError
        If the folder is missing or damaged.
    """
    folder = of_strategy(ctx, experiment, stream_id, strategy)
    if not folder.is_dir():
        raise StageError(f"{folder}: no evidence; run the stage measure_groups again")
    return run_folder.read(folder)
