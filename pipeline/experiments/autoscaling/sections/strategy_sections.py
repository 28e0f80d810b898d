"""Sections on the strategies of an experiment: figures, the front, and what is not on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from algorithms.inference import intervals
from pipeline.experiments.autoscaling.sections import bad_hour_section, claims_section
from pipeline.experiments.autoscaling.sections.figures import Draw
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import GOAL, Study
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
    measured,
)
from pipeline.warehouse.runs.run_results import Results, keyed
from schemas.metric import Metric
from schemas.metrics import SCALING

_LATENCIES = tuple(item for item in SCALING if item.averaging != "mean")
_ACTIONS = {"n_up": "up", "n_down": "down", "n_reassign": "reassign"}

_NOTE = (
    "Means over replicates with 95 % intervals; actions are means, p99 is the median over "
    "replicates and max their maximum."
)


def experiment(results: Results, study: Study, figures: Sequence[Draw]) -> Experiment:
    """Events, figures, claims, and all candidates of an experiment, the best service first."""
    drawn = Section(charts=charts([partial(draw, results) for draw in figures], study))
    front = Section("On the front", tables=[*_tables(results, study)], notes=[_NOTE])
    on_claims = claims_section.claims(results, study.name)
    events = bad_hour_section.section(results, study)
    return Experiment(study.name, study.words, [events, drawn, on_claims, front])


def _tables(results: Results, study: Study) -> Iterator[Table]:
    """The front, and unless they are empty, what it dominates and what must know rates."""
    streams = dict(iter(keyed(results.at(study.name)["simulations"]).groupby("algorithm")))
    yield Table("", "Strategy", _FIELDS, [*_rows(study.front, streams)])
    references = study.references
    rest = study.rows.drop([*study.front.index, *references.index])
    title = f"{len(references)} that must know rates beforehand"
    for folded, part in ((_off_the_front(rest), rest), (title, references)):
        if len(part):
            yield Table("", "Strategy", _FIELDS, [*_rows(part, streams)], folded=folded)


def _off_the_front(rows: pd.DataFrame) -> str:
    """How many are dominated, and how many never catch up with their events."""
    behind = int((~rows["eligible"].astype(bool)).sum())
    dominated = f"{len(rows) - behind:,} dominated" if len(rows) > behind else ""
    fall = f"{behind:,} {'falls' if behind == 1 else 'fall'} behind for ever" if behind else ""
    return ", ".join(filter(None, (dominated, fall)))


def _rows(part: pd.DataFrame, streams: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    for row in part.to_dict("records"):
        own = streams[row["label"]]
        actions = {name: float(own[name].mean()) for name in _ACTIONS}
        yield Row(row["label"], row | actions | latencies(own))


def latencies(streams: pd.DataFrame) -> dict[str, float | None]:
    """Latencies of a strategy by name in MLflow; None without events."""
    return {item.tracked: _latency(streams[item.column], item) for item in _LATENCIES}


def _latency(streams: pd.Series, item: Metric) -> float | None:
    """The median over the streams with events, of the maximum the greatest."""
    values = streams.dropna().to_numpy(dtype=float)
    if not len(values):
        return None
    return float(values.max() if item.averaging == "maximum" else intervals.median(values))


def _mean(item: Metric) -> Field:
    def write(values: Values) -> Cell:
        value, *ends = (float(values[f"{item.name}{end}"]) for end in ("", "_low", "_high"))
        low, high = (_text(item, end) for end in ends)
        below = (f"{low}–{high}",) if low != high else ()
        enough = item.name == "sla_percent" and value >= GOAL
        return Cell(_text(item, value), below, bold=enough)

    return Field(item.head, item.name, write, terminal=True)


def _text(item: Metric, value: float) -> str:
    if item.name == "sla_percent":
        return served(value).removesuffix("%").rstrip()
    return numbers.of_metric(item, value, unit=False)


def _action(name: str, head: str) -> Field:
    return Field(head, name, lambda values: Cell(numbers.plain(values[name], 2)))


_FIELDS = (
    *(_mean(item) for item in SCALING if item.averaging == "mean"),
    *(_action(name, head) for name, head in _ACTIONS.items()),
    *(measured(item, item.tracked) for item in _LATENCIES),
)
