"""How far algorithms are from proved bounds, ready for the template."""

from __future__ import annotations

import math

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Fold, Grid
from pipeline.warehouse.runs.run_results import Results, at, deltas

PROVED = "optimum proved"
CLOSEST = "closest algorithm to the minimum number of consumers, % above"


def bound_sections(results: Results) -> list[Fold]:
    """A section for each experiment that is compared with bounds: a table with a row per δ."""
    bounds = results["bounds"]
    return [
        Fold(
            f"Experiment {name}: {studies.describe(results, name)}",
            [_table(results, bounds, name)],
            opened=True,
        )
        for name in dict.fromkeys(results["pareto"]["experiment"])
        if not at(bounds, name).empty
    ]


def _table(results: Results, bounds: pd.DataFrame, experiment: str) -> Grid:
    asked = at(bounds, experiment)["algorithm"].dropna().unique()
    names = sorted(asked, key=registry.sort_key)
    head = [PROVED, CLOSEST, *(f"{name}: Rscore above the minimum, C" for name in names)]
    rows = []
    for delta in deltas(bounds, experiment):
        here = at(bounds, experiment, delta=delta)
        means = _means(results.at(experiment, delta=delta)["scores"])
        cells = [_proved(here), _closest(means), *(_above(means, name) for name in names)]
        rows.append((f"δ = {numbers.delta(delta)}", cells))
    return Grid("", head, rows)


def _means(scores: pd.DataFrame) -> pd.DataFrame:
    """Distances of each algorithm, averaged over streams."""
    columns = ["cbs_optimum_low", "cbs_optimum_high", "rscore_gap_low", "rscore_gap_high"]
    numeric = scores.astype(dict.fromkeys(columns, float))
    return numeric.groupby("algorithm")[[*columns, "mean_rscore"]].mean()


def _proved(rows: pd.DataFrame) -> Cell:
    """Share of the bounds that are proved, of consumers and below of Rscore."""
    shares = rows.groupby("kind")["proved"].mean()
    below = (
        (f"Rscore {numbers.percent(float(shares['rscore']))}",) if "rscore" in shares.index else ()
    )
    return Cell(numbers.percent(float(shares["consumers"])), below)


def _closest(means: pd.DataFrame) -> Cell:
    """The algorithm with the fewest consumers of those that keep to the capacity."""
    kept = [name for name in means.index if studies.is_packing(str(name))]
    found = means.loc[kept, "cbs_optimum_high"].dropna()
    if found.empty:
        return Cell(numbers.MISSING)
    name = min(found.index, key=lambda n: (found[n], registry.sort_key(str(n))))
    low, high = (100 * float(means.loc[name, f"cbs_optimum_{end}"]) for end in ("low", "high"))
    return Cell(f"{name} {_interval(low, high)}")


def _above(means: pd.DataFrame, name: str) -> Cell:
    """How much more an algorithm moves than necessary, next to what it moves."""
    if name not in means.index:
        return Cell(numbers.MISSING)
    row = means.loc[name]
    gap = _interval(float(row["rscore_gap_low"]), float(row["rscore_gap_high"]))
    return Cell(gap, (f"of {numbers.fixed(float(row['mean_rscore']), 2)}",))


def _interval(low: float, high: float) -> str:
    """An interval; one number if both ends look the same."""
    ends = [numbers.fixed(end, 2) for end in (low, high) if not math.isnan(end)]
    return "–".join(dict.fromkeys(ends)) or numbers.MISSING
