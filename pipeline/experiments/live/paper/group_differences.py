"""Differences that Ezzeddine et al. claim between strategies or settings, on paired repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.inference import paired
from pipeline.experiments.live.paper.group_levels import COLUMNS, Figure, repeats
from pipeline.experiments.live.paper.repeated_rows import (
    SHAPE_ALONE,
    Workload,
    no_verdict,
    repeated,
    strategies,
)
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.ezzeddine_figures import (
    EZZEDDINE,
    FIRST,
    LINEAR,
    SECOND,
    TITLES,
    Repeated,
)
from pipeline.reporting.sections.printed_value import Printed, with_unit
from pipeline.reporting.sections.published_figure import PublishedFigure
from pipeline.reporting.sections.sign_verdicts import sign_of, sign_verdict
from pipeline.reporting.sections.tolerances import Measured, by_own_rule
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs.run_results import Results

JUDGED = ("sla", "minutes")
"""Fields of `pipeline.reporting.sections.ezzeddine_figures.PrintedRun` whose differences are
judged."""


class Side(NamedTuple):
    """One of the two that differ: a strategy of an experiment."""

    experiment: LiveExperiment
    rows: Repeated
    """Printed rows that the experiment repeats."""
    name: str
    """Of the strategy, in the paper."""

    @property
    def strategy(self) -> str | None:
        """The strategy of the run."""
        return strategies(self.experiment).get(self.name)


Experiments = Sequence[tuple[LiveExperiment, Workload]]


def differences(experiments: Experiments) -> Iterator[Figure]:
    """Differences between strategies of an experiment, and between heartbeats of two."""
    for one, workload in experiments:
        rows = repeated(one, workload)
        if rows is None:
            continue
        for other in (LINEAR, FIRST):
            sides = Side(one, rows, SECOND), Side(one, rows, other)
            yield from _between(workload, *sides, f"{SECOND} − {other}")
    for workload, sooner, later in _heartbeats(experiments):
        words = (
            f"heartbeat {sooner.experiment.heartbeat_s:g} − "
            f"{later.experiment.heartbeat_s:g}{numbers.SPACE}s"
        )
        yield from _between(workload, sooner, later, words)


def _heartbeats(experiments: Experiments) -> Iterator[tuple[Workload, Side, Side]]:
    """Experiments that differ in the heartbeat alone, the shorter one first."""
    for one, workload in experiments:
        for other, _ in experiments:
            rows, others = repeated(one, workload), repeated(other, workload)
            is_shorter = _but_heartbeat(one) == _but_heartbeat(other)
            if is_shorter and one.heartbeat_s < other.heartbeat_s and rows and others:
                yield workload, Side(one, rows, SECOND), Side(other, others, SECOND)


def _but_heartbeat(one: LiveExperiment) -> Mapping[str, object]:
    return one.model_dump(exclude={"name", "strategies", "heartbeat_s"})


def _between(workload: Workload, first: Side, second: Side, words: str) -> Iterator[Figure]:
    """Figures of the quantities that are printed for both."""
    printed = [side.rows.runs.get(side.name) for side in (first, second)]
    if first.strategy is None or second.strategy is None or None in printed:
        return
    for field in JUDGED:
        texts = [getattr(one, field) for one in printed]
        if all(texts):
            yield _difference(workload, (first, second), words, field, texts)


def _difference(
    workload: Workload, sides: tuple[Side, Side], words: str, field: str, texts: Sequence[str]
) -> Figure:
    values = [Printed.of(text) for text in texts]
    decimals = max(value.decimals for value in values)
    difference = values[0].value - values[1].value
    text = f"{numbers.fixed(difference, decimals)} ({texts[0]} and {texts[1]})"
    title, unit = TITLES[field]
    one = sides[0].experiment
    return PublishedFigure(
        key=f"{one.name}: {words}: {COLUMNS[field]}",
        source=EZZEDDINE,
        place=sides[0].rows.place,
        workload=f"{workload.name}, {one.split} {one.partitions}",
        strategy=words,
        candidate=one.name,
        figure=f"difference of {title}",
        value=Printed(text, difference, difference, decimals),
        unit=unit,
        tolerance=by_own_rule,
        measure=lambda run: measured(run, sides, COLUMNS[field], difference, unit),
        incomparable=no_verdict(one),
        note="" if workload.is_published or no_verdict(one) else SHAPE_ALONE,
    )


def measured(
    run: Results, sides: tuple[Side, Side], column: str, published: float, unit: str
) -> Measured:
    """The mean difference of paired repeats, and what it says of the sign of the published one."""
    first, second = (
        repeats(run, side.experiment.name, str(side.strategy), column) for side in sides
    )
    if not len(first) or len(first) != len(second):
        return Measured(missing="not all repeats have run")
    differences_ = first - second
    if not np.isfinite(differences_).all():
        return Measured(missing="a repeat has no value")
    means = paired.resampled_means(differences_[:, None], 0)[:, 0]
    ours = paired.paired_interval(means, float(differences_.mean()))
    return Measured(
        (ours.mean,),
        with_unit(numbers.fixed(ours.mean, 2), unit),
        (ours.low, ours.high),
        says=sign_verdict(sign_of(ours.low, ours.high), published),
        note=f"{len(first)} paired repeats" if len(first) > 1 else "",
    )
