"""How far the run's algorithms are ahead of the paper's, ready for the template."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Fold, Grid
from pipeline.warehouse.runs.run_results import Results, at, deltas


class Frontier(NamedTuple):
    """Sentences for a reader in a hurry, then tables by experiment; empty without results."""

    words: list[str]
    areas: list[Fold]
    dominance: list[Fold]


def frontier(results: Results) -> Frontier:
    """Sentences and tables from the tables `indicators` and `dominance`."""
    study = studies.tradeoff(results)
    if study is None or results["indicators"].empty:
        return Frontier(["This run has no fronts to compare."], [], [])
    return Frontier(_words(results, study), _areas(results, study), _dominance(results, study))


def _words(results: Results, study: studies.Study) -> list[str]:
    found = results["dominance"]
    if found.empty:
        return ["This run includes none of the paper's algorithms."]
    sentences = []
    for name in _sections(results, found, study):
        # Where nothing changes (δ = 0) nearly all algorithms coincide.
        rows = at(found, name)
        rows = rows[rows["delta"] != 0] if (rows["delta"] != 0).any() else rows
        beaten = rows["dominated_by"].notna()
        everywhere = beaten.groupby(rows["algorithm"]).all()
        always = beaten & (rows["replicates_dominated"] == rows["replicates"])
        sentences.append(
            f"Experiment {name}: of the paper's {len(everywhere)} algorithms, "
            f"{int(everywhere.sum())} are dominated at every δ above 0. Of the {len(rows)} "
            f"pairs of algorithm and δ, {int(beaten.sum())} are dominated on the means and "
            f"{int(always.sum())} on every replicate."
        )
    return sentences


def _sections(results: Results, rows: pd.DataFrame, study: studies.Study) -> list[str]:
    """Experiments that have rows, in the run's order, that of the study first."""
    names = [name for name in results.experiments if name in set(rows["experiment"])]
    names += [name for name in dict.fromkeys(rows["experiment"]) if name not in names]
    return sorted(names, key=lambda name: name != study.name)


def _areas(results: Results, study: studies.Study) -> list[Fold]:
    rows = results["indicators"]
    return [
        Fold(
            f"Experiment {name}: {studies.describe(results, name)}",
            [_area_table(at(rows, name), name)],
            name == study.name,
        )
        for name in _sections(results, rows, study)
    ]


AREA_HEAD = ["published", "the paper's twelve, here", "all algorithms", "ε of the twelve"]


def _area_table(rows: pd.DataFrame, experiment: str) -> Grid:
    lines = []
    for delta in deltas(rows, experiment):
        by_front = {
            str(row["front"]): row for row in at(rows, experiment, delta=delta).to_dict("records")
        }
        cells = [_area(by_front.get(name), "hypervolume") for name in ("published", "reference")]
        cells.append(_area(by_front.get("all"), "hypervolume", bold=True))
        cells.append(_area(by_front.get("reference"), "epsilon"))
        lines.append((numbers.delta(delta), cells))
    return Grid("", AREA_HEAD, lines, "δ")


def _area(row: dict[str, Any] | None, column: str, bold: bool = False) -> Cell:
    if row is None:
        return Cell(numbers.MISSING)
    if pd.isna(row[column]):
        return Cell(numbers.MISSING, (str(row["note"]).split(",")[0],))
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    below = () if pd.isna(low) else (f"{low:.3f} to {high:.3f}",)
    return Cell(f"{row[column]:.3f}", below, bold)


def _dominance(results: Results, study: studies.Study) -> list[Fold]:
    rows = results["dominance"]
    return [
        Fold(
            f"Experiment {name}: {studies.describe(results, name)}",
            [_dominance_table(at(rows, name), name)],
            name == study.name,
        )
        for name in _sections(results, rows, study)
    ]


def _dominance_table(rows: pd.DataFrame, experiment: str) -> Grid:
    values = deltas(rows, experiment)
    names = sorted(rows["algorithm"].unique(), key=registry.sort_key)
    lines = []
    for name in names:
        mine = rows[rows["algorithm"] == name]
        cells = [_beaten(at(mine, experiment, delta=delta).to_dict("records")) for delta in values]
        lines.append((str(name), cells))
    return Grid("", [_head(delta) for delta in values], lines)


def _head(delta: float) -> str:
    return "recorded" if math.isnan(delta) else f"δ = {delta:g}"


def _beaten(found: list[dict[str, Any]]) -> Cell:
    """Which algorithm dominates this one at one δ, and by how much."""
    if not found:
        return Cell(numbers.MISSING)
    row = found[0]
    if pd.isna(row["dominated_by"]):
        return Cell("none", ("on the front",))
    return Cell(
        str(row["dominated_by"]),
        (
            *_by_how_much("CBS", row, "cbs_difference", 100.0),
            *_by_how_much("Rscore", row, "rscore_difference", 1.0),
            f"{row['replicates_dominated']} of {row['replicates']}",
        ),
        bold=row["replicates_dominated"] == row["replicates"],
    )


def _by_how_much(score: str, row: dict[str, Any], column: str, scale: float) -> tuple[str, ...]:
    """A difference, and its interval on a line of its own, where there is one."""
    sentences = f"{score} {_signed(scale * float(row[column]))}"
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    if pd.isna(low):
        return (sentences,)
    return sentences, f"{_signed(scale * low)} to {_signed(scale * high)}"


def _signed(value: float) -> str:
    """Two decimals with a proper minus sign; what rounds to 0 has none."""
    text = f"{value:.2f}"
    return "0.00" if text in ("-0.00", "0.00") else text.replace("-", "−")
