"""What MLflow is told of a run: parameters, tags and metrics, made from the run's tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from algorithms import registry
from pipeline.regression import outcome
from pipeline.report import numbers, reproduction, select
from pipeline.report.frames import ReportFrames, at, deltas

RUN_ID = "groupscale.run_id"
ROLE = "groupscale.role"
PARENT, CHILD = "parent", "child"

PARENT_ID = "mlflow.parentRunId"
"""Tag by which MLflow's pages nest runs."""

DESCRIPTION = "mlflow.note.content"
"""Tag that MLflow's pages show as description."""

SIZES = ("partitions", "iterations", "capacity")
TIMES = ("p50", "p90", "p99", "max")
COUNTED = ("moved", "changed", "same")


@dataclass(frozen=True)
class RunInfo:
    """What is tracked of a run as a whole.

    Attributes
    ----------
    started_ms
        When the run began, milliseconds since 1970 UTC.
    experiments
        Configuration of each experiment, by name.
    """

    run_id: str
    preset: str
    seed: int
    started_ms: int
    experiments: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]
    stage_timings: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, frames: ReportFrames) -> RunInfo:
        """Take it from the run's row of table `runs`."""
        return cls(
            run_id=frames.run_id,
            preset=str(frames.run.get("preset") or "custom"),
            seed=int(frames.run["seed"]),
            started_ms=milliseconds(frames.run["created_at"]),
            experiments=frames.experiments,
            versions=frames.versions,
            stage_timings=frames.stage_timings,
        )


@dataclass(frozen=True)
class Content:
    """Parameters, tags and metrics of one MLflow run."""

    name: str
    params: Mapping[str, str]
    tags: Mapping[str, str]
    metrics: Mapping[str, float]


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC; a time without zone is UTC, as in the tables."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1000)


def parent(info: RunInfo, frames: ReportFrames) -> Content:
    """The run as a whole: how it was made, how long it took, and the verdicts."""
    found = reproduction.all_verdicts(frames)
    counts = reproduction.tally(found)
    told = numbers.listing([f"{n} {kind}" for kind, n in counts.items() if n])
    tags = {
        RUN_ID: info.run_id,
        ROLE: PARENT,
        DESCRIPTION: f"Run {info.run_id}, preset {info.preset}. Published figures: {told}.",
        **{f"version.{package}": version for package, version in info.versions.items()},
        **{f"verdict.{one.key}": one.verdict for one in found},
    }
    compared = outcome.of_frame(info.run_id, frames.differences)
    tags |= {"regression": compared.regression}
    if compared.baseline_run_id is not None:
        tags |= {"baseline": compared.baseline_run_id}
    metrics = {f"verdicts.{kind.replace(' ', '_')}": float(n) for kind, n in counts.items()}
    metrics |= {f"reproduction.{one.key}": one.ours_value for one in found}
    metrics |= {f"differences.{name}": float(compared.counts.get(name, 0)) for name in COUNTED}
    metrics |= _seconds(info.stage_timings)
    params = {"preset": info.preset, "seed": str(info.seed)}
    for name, setting in info.experiments.items():
        params |= {f"{name}.{k}": _text(v) for k, v in setting.items() if k != "name"}
    return Content(info.run_id, params, tags, metrics)


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


def children(info: RunInfo, frames: ReportFrames, parent_id: str) -> Iterator[Content]:
    """One per experiment, δ and algorithm, in the order of display."""
    for experiment in dict.fromkeys(frames.pareto["experiment"]):
        for delta in deltas(frames.pareto, experiment):
            scores = at(frames.pareto, experiment, delta)
            moved = at(frames.scores, experiment, delta).groupby("algorithm")["mean_migrations"]
            migrations = {str(name): float(value) for name, value in moved.mean().items()}
            waits = _latencies(frames, experiment, delta)
            rows = scores.to_dict("records")
            for row in sorted(rows, key=lambda row: registry.sort_key(str(row["algorithm"]))):
                name = str(row["algorithm"])
                metrics = _scores(row) | {"mean_migrations": migrations[name]} | waits.get(name, {})
                yield _child(info, row, metrics, parent_id)


def _child(
    info: RunInfo, row: Mapping[str, Any], metrics: Mapping[str, float], parent_id: str
) -> Content:
    experiment, algorithm, delta = str(row["experiment"]), str(row["algorithm"]), row["delta"]
    at_delta = "" if pd.isna(delta) else f" d={delta:g}"
    setting = info.experiments.get(experiment, {})
    params = {"experiment": experiment, "algorithm": algorithm, "delta": numbers.delta(delta)}
    params["replicates"] = str(row["replicates"])
    params |= {key: _text(setting[key]) for key in SIZES if key in setting}
    tags = {
        PARENT_ID: parent_id,
        RUN_ID: info.run_id,
        ROLE: CHILD,
        "experiment": experiment,
        "algorithm": algorithm,
        "delta": numbers.delta(delta),
    }
    return Content(f"{experiment}{at_delta} {algorithm}", params, tags, metrics)


def _scores(row: Mapping[str, Any]) -> dict[str, float]:
    """Scores of a row of `pareto`, whether on the front as 0 or 1."""
    columns = ["mean_consumers", "cbs", "mean_rscore"]
    columns += [f"{name}_{end}" for name in ("cbs", "mean_rscore") for end in ("low", "high")]
    flags = {name: float(bool(row[name])) for name in ("on_front", "on_reference_front")}
    return {name: _number(row[name]) for name in columns} | flags


def _latencies(frames: ReportFrames, experiment: str, delta: float) -> dict[str, dict[str, float]]:
    """Latency metrics by algorithm: times in seconds, medians over streams."""
    rows = at(frames.latency, experiment, delta)
    if rows.empty:
        return {}
    return {
        str(row["algorithm"]): {
            "latency_share_above_zero": float(row["share"]),
            "latency_samples": float(row["n_samples"]),
            **{f"latency_{name}_s": float(row[name]) for name in TIMES},
        }
        for row in select.summarise(rows).to_dict("records")
    }


def _number(value: Any) -> float:
    return math.nan if value is None or pd.isna(value) else float(value)
