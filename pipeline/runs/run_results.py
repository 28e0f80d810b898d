"""The small tables that a report and the tracking of one run are made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd


class TableState(NamedTuple):
    """The rows of a run in a Delta table.

    Attributes
    ----------
    path
        Where the table is, without passwords.
    version
        A version of the table that holds these rows.
    rows
        Number of the run's rows.
    """

    name: str
    path: str
    version: int
    rows: int


class ReportFrames(NamedTuple):
    """One run's rows, small enough for memory, as pandas frames.

    Attributes
    ----------
    run
        The row of table `runs`: ``run_id``, ``preset``, ``created_at``, ``seed`` and, as JSON
        texts, ``config``, ``versions`` and ``stage_timings``. Also ``tables``, where known: a
        list of `TableState`.
    streams
        Table `streams`, with the number of partitions in ``n_partitions`` in place of their
        names.
    scores
        Table `scores`: one row per stream and algorithm.
    latency
        Table `latency` without its histograms: one row per stream and algorithm.
    histograms
        Their sums over streams: one row per experiment, δ and algorithm; ``histogram`` holds
        counts per bin of `algorithms.scores.latency_model.HISTOGRAM_EDGES`.
    pareto
        Table `pareto`: one row per experiment, δ and algorithm.
    validations
        Table `validations`: one row per expectation.
    series
        Consumers in use over time: ``experiment``, ``delta``, ``algorithm``, ``iteration``,
        and over the streams of that group the mean ``n_consumers``, the least
        ``n_consumers_min`` and the greatest ``n_consumers_max``, and the mean ``rscore``. Rows
        of Kafka's static assignments may be left out, theirs is constant; of long streams some
        iterations are left out.
    differences
        Table `differences`: one row per experiment, δ, algorithm and metric; None, or no rows,
        where there is no baseline.
    bounds
        Table `bounds`: one row per stream, sampled iteration, kind and algorithm; None, or no
        rows, where no iteration is compared.
    rankings, indicators, dominance
        Tables of these names; None, or no rows, where a run has no such results.
    """

    run: Mapping[str, Any]
    streams: pd.DataFrame
    scores: pd.DataFrame
    latency: pd.DataFrame
    histograms: pd.DataFrame
    pareto: pd.DataFrame
    validations: pd.DataFrame
    series: pd.DataFrame
    differences: pd.DataFrame | None = None
    bounds: pd.DataFrame | None = None
    rankings: pd.DataFrame | None = None
    indicators: pd.DataFrame | None = None
    dominance: pd.DataFrame | None = None

    @property
    def run_id(self) -> str:
        """Identifier of the run."""
        return str(self.run["run_id"])

    @property
    def config(self) -> dict[str, Any]:
        """The run's configuration, as it was recorded."""
        return dict(_json(self.run.get("config"), {}))

    @property
    def experiments(self) -> dict[str, dict[str, Any]]:
        """Configuration of each experiment, by name, in the run's order."""
        return {str(e["name"]): e for e in self.config.get("experiments", [])}

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the code and of the packages that made the run."""
        return {str(k): str(v) for k, v in _json(self.run.get("versions"), {}).items()}

    @property
    def stage_timings(self) -> list[dict[str, Any]]:
        """Finished stages with their durations in seconds, in the order of ending."""
        return list(_json(self.run.get("stage_timings"), []))

    @property
    def tables(self) -> list[TableState]:
        """Tables that hold the run's rows; empty if not looked up."""
        return list(self.run.get("tables") or [])


def _json(text: object, missing: Any) -> Any:
    """Parse a JSON column; a value that is parsed already is passed through."""
    if text is None or text == "":
        return missing
    return json.loads(text) if isinstance(text, str) else text


def at(frame: pd.DataFrame, experiment: str, delta: float | None = None) -> pd.DataFrame:
    """Rows of one experiment and, unless None, of one δ; NaN asks for rows without δ."""
    rows = frame[frame["experiment"] == experiment]
    if delta is None:
        return rows
    return rows[rows["delta"].isna()] if pd.isna(delta) else rows[rows["delta"] == delta]


def deltas(frame: pd.DataFrame, experiment: str) -> list[float]:
    """δ values of an experiment, ascending; NaN, last, stands for streams without one."""
    values = at(frame, experiment)["delta"].astype(float)
    return [float(v) for v in sorted(values.dropna().unique())] + (
        [float("nan")] if values.isna().any() else []
    )
