"""How far the run's algorithms are ahead of the paper's."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.score_tables import delta_head
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

TITLE = "Improvement over the paper"
AREAS, DOMINANCE = "Hypervolume of the fronts", "Algorithms that dominate the paper's"


def note(results: Results) -> str:
    """Why there are no tables; empty if there are."""
    if studies.tradeoff(results) is None or results["indicators"].empty:
        return "This run has no fronts to compare."
    return "This run includes none of the paper's algorithms." * bool(results["dominance"].empty)


def frontier(results: Results) -> list[Experiment]:
    """Sentences and tables from the tables `indicators` and `dominance`."""
    study = studies.tradeoff(results)
    if study is None or results["indicators"].empty:
        return []
    return [_of(results, name) for name in _names(results, results["indicators"], study)]


def _of(results: Results, name: str) -> Experiment:
    areas, rows = at(results["indicators"], name), at(results["dominance"], name)
    tables = [_area_table(areas, name)]
    if not rows.empty:
        tables.append(_dominance_table(rows, name))
    words = [] if rows.empty else [_words(name, rows)]
    return Experiment(name, studies.describe(results, name), [Section(TITLE, words, tables)])


def _words(name: str, rows: pd.DataFrame) -> str:
    # Where nothing changes (δ = 0) nearly all algorithms coincide.
    rows = rows[rows["delta"] != 0] if (rows["delta"] != 0).any() else rows
    beaten = rows["dominated_by"].notna()
    everywhere = beaten.groupby(rows["algorithm"]).all()
    always = beaten & (rows["replicates_dominated"] == rows["replicates"])
    return (
        f"Experiment {name}: of the paper's {len(everywhere)} algorithms, "
        f"{int(everywhere.sum())} are dominated at every δ above 0. Of the {len(rows)} "
        f"pairs of algorithm and δ, {int(beaten.sum())} are dominated on the means and "
        f"{int(always.sum())} on every replicate."
    )


def _names(results: Results, rows: pd.DataFrame, study: studies.Study) -> list[str]:
    """Experiments that have rows, in the run's order, that of the study first."""
    names = [name for name in results.experiments if name in set(rows["experiment"])]
    names += [name for name in dict.fromkeys(rows["experiment"]) if name not in names]
    return sorted(names, key=lambda name: name != study.name)


FRONTS = {
    "published": "published",
    "reference": "the paper's twelve, here",
    "all": "all algorithms",
}
"""Heads of the columns of hypervolumes, by front."""


def _area_table(rows: pd.DataFrame, experiment: str) -> Table:
    lines = []
    for delta in deltas(rows, experiment):
        values: dict[str, Any] = {}
        for row in at(rows, experiment, delta=delta).to_dict("records"):
            front = str(row["front"])
            values |= _area_values(front, "hypervolume", row)
            if front == "reference":
                values |= _area_values("epsilon", "epsilon", row)
        lines.append(Row(numbers.delta(delta), values))
    heads = FRONTS | {"epsilon": "ε of the twelve"}
    fields = [Field(head, key, partial(_area, key)) for key, head in heads.items()]
    return Table("", "δ", fields, lines, folded=AREAS)


def _area_values(key: str, column: str, row: dict[str, Any]) -> dict[str, Any]:
    ends = {f"{key}_{end}": row[f"{column}_{end}"] for end in ("low", "high")}
    return {key: row[column], f"{key}_note": str(row["note"]).split(",")[0]} | ends


def _area(key: str, values: Values) -> Cell:
    if key not in values:
        return Cell(numbers.MISSING)
    if pd.isna(values[key]):
        return Cell(numbers.MISSING, (values[f"{key}_note"],))
    low, high = values[f"{key}_low"], values[f"{key}_high"]
    below = () if pd.isna(low) else (f"{low:.3f} to {high:.3f}",)
    return Cell(f"{values[key]:.3f}", below, key == "all")


def _dominance_table(rows: pd.DataFrame, experiment: str) -> Table:
    heads = [delta_head(delta) for delta in deltas(rows, experiment)]
    lines: dict[str, dict[str, Any]] = {}
    for row in rows.to_dict("records"):
        lines.setdefault(str(row["algorithm"]), {})[delta_head(row["delta"])] = row
    fields = [Field(head, head, partial(_beaten, head)) for head in heads]
    names = sorted(lines, key=registry.sort_key)
    return Table(
        "", "Algorithm", fields, [Row(name, lines[name]) for name in names], folded=DOMINANCE
    )


def _beaten(head: str, values: Values) -> Cell:
    """Which algorithm dominates this one at one δ, and by how much."""
    row = values.get(head)
    if row is None:
        return Cell(numbers.MISSING)
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
