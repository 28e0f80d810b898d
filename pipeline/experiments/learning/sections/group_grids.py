"""Parts of the report on agents of groups: the answer, figures, tables by weight, and fronts."""

from __future__ import annotations

from typing import Any, NamedTuple

from pipeline.experiments.learning.results.group_study import GroupStudy, written
from pipeline.experiments.learning.sections.figures import draw_groups
from pipeline.reporting.drawing.figure import Figure, Omitted
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Table

HEADS = (
    "regret %",
    "replicas",
    "late %",
    "as good as the reference",
    "worst seed %",
    "later %",
    "unseen %",
)


CLAIRVOYANT = "clairvoyant"


class GroupExperiment(NamedTuple):
    """What the report says of one experiment."""

    study: GroupStudy
    answer: str
    figures: list[Figure]
    omitted: list[Omitted]
    tables: list[Table]


def experiment(study: GroupStudy, first: int = 1) -> GroupExperiment:
    """Answer, figures numbered from ``first``, and tables of an experiment."""
    tables = [_table(study, weight) for weight in study.weights()]
    if len(tables) > 1:
        tables.append(_fronts(study))
    drawn = draw_groups(study, first)
    figures = [figure for figure in drawn if isinstance(figure, Figure)]
    omitted = [figure for figure in drawn if isinstance(figure, Omitted)]
    return GroupExperiment(study, answer(study), figures, omitted, tables)


def answer(study: GroupStudy) -> str:
    """Which strategy costs least at each weight, and how many seeds reach the reference."""
    least: dict[str, list[str]] = {}
    counts = []
    for weight in study.weights():
        rows = study.at(weight)
        first = next(row for row in rows if row["policy"] != CLAIRVOYANT)
        least.setdefault(written(first), []).append(f"{weight:g}")
        most = max((row["share"] for row in rows if not _missing(row["share"])), default=0.0)
        counts.append(f"{round(most * study.setting['seeds'])} at {weight:g}")
    named = [f"{name} at {numbers.listing(weights)}" for name, weights in least.items()]
    return (
        f"Least regret by weight of late events: {numbers.listing(named)}. Of the "
        f"{study.setting['seeds']} seeds of the agent with most of them, {numbers.listing(counts)} "
        "cost at most as much as the best rule on the validation parts."
    )


def _table(study: GroupStudy, weight: float) -> Table:
    by_split = {
        split: {(r["policy"], r["parameters"]): r["regret"] for r in study.every_at(weight, split)}
        for split in ("time", "trace")
    }
    every = study.every_at(weight)
    rows = [
        (
            written(row),
            _cells(row, *(found[row["policy"], row["parameters"]] for found in by_split.values())),
        )
        for row in every
    ]
    title = f"Weight {weight:g}, reference {every[0]['reference']}"
    return Table(title, list(HEADS), rows, "Strategy")


def _fronts(study: GroupStudy) -> Table:
    """Areas that strategies dominate over the weights."""
    rows = []
    for row in study.fronts.to_dict("records"):
        low, high = (numbers.fixed(row[f"hypervolume_{end}"], 3) for end in ("low", "high"))
        cells = [Cell(numbers.fixed(row["hypervolume"], 3), (f"{low} to {high}",))]
        rows.append((_front_of(row), [*cells, Cell(str(row["points"]))]))
    return Table("Fronts over weights", ["hypervolume", "points"], rows, "Strategy")


def _front_of(row: dict[str, Any]) -> str:
    return f"{row['policy']}:{row['variant']}" if row["variant"] else str(row["policy"])


def _cells(row: dict[str, Any], later: float, unseen: float) -> list[Cell]:
    share = numbers.MISSING
    below: tuple[str, ...] = ()
    if not _missing(row["share"]):
        share = f"{round(row['share'] * row['seeds'])} of {row['seeds']}"
        low, high = (numbers.percent(row[f"share_{end}"], 0) for end in ("low", "high"))
        below = (f"{low} to {high}",)
    ends = (f"{_percent(row['regret_low'])} to {_percent(row['regret_high'])}",)
    return [
        Cell(_percent(row["regret"]), ends),
        Cell(numbers.fixed(row["replicas"], 2)),
        Cell(numbers.fixed(row["late_percent"], 2)),
        Cell(share, below),
        Cell(_percent(row["worst"])),
        Cell(_percent(later)),
        Cell(_percent(unseen)),
    ]


def _percent(regret: float) -> str:
    return numbers.fixed(100.0 * regret, 1)


def _missing(value: float | None) -> bool:
    return value is None or value != value
