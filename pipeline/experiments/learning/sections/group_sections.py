"""Sections on agents of groups: the answer, figures, tables by weight, and fronts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from algorithms.learning.learned_group import spelled_weight
from pipeline.experiments.learning.results.group_study import GroupStudy, written
from pipeline.experiments.learning.sections.figures import GROUP_FIGURES
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    Values,
    charts,
    number,
    text,
)

CLAIRVOYANT = "clairvoyant"


def experiment(study: GroupStudy) -> Experiment:
    """Answer, figures and tables of an experiment."""
    tables = [_beside_rules(study, weight) for weight in study.weights()]
    if len(tables) > 1:
        tables.append(_fronts(study))
    section = Section("", [answer(study)], tables, charts(GROUP_FIGURES, study))
    return Experiment(study.name, study.words, [section])


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


def _reaching(values: Values) -> Cell:
    """Seeds that cost at most as much as the reference, and the interval of their share."""
    if _missing(values["share"]):
        return Cell(numbers.MISSING)
    low, high = (numbers.percent(values[f"share_{end}"], 0) for end in ("low", "high"))
    seeds = values["seeds"]
    return Cell(f"{round(values['share'] * seeds)} of {seeds}", (f"{low} to {high}",))


_FIELDS = (
    number("regret %", "regret", 1, 100.0, ends=True, terminal=True, metric="group_regret"),
    number("replicas", "replicas", 2, terminal=True),
    number("late %", "late_percent", 2, terminal=True),
    Field("as good as the reference", "share", _reaching),
    number("worst seed %", "worst", 1, 100.0),
    number("later %", "later", 1, 100.0),
    number("unseen %", "unseen", 1, 100.0),
)


def _beside_rules(study: GroupStudy, weight: float) -> Table:
    """Agents beside rules, the least regret first."""
    reference = study.every_at(weight)[0]["reference"]
    title = f"Weight {weight:g}, reference {reference}"
    return Table(title, "Strategy", _FIELDS, list(_rows(study, weight)))


def _rows(study: GroupStudy, weight: float) -> Iterator[Row]:
    """Rules have rows of their other parameters too, which only the page lists."""
    later, unseen = (
        {(row["policy"], row["parameters"]): row["regret"] for row in study.every_at(weight, split)}
        for split in ("time", "trace")
    )
    for row in study.every_at(weight):
        key = row["policy"], row["parameters"]
        label = f"{study.name}/{spelled_weight(weight)}/{written(row)}"
        values = row | {"later": later[key], "unseen": unseen[key]}
        yield Row(written(row), values, label if row["chosen"] else "", detail=not row["chosen"])


def _fronts(study: GroupStudy) -> Table:
    """Areas that strategies dominate over the weights."""
    fields = number("hypervolume", "hypervolume", 3, ends=True), text("points", "points")
    rows = [Row(_front_of(row), row) for row in study.fronts.to_dict("records")]
    return Table("Fronts over weights", "Strategy", fields, rows)


def _front_of(row: dict[str, Any]) -> str:
    return f"{row['policy']}:{row['variant']}" if row["variant"] else str(row["policy"])


def _missing(value: float | None) -> bool:
    return value is None or value != value
