"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pipeline.assignment.paper import reproduction
from pipeline.assignment.tracking.algorithm_metrics import Cell, cells, overview
from pipeline.assignment.tracking.front_metrics import frontier
from pipeline.regression import outcome
from pipeline.report import numbers
from pipeline.runs.run_results import Results
from pipeline.tracking.content import (
    CHILD,
    DESCRIPTION,
    PARENT,
    PARENT_ID,
    Content,
    RunInfo,
    TrackedRun,
    identity,
)

SIZES = ("partitions", "iterations", "capacity")
COUNTED = ("moved", "changed", "same")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment, δ and algorithm.

    Parameters
    ----------
    warehouse
        Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    found = cells(results)
    return TrackedRun(info, _parent(info, results, found), partial(_children, info, found))


def _parent(info: RunInfo, results: Results, found_cells: Sequence[Cell]) -> Content:
    """The run as a whole: how it was made, how long it took, the verdicts and all scores."""
    found = reproduction.all_verdicts(results)
    counts = reproduction.tally(found)
    verdict_counts = numbers.listing([f"{n} {kind}" for kind, n in counts.items() if n])
    tags = {
        **identity(info, PARENT),
        DESCRIPTION: f"Run {info.run_id}, preset {info.preset}. "
        f"Published figures: {verdict_counts}.",
        **{f"version.{package}": version for package, version in info.versions.items()},
        **{f"verdict.{one.key}": one.verdict for one in found},
        **{f"table_version.{table.name}": str(table.version) for table in info.tables},
    }
    compared = outcome.of_frame(info.run_id, results["differences"])
    tags |= {"regression": compared.regression}
    if compared.baseline_run_id is not None:
        tags |= {"baseline": compared.baseline_run_id}
    metrics = {f"verdicts.{kind.replace(' ', '_')}": float(n) for kind, n in counts.items()}
    metrics |= {f"reproduction.{one.key}": one.ours_value for one in found}
    metrics |= {f"differences.{name}": float(compared.counts.get(name, 0)) for name in COUNTED}
    metrics |= _seconds(info.stage_timings) | overview(found_cells) | frontier(results)
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


def _children(info: RunInfo, found: Sequence[Cell], parent_id: str) -> Iterator[Content]:
    """One per experiment, δ and algorithm, in the order of display."""
    for cell in found:
        setting = info.experiments.get(cell.experiment, {})
        names = {"experiment": cell.experiment, "algorithm": cell.algorithm, "delta": cell.delta}
        params = names | {"replicates": str(cell.row["replicates"])}
        params |= {key: _text(setting[key]) for key in SIZES if key in setting}
        # Children of two nights share names; these parameters distinguish them in comparisons.
        params |= {"run": info.run_id, "seed": str(info.seed), "code": info.code}
        tags = {**identity(info, CHILD), PARENT_ID: parent_id, **names}
        name = f"{cell.where} {cell.algorithm}"
        yield Content(name, params, tags, cell.metrics, curves=cell.curves)
