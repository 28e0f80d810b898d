"""One experiment on applications as report, terminal and MLflow show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from algorithms.core.seeds import derive_seed
from algorithms.inference.intervals import mean_interval
from pipeline.experiments.applications.results.crossing_points import Later, compared
from pipeline.inputs.applications import application_text
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import APPLICATIONS

Row = dict[str, Any]


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    means: list[Row]
    """A row per policy, in the order of the experiment: metrics by column, each with the ends of
    its 95 % interval over replicates as ``COLUMN_low`` and ``COLUMN_high``."""
    steps: pd.DataFrame
    functions: pd.DataFrame
    """`steps`, `functions`: `application_steps` and `function_steps` of the first replicate."""
    later: list[Later]
    """How much later seamless scaling responds than a restart; empty without backlogs."""

    @property
    def words(self) -> str:
        """What is simulated, for readers."""
        application = application_text.parse(self.setting["application"]).checked
        own = self.setting
        update = ", changes restart a function" if own["replace"] else ""
        if own.get("in_turn"):  # Runs from before this setting lack it.
            update += ", instances stop one after another"
        return (
            f"{numbers.listing(list(application.functions))}, "
            f"{numbers.duration(application.seconds)}, a decision every "
            f"{own['decision_s']:g}{numbers.SPACE}s, start-up {own['startup_s']:g}"
            f"{numbers.SPACE}s{update}; {own['replicates']} replicates"
        )

    @property
    def path(self) -> str:
        """The path that response times are of."""
        application = application_text.parse(self.setting["application"]).checked
        return " > ".join(application.paths[application.longest])

    def row(self, policy: str) -> Row | None:
        """The row of a policy, if the experiment has it."""
        return next((row for row in self.means if row["policy"] == policy), None)

    def within(self) -> Row | None:
        """Of the policies with a mean response within the bound, that with the fewest instances."""
        bound = float(self.setting["r_max"])
        kept = [row for row in self.means if row["mean"] <= bound]
        return min(kept, key=lambda row: row["mean_instances"], default=None)


def studies(results: Results) -> list[Study]:
    """All experiments with results, in the run's order."""
    return list(_studies(results))


def _studies(results: Results) -> Iterator[Study]:
    for name, setting in results.experiments.items():
        own = results.at(name)
        runs = own["application_runs"]
        if runs.empty:
            continue
        seed = derive_seed(int(results.run["seed"]), "application means", name)
        means = [_means(policy, runs, seed) for policy in setting["policies"]]
        steps = own["application_steps"].sort_values(["policy", "step"], kind="stable")
        later = compared(own["prefetch_crossings"], seed)
        yield Study(name, setting, means, steps, own["function_steps"], later)


def _means(policy: str, runs: pd.DataFrame, seed: int) -> Row:
    """Means over replicates, NaN where no event takes the path."""
    own = runs[runs["policy"] == policy].sort_values("replicate")
    row: Row = {"policy": policy, "replicates": len(own)}
    for metric in APPLICATIONS:
        values = own[metric.column].dropna().to_numpy(dtype=float)
        ends = mean_interval(values, seed=seed) if len(values) else (math.nan,) * 3
        row |= dict(zip(_names(metric.column), ends, strict=True))
    return row


def _names(column: str) -> tuple[str, str, str]:
    return column, f"{column}_low", f"{column}_high"
