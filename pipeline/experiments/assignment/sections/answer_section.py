"""The run's answer in plain words: which algorithms to choose from, and what they cost."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import decision, studies
from pipeline.experiments.assignment.results.decision import Decision, Option
from pipeline.experiments.assignment.sections import decision_text
from pipeline.experiments.assignment.sections.decision_text import (
    CHOICE,
    FRONT,
    mark,
    option_cells,
    words,
)
from pipeline.experiments.assignment.sections.figures import fronts_figure
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
from pipeline.warehouse.runs.run_results import Results, at

MOST_SHOWN = 14
"""Rows that fit a terminal, next to the answer; the front is always shown."""

HEADS = ("mean", "peak", "rebalances\n/day", "moving\n%", "moved\nC", "late\n%", "p90", "longest")
LEGEND = (
    f"{CHOICE} the choice, {FRONT} non-dominated; mean, peak: consumers; moving: iterations with a "
    "move; moved: load that moves per iteration, in full consumers C; late: data that waits; p90, "
    "longest: how long it waits. Fixed groups under which data waits come last."
)
INTRODUCTION = (
    "These algorithms are non-dominated in the two objectives: fewer consumers to pay for, and "
    "less data moved between consumers. From left to right, consumers increase and migrations "
    "decrease; choose by what a migration costs you."
)
COSTS = "On the front: consumers above the minimum, data moved per iteration"


def decided(results: Results) -> list[Decision]:
    """What to run on recorded traces: computed once per run."""
    return results.once(decision.decisions)


def marks(results: Results, experiment: str) -> dict[str, str]:
    """Marks of the algorithms on recorded traces, in the order of the answer; else none."""
    return {
        option.algorithm: mark(one, option)
        for one in decided(results)
        if one.experiment == experiment
        for option in one.options
    }


def answer(results: Results) -> Section:
    """What to run on recorded traces, and what would change that; else the front and latencies."""
    if every := [words(one) for one in decided(results)]:
        sentences = [s for said in every for s in (said.answer, *said.facts, *said.without_hot)]
        notes = [s for said in every for s in said.changes]
        return Section("The answer", sentences, notes=notes, result=_results(decided(results)))
    missing = [] if studies.tradeoff(results) else ["This run compares no packing algorithms."]
    found = [*missing, *_front_in_short(results), *_latency(results)]
    return Section("The answer", found)


def _results(every: list[Decision]) -> list[str]:
    """What to run in two sentences: on one trace, or on the first two."""
    if len(every) == 1:
        return decision_text.result(every[0])
    return [f"{one.experiment}: {decision_text.result(one)[0]}" for one in every]


def _front_in_short(results: Results) -> list[str]:
    """Both ends of the front, at the δ of the latencies."""
    study = studies.tradeoff(results)
    if study is None:
        return []
    delta = studies.latency_delta(study.deltas) if study.deltas else math.nan
    front = _front(study, delta).values["front"]
    number = len(at(study.packing, study.name, delta=delta))
    where = f" at δ = {numbers.delta(delta)}" if study.deltas else ""
    few, many = (
        f"{row['algorithm']} ({_more(float(row['cbs']))} consumers, load of "
        f"{numbers.plain(row['mean_rscore'])} consumers moved per iteration)"
        for row in (front[0], front[-1])
    )
    if len(front) == 1:
        return [f"Of {number} algorithms{where}, {few} dominates all others."]
    return [f"Of {number} algorithms{where}, {len(front)} are non-dominated: from {few} to {many}."]


def choices(results: Results) -> list[Experiment]:
    """The algorithms by what they cost on recorded traces, else those on the front."""
    study = studies.tradeoff(results)
    made = []
    for one in decided(results):
        name = one.experiment
        table = _by_cost(one)
        every = f" The report lists all {len(table.rows)} algorithms."
        legend = LEGEND + every * any(row.detail for row in table.rows)
        section = Section("Algorithms by cost", tables=[table], notes=[legend])
        made.append(Experiment(name, studies.describe(results, name), [section]))
    if made or study is None:
        return made
    where = f"Experiment {study.name}: {study.words}, {study.streams}."
    rows = [_front(study, delta) for delta in study.deltas or [math.nan]]
    fields = [Field(COSTS, "front", _listed, terminal=True)]
    table = Table("", "δ", fields, rows, stacked=True)
    section = Section("", [f"{INTRODUCTION} {where}"], [table])
    return [Experiment(study.name, study.words, [section])]


def _by_cost(one: Decision) -> Table:
    fields = [
        Field(head, key, partial(_option_cell, place), terminal=True)
        for place, (head, key) in enumerate(zip(HEADS, Option._fields[1:], strict=False))
    ]
    named = {near.algorithm for near in (one.static, one.tight) if near is not None}
    rows = [
        Row(
            f"{option.algorithm} {mark(one, option)}".rstrip(),
            option._asdict(),
            detail=not (place < MOST_SHOWN or option.on_front or option.algorithm in named),
        )
        for place, option in enumerate(one.options)
    ]
    return Table("", "Algorithm", fields, rows)


def _option_cell(place: int, values: Values) -> Cell:
    option = Option(**values)
    return Cell(option_cells(option)[place], bold=option.on_front)


def _front(study: studies.Study, delta: float) -> Row:
    """The algorithms on the front, from fewest consumers to least data moved."""
    rows = at(study.packing, study.name, delta=delta)
    best = rows[fronts_figure.on_front(rows)].sort_values(["cbs", "mean_rscore"], kind="stable")
    names = ["algorithm", "cbs", "mean_rscore"]
    return Row(numbers.delta(delta), {"front": best[names].to_dict("records")})


def _listed(values: Values) -> Cell:
    listed = [
        f"{row['algorithm']} {_more(float(row['cbs']))}, {numbers.plain(row['mean_rscore'])} C"
        for row in values["front"]
    ]
    return Cell("; ".join(one.replace(" ", numbers.SPACE) for one in listed))


def _more(cbs: float) -> str:
    """Consumers above the minimum, with a sign unless too small to print."""
    words = numbers.percent(cbs)
    return words if words.startswith(("<", "-")) else f"+{words}"


def _latency(results: Results) -> list[str]:
    study = studies.latency(results)
    if study is None:
        return []
    rows = {str(row["algorithm"]): row for row in study.rows.to_dict("records")}
    chosen = next(iter(studies.packing_shown(study)), None)
    if chosen is None:
        return []
    sentences = [
        f"{study.where}. {chosen} uses {numbers.fixed(rows[chosen]['mean_consumers'], 1)} "
        f"consumers on average. {_waits(rows[chosen])}"
    ]
    return sentences + _static(chosen, rows)


def _waits(row: dict[str, Any]) -> str:
    if not row["share"] > 0:
        return "No data waits."
    return (
        f"{numbers.percent(row['share'])} of the data waits; 90 % of that data is read within "
        f"{numbers.seconds(row['p90'])}."
    )


def _static(chosen: str, rows: dict[str, dict[str, Any]]) -> list[str]:
    """Kafka's assignment with as many consumers, and the first one that is no slower."""
    sizes = {name: registry.parameter_of(name) for name in rows}
    static = {n: rows[name] for name, n in sizes.items() if n is not None}
    if not static:
        return []
    mean, p90 = rows[chosen]["mean_consumers"], rows[chosen]["p90"]
    like = min(static, key=lambda n: (abs(n - mean), n))
    sentences = [
        f"With Kafka's static assignment and a similar number of consumers (kd_{like}), "
        f"{_waits(static[like])[0].lower() + _waits(static[like])[1:]}"
    ]
    enough = [n for n in sorted(static) if static[n]["p90"] <= p90]
    if enough:
        more = numbers.percent(enough[0] / mean - 1, 0)
        sentences.append(
            "The smallest static assignment that matches the 90th percentile latency of "
            f"{chosen} is kd_{enough[0]}, with {more} more consumers."
            if enough[0] > mean
            else f"kd_{enough[0]} already matches the 90th percentile latency of {chosen}."
        )
    return sentences
