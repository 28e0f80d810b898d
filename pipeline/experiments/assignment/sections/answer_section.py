"""The run's answer in plain words: which algorithms to choose from, and what they cost."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import decision, studies
from pipeline.experiments.assignment.results.decision import Decision
from pipeline.experiments.assignment.sections.decision_text import Words, mark, option_cells, words
from pipeline.experiments.assignment.sections.figures.fronts_figure import on_front
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Grid
from pipeline.warehouse.runs.run_results import Results, at


class Choice(NamedTuple):
    """An algorithm that no other beats in both objectives, with what it costs."""

    algorithm: str
    consumers: str
    moved: str


class Front(NamedTuple):
    """Choices for one δ, from fewest consumers to least data moved."""

    where: str
    choices: list[Choice]


class Recorded(NamedTuple):
    """What to run on recorded traces: words, and the algorithms by what they cost."""

    words: Words
    table: Grid


class Answer(NamedTuple):
    """Summary for a reader in a hurry; fields without data from the run are empty.

    With ``recorded``, the other fields are empty.
    """

    setting: str
    fronts: list[Front]
    latency: list[str]
    recorded: list[Recorded]


def answer(results: Results) -> Answer:
    """Summarise the trade-off and the latency study of a run, or decide for its traces."""
    decided = decision.decisions(results)
    if decided:
        return Answer("", [], [], [Recorded(words(one), _table(one)) for one in decided])
    study = studies.tradeoff(results)
    waits = _latency(results)
    if study is None:
        return Answer("", [], waits, [])
    setting = f"Experiment {study.name}: {study.words}, {study.streams}."
    return Answer(setting, [_front(study, d) for d in study.deltas or [math.nan]], waits, [])


HEAD = ["Mean", "Peak", "Rebalances a day", "Moving", "Moved, C", "Late", "p90", "Longest"]


def _table(decided: Decision) -> Grid:
    rows = []
    for one in decided.options:
        cells = [Cell(text, bold=one.on_front) for text in option_cells(one)]
        rows.append((f"{one.algorithm} {mark(decided, one)}".rstrip(), cells))
    return Grid("", HEAD, rows)


def _front(study: studies.Study, delta: float) -> Front:
    rows = at(study.packing, study.name, delta=delta)
    best = rows[on_front(rows)].sort_values(["cbs", "mean_rscore"], kind="stable")
    choices = [
        Choice(
            str(row["algorithm"]),
            _more(float(row["cbs"])),
            numbers.plain(float(row["mean_rscore"])),
        )
        for row in best.to_dict("records")
    ]
    return Front(numbers.delta(delta), choices)


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
