"""MLflow content of a run as a whole, for every family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.base import paths
from pipeline.reporting.regression import outcome
from pipeline.reporting.tracking.content import (
    CHILD,
    DESCRIPTION,
    PARENT,
    PARENT_ID,
    Content,
    RunInfo,
    Step,
    identity,
)

_FOREIGN = re.compile(r"[^A-Za-z0-9_. /-]")

MOST_LETTERS = 4_000
"""Letters of notes in a tag; MLflow refuses more than 8,000."""

COUNTED = ("moved", "changed", "same")


def parent(
    info: RunInfo,
    differences: pd.DataFrame | None,
    words: str,
    tags: Mapping[str, str],
    metrics: Mapping[str, float],
) -> Content:
    """The parent run: how it was made, how long it took, and what the family says of it.

    differences: Its rows of table `differences`; None for a family without baselines.
    tags, metrics: Those of the family.
    """
    verdict, counted = _compared(info.run_id, differences)
    return Content(
        paths.run_title(info.run_id),
        _params(info),
        {
            **identity(info, PARENT),
            DESCRIPTION: f"Run {info.run_id}, preset {info.preset}. {words}",
            **{f"version.{package}": version for package, version in info.versions.items()},
            **tags,
            **_recordings(info),
            **{f"table_version.{table.name}": str(table.version) for table in info.tables},
            **verdict,
        },
        {**metrics, **counted, **seconds(info.stage_timings)},
        tables=info.tables,
    )


def child(
    info: RunInfo,
    parent_id: str,
    name: str,
    keys: Mapping[str, str],
    params: Mapping[str, str],
    metrics: Mapping[str, float],
    curves: Sequence[Step] = (),
) -> Content:
    """A child run: part of a run, which is found by its keys.

    keys: What it is of, as parameters and as tags.
    """
    # Children of two runs share names; these parameters distinguish them in comparisons.
    of_run = {"run": info.run_id, "seed": str(info.seed), "code": info.code}
    tags = {**identity(info, CHILD), PARENT_ID: parent_id, **keys}
    return Content(name, {**keys, **params, **of_run}, tags, metrics, curves)


def _recordings(info: RunInfo) -> dict[str, str]:
    """Clock, unit and notes of each recorded trace."""
    facts: dict[str, str] = {}
    for trace in info.recordings:
        details = {name: trace.get(name) for name in ("started_at", "unit")}
        details["notes"] = " ".join(trace.get("notes", ()))[:MOST_LETTERS]
        facts |= {f"{trace['stream_id']}.{name}": str(v) for name, v in details.items() if v}
    return facts


def _compared(
    run_id: str, differences: pd.DataFrame | None
) -> tuple[dict[str, str], dict[str, float]]:
    """Tags and metrics of the comparison with the baseline."""
    if differences is None:
        return {}, {}
    comparison = outcome.of_frame(run_id, differences)
    other = {} if comparison.baseline_run_id is None else {"baseline": comparison.baseline_run_id}
    counted = {f"differences.{name}": float(comparison.counts.get(name, 0)) for name in COUNTED}
    return {"regression": comparison.regression, **other}, counted


def spelt(words: str) -> str:
    """Words in the characters that MLflow allows in names of metrics."""
    return _FOREIGN.sub("-", words)


def _params(info: RunInfo) -> dict[str, str]:
    params = {"preset": info.preset, "seed": str(info.seed)}
    for name, setting in info.experiments.items():
        params |= {f"{name}.{k}": text(v) for k, v in setting.items() if k != "name"}
    return params | {f"rows.{table.name}": str(table.rows) for table in info.tables}


def seconds(timings: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Time by stage, all its units together, and in total."""
    totals: dict[str, float] = {}
    for entry in timings:
        key = f"seconds.{entry['stage']}"
        totals[key] = totals.get(key, 0.0) + float(entry["seconds"])
    return totals | {"seconds.total": sum(totals.values())}


def text(value: object) -> str:
    """A setting as a parameter of MLflow."""
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value)
