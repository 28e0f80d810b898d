"""Content of the MLflow parent and child runs of a run, ready to be logged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.warehouse.runs.context import code_of
from pipeline.warehouse.runs.run_results import Results, TableState

RUN_ID = "groupscale.run_id"
WAREHOUSE = "groupscale.warehouse"
ROLE = "groupscale.role"
PARENT, CHILD = "parent", "child"

PARENT_ID = "mlflow.parentRunId"
"""Tag by which MLflow's UI nests runs."""

DIGEST = "groupscale.digest"
"""Tag of a registered model's version: the SHA-256 of its weights."""

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow's UI shows as the description."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}")


class Step(NamedTuple):
    """A point of a curve."""

    key: str
    iteration: int
    value: float


@dataclass(frozen=True)
class RunInfo:
    """Tracked data of a run as a whole."""

    run_id: str
    preset: str
    seed: int
    started_ms: int
    """When the run began, milliseconds since 1970 UTC."""
    experiments: Mapping[str, Mapping[str, Any]]
    """Configuration of each experiment, by name."""
    versions: Mapping[str, str]
    stage_timings: Sequence[Mapping[str, Any]]
    tables: Sequence[TableState] = ()
    warehouse: str = ""
    """Identity of the run's warehouse, since run ids are unique only within one."""
    recordings: Sequence[Mapping[str, Any]] = ()
    """Its recorded traces, as in the configuration."""

    @property
    def code(self) -> str:
        """Version of the code that made the run."""
        return code_of(self.versions)

    @classmethod
    def of(cls, results: Results, warehouse: str = "") -> RunInfo:
        """Make it from the run's row of table `runs`."""
        return cls(
            run_id=results.run_id,
            preset=str(results.run.get("preset") or "custom"),
            seed=int(results.run["seed"]),
            started_ms=milliseconds(results.run["created_at"]),
            experiments=results.experiments,
            versions=results.versions,
            stage_timings=results.stage_timings,
            tables=results.states,
            warehouse=warehouse,
            recordings=results.config.get("traces", ()),
        )


@dataclass(frozen=True)
class Content:
    """Content of one MLflow run."""

    name: str
    params: Mapping[str, str]
    tags: Mapping[str, str]
    metrics: Mapping[str, float]
    curves: Sequence[Step] = ()
    """Metrics with a value for each of some iterations."""
    tables: Sequence[TableState] = ()
    """Tables that are its dataset inputs."""


class TrainedModel(NamedTuple):
    """A trained policy for MLflow's registry."""

    name: str
    description: str
    child: str
    """Name of the child run with its scores."""
    file: Path
    digest: str
    tags: Mapping[str, str]
    version: str
    """Description of this run's version."""


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC; a time without zone is UTC, as in the tables."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1000)


@dataclass(frozen=True)
class TrackedRun:
    """A run of the pipeline as MLflow runs."""

    info: RunInfo
    parent: Content
    """The run as a whole."""
    children: Callable[[str], Iterator[Content]]
    """Returns the child runs, given MLflow's id of the parent."""


def identity(info: RunInfo, role: str) -> dict[str, str]:
    """Tags of every MLflow run of a pipeline run; MLflow's UI shows the source."""
    commit = info.code.removesuffix("+changes")
    revision = {"mlflow.source.git.commit": commit} if _COMMIT.fullmatch(commit) else {}
    source = {"mlflow.source.name": "groupscale", "mlflow.source.type": "JOB", **revision}
    return {RUN_ID: info.run_id, WAREHOUSE: info.warehouse, ROLE: role, **source}
