"""How far algorithms are from proved bounds."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    Values,
)
from pipeline.warehouse.runs.run_results import Results, at, deltas

TITLE = "Distance to the proved bounds"
NOTE = (
    "For sampled iterations of each stream, bounds give the minimum number of consumers of any "
    "assignment, and the minimum data an algorithm had to move, given its previous assignment and "
    "the number of consumers it uses. Means over streams; two numbers are the ends of an interval "
    "whose optimum is not proved."
)
PROVED = "optimum proved"
CLOSEST = "closest algorithm to the minimum number of consumers, % above"


def bounds(results: Results) -> list[Experiment]:
    """A table with a row per δ for each experiment that is compared with bounds."""
    rows = results["bounds"]
    return [
        Experiment(
            name, studies.describe(results, name), [Section(TITLE, tables=[_table(results, name)])]
        )
        for name in dict.fromkeys(results["pareto"]["experiment"])
        if not at(rows, name).empty
    ]


def _table(results: Results, experiment: str) -> Table:
    rows = at(results["bounds"], experiment)
    names = sorted(rows["algorithm"].dropna().unique(), key=registry.sort_key)
    fields = [Field(PROVED, "proved", _proved), Field(CLOSEST, "closest", _closest)]
    for name in names:
        head = f"{name}: Rscore above the minimum, C"
        fields.append(Field(head, name, partial(_above, name)))
    values = [
        Row(f"δ = {numbers.delta(delta)}", _values(results, experiment, delta))
        for delta in deltas(rows, experiment)
    ]
    return Table("", "Algorithm", fields, values)


def _values(results: Results, experiment: str, delta: float) -> dict[str, Any]:
    here = results.at(experiment, delta=delta)
    proved = here["bounds"].groupby("kind")["proved"].mean()
    columns = ["cbs_optimum_low", "cbs_optimum_high", "rscore_gap_low", "rscore_gap_high"]
    numeric = here["scores"].astype(dict.fromkeys(columns, float))
    means = numeric.groupby("algorithm")[[*columns, "mean_rscore"]].mean()
    values = {"proved": proved["consumers"], "proved_rscore": proved.get("rscore")}
    for name, row in means.to_dict("index").items():
        ends = {f"{name}_{end}": row[f"rscore_gap_{end}"] for end in ("low", "high")}
        values |= {str(name): row["mean_rscore"]} | ends
    return values | _fewest(means)


def _fewest(means: pd.DataFrame) -> dict[str, Any]:
    """The algorithm with the fewest consumers of those that keep to the capacity."""
    kept = [name for name in means.index if studies.is_packing(str(name))]
    above_optimum = means.loc[kept, "cbs_optimum_high"].dropna()
    if above_optimum.empty:
        return {"closest": None}
    name = min(above_optimum.index, key=lambda n: (above_optimum[n], registry.sort_key(str(n))))
    ends = {f"closest_{end}": means.loc[name, f"cbs_optimum_{end}"] for end in ("low", "high")}
    return {"closest": str(name)} | ends


def _proved(values: Values) -> Cell:
    """Share of the bounds that are proved, of consumers and below of Rscore."""
    rscore = values["proved_rscore"]
    below = () if rscore is None else (f"Rscore {numbers.percent(float(rscore))}",)
    return Cell(numbers.percent(float(values["proved"])), below)


def _closest(values: Values) -> Cell:
    name = values["closest"]
    if name is None:
        return Cell(numbers.MISSING)
    ends = (100 * float(values[f"closest_{end}"]) for end in ("low", "high"))
    return Cell(f"{name} {_interval(*ends)}")


def _above(name: str, values: Values) -> Cell:
    """How much more an algorithm moves than necessary, next to what it moves."""
    if name not in values:
        return Cell(numbers.MISSING)
    gap = _interval(float(values[f"{name}_low"]), float(values[f"{name}_high"]))
    return Cell(gap, (f"of {numbers.fixed(float(values[name]), 2)}",))


def _interval(low: float, high: float) -> str:
    """An interval; one number if both ends look the same."""
    ends = [numbers.fixed(end, 2) for end in (low, high) if not math.isnan(end)]
    return "–".join(dict.fromkeys(ends)) or numbers.MISSING
