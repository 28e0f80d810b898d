"""Results of a run: its tables, small enough for memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import schemas
from pipeline.settings.settings import FIELDS
from schemas import metrics

T = TypeVar("T")

KEY = ("experiment", "delta", "algorithm")

Key = tuple[str, float | None, str]
"""Values of `KEY`; δ is None for recorded traces and in autoscaling."""


def keyed(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the columns of `KEY`: a strategy with its parameters stands for the algorithm."""
    if "strategy" not in rows:
        return rows
    if "setting" not in rows:
        return rows.assign(delta=np.nan, algorithm=rows["strategy"])
    setting = rows["setting"].astype(str)
    label = rows["strategy"].astype(str) + setting.where(setting == "", ":" + setting)
    return rows.assign(delta=np.nan, algorithm=label)


class TableState(NamedTuple):
    """The rows of a run in a Delta table."""

    name: str
    path: str
    """Location of the table, without passwords."""
    version: int
    """A version of the table that holds these rows."""
    rows: int
    """Number of the run's rows."""


@dataclass(frozen=True)
class Results:
    """Results of a run, the source of values for report, MLflow, terminal and regression gate."""

    tables: Mapping[str, pd.DataFrame]
    """The run's rows by table, as pandas frames, and what else `Family.results` names. Of table
    `streams`, ``n_partitions`` stands for the names of partitions; table `latency` has no
    histograms, `trajectories` are thinned out."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """The row of table `runs`: ``run_id``, ``preset``, ``created_at``, ``seed`` and, as JSON texts,
    ``config``, ``versions`` and ``stage_timings``."""
    states: Sequence[TableState] = ()
    """Versions of the tables that hold the rows; empty if unknown."""
    where: Mapping[str, object] = field(default_factory=dict)
    """Values of columns that rows are limited to; see `at`."""
    _made: dict[Callable[..., Any], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getitem__(self, table: str) -> pd.DataFrame:
        """Rows of a table; none if the run did not write it."""
        try:
            rows = self.tables[table]
        except KeyError:
            return pd.DataFrame(columns=[column.name for column in schemas.TABLES[table].columns])
        return limited(rows, self.where)

    def at(self, experiment: str, **values: object) -> Results:
        """The results of one experiment and of the given values of other columns; NaN is null."""
        return replace(self, where={"experiment": experiment, **values})

    def metric(self, name: str) -> dict[Key, NDArray[np.float64]]:
        """Values of a metric over streams, ascending, by experiment, δ and algorithm or strategy.

        A percentile that is null, since no sample is above 0, counts as 0.
        """
        item = metrics.metric(name)
        groups = keyed(self[item.table]).groupby(list(KEY), dropna=False, sort=False)[item.column]
        return {
            (experiment, None if np.isnan(delta) else delta, algorithm): np.sort(
                values.fillna(0.0).to_numpy(dtype=np.float64)
            )
            for (experiment, delta, algorithm), values in groups
        }

    def with_tables(self, **tables: pd.DataFrame) -> Self:
        """The same results with other rows in some tables."""
        return replace(self, tables={**self.tables, **tables})

    def once(self, make: Callable[[Results], T]) -> T:
        """What a function makes of these results, for all that ask: report, MLflow and terminal."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @property
    def run_id(self) -> str:
        """Identifier of the run."""
        return str(self.run["run_id"])

    @property
    def config(self) -> dict[str, Any]:
        """The run's configuration, as recorded."""
        return dict(_json(self.run.get("config"), {}))

    @property
    def experiments(self) -> dict[str, dict[str, Any]]:
        """Configuration of each experiment, by name, in the run's order."""
        config = self.config
        listed = [experiment for field in FIELDS.values() for experiment in config.get(field, [])]
        return {str(e["name"]): e for e in listed}

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the code and of the packages that made the run."""
        return {str(k): str(v) for k, v in _json(self.run.get("versions"), {}).items()}

    @property
    def stage_timings(self) -> list[dict[str, Any]]:
        """Finished stages with their durations in seconds, in the order of ending."""
        return list(_json(self.run.get("stage_timings"), []))


def _json(text: object, missing: Any) -> Any:
    """Parse a JSON column; a value that is already parsed is returned unchanged."""
    if text is None or text == "":
        return missing
    return json.loads(text) if isinstance(text, str) else text


def at(rows: pd.DataFrame, experiment: str, **values: object) -> pd.DataFrame:
    """Rows of one experiment and of the given values of other columns; NaN is null."""
    return limited(rows, {"experiment": experiment, **values})


def limited(rows: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Rows with the given values; a column that the table lacks limits nothing."""
    for column in where.keys() & set(rows.columns):
        value = where[column]
        rows = rows[rows[column].isna() if pd.isna(value) else rows[column] == value]
    return rows


def deltas(rows: pd.DataFrame, experiment: str) -> list[float]:
    """δ values of an experiment, ascending; NaN, last, stands for streams without one."""
    values = at(rows, experiment)["delta"].astype(float)
    return [float(v) for v in sorted(values.dropna().unique())] + (
        [float("nan")] if values.isna().any() else []
    )
