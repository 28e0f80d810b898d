"""What MLflow is told of a run: parameters, tags and metrics, made from the run's tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipeline.assignment.paper import reproduction
from pipeline.assignment.tracking.algorithm_metrics import Cell, Step, overview
from pipeline.assignment.tracking.front_metrics import frontier
from pipeline.regression import outcome
from pipeline.report import numbers
from pipeline.runs.run_results import ReportFrames, TableState

RUN_ID = "groupscale.run_id"
WAREHOUSE = "groupscale.warehouse"
ROLE = "groupscale.role"
PARENT, CHILD = "parent", "child"

PARENT_ID = "mlflow.parentRunId"
"""Tag by which MLflow's pages nest runs."""

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow's pages show as description."""

SIZES = ("partitions", "iterations", "capacity")
COUNTED = ("moved", "changed", "same")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True)
class RunInfo:
    """What is tracked of a run as a whole.

    Attributes
    ----------
    started_ms
        When the run began, milliseconds since 1970 UTC.
    experiments
        Configuration of each experiment, by name.
    warehouse
        What tells the run's warehouse from others in which runs may have the same id.
    """

    run_id: str
    preset: str
    seed: int
    started_ms: int
    experiments: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]
    stage_timings: Sequence[Mapping[str, Any]]
    tables: Sequence[TableState] = ()
    warehouse: str = ""

    @property
    def code(self) -> str:
        """Version of the code that made the run."""
        return self.versions.get("code", "unknown")

    @classmethod
    def of(cls, frames: ReportFrames, warehouse: str = "") -> RunInfo:
        """Take it from the run's row of table `runs`."""
        return cls(
            run_id=frames.run_id,
            preset=str(frames.run.get("preset") or "custom"),
            seed=int(frames.run["seed"]),
            started_ms=milliseconds(frames.run["created_at"]),
            experiments=frames.experiments,
            versions=frames.versions,
            stage_timings=frames.stage_timings,
            tables=frames.tables,
            warehouse=warehouse,
        )


@dataclass(frozen=True)
class Content:
    """What one MLflow run is told.

    Attributes
    ----------
    curves
        Metrics with a value for each of some iterations.
    tables
        Tables that are its dataset inputs.
    """

    name: str
    params: Mapping[str, str]
    tags: Mapping[str, str]
    metrics: Mapping[str, float]
    curves: Sequence[Step] = ()
    tables: Sequence[TableState] = ()


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC; a time without zone is UTC, as in the tables."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1000)


def parent(info: RunInfo, frames: ReportFrames, found_cells: Sequence[Cell]) -> Content:
    """The run as a whole: how it was made, how long it took, the verdicts and all scores."""
    found = reproduction.all_verdicts(frames)
    counts = reproduction.tally(found)
    told = numbers.listing([f"{n} {kind}" for kind, n in counts.items() if n])
    tags = {
        RUN_ID: info.run_id,
        WAREHOUSE: info.warehouse,
        ROLE: PARENT,
        DESCRIPTION: f"Run {info.run_id}, preset {info.preset}. Published figures: {told}.",
        **{f"version.{package}": version for package, version in info.versions.items()},
        **{f"verdict.{one.key}": one.verdict for one in found},
        **{f"table_version.{table.name}": str(table.version) for table in info.tables},
        **_source(info),
    }
    compared = outcome.of_frame(info.run_id, frames.differences)
    tags |= {"regression": compared.regression}
    if compared.baseline_run_id is not None:
        tags |= {"baseline": compared.baseline_run_id}
    metrics = {f"verdicts.{kind.replace(' ', '_')}": float(n) for kind, n in counts.items()}
    metrics |= {f"reproduction.{one.key}": one.ours_value for one in found}
    metrics |= {f"differences.{name}": float(compared.counts.get(name, 0)) for name in COUNTED}
    metrics |= _seconds(info.stage_timings) | overview(found_cells) | frontier(frames)
    params = {"preset": info.preset, "seed": str(info.seed)}
    for name, setting in info.experiments.items():
        params |= {f"{name}.{k}": _text(v) for k, v in setting.items() if k != "name"}
    params |= {f"rows.{table.name}": str(table.rows) for table in info.tables}
    return Content(info.run_id, params, tags, metrics, tables=info.tables)


def _seconds(timings: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Time by stage, all its units together, and in total."""
    totals: dict[str, float] = {}
    for entry in timings:
        key = f"seconds.{entry['stage']}"
        totals[key] = totals.get(key, 0.0) + float(entry["seconds"])
    return totals | {"seconds.total": sum(totals.values())}


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value)


def children(info: RunInfo, found: Sequence[Cell], parent_id: str) -> Iterator[Content]:
    """One per experiment, δ and algorithm, in the order of display."""
    for cell in found:
        setting = info.experiments.get(cell.experiment, {})
        names = {"experiment": cell.experiment, "algorithm": cell.algorithm, "delta": cell.delta}
        params = names | {"replicates": str(cell.row["replicates"])}
        params |= {key: _text(setting[key]) for key in SIZES if key in setting}
        # Two nights have children of the same names: these tell them apart where compared.
        params |= {"run": info.run_id, "seed": str(info.seed), "code": info.code}
        run = {RUN_ID: info.run_id, WAREHOUSE: info.warehouse}
        tags = {PARENT_ID: parent_id, **run, ROLE: CHILD, **names, **_source(info)}
        name = f"{cell.where} {cell.algorithm}"
        yield Content(name, params, tags, cell.metrics, curves=cell.curves)


def _source(info: RunInfo) -> dict[str, str]:
    """Tags from which MLflow's pages fill their column of sources."""
    commit = info.code.removesuffix("+changes")
    known = {"mlflow.source.git.commit": commit} if _COMMIT.fullmatch(commit) else {}
    return {"mlflow.source.name": "groupscale", "mlflow.source.type": "JOB", **known}
