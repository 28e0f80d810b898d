"""What Russo Russo et al. claim of Pulsar Functions: on interruption, and on policies.

A gap is the longest time without output in a window from a change on, less that of windows without
a change at the same load, and with the number of instances that the change led to. Only changes at
set times count, with constant spacing, at all phases between two events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from live.pulsar.function_settings import AT_MOST_ONCE, INTERRUPTIBLE
from pipeline.reporting.sections import numbers, russo_russo_figures
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import RUSSO_RUSSO, PublishedFigure
from pipeline.reporting.sections.russo_russo_figures import Seeds
from pipeline.reporting.sections.tolerances import Measured, by_own_rule, repeated
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.pulsar.pulsar_changes import DOWN, NONE, UP
from schemas.tables.pulsar.pulsar_columns import EXTENDED, STOCK
from schemas.verdicts import NOT_REPRODUCED, OPEN, REPRODUCED

FEWEST = 30
"""Changes in one direction from which on there is a verdict."""

EQUIVALENT_S = 0.02
"""A change does not interrupt if its gap is at most this much longer, s."""

MOST_STILL_S = 0.25
"""Mean gap without a change, s, above which the machine is too busy for a verdict: several times
the spacing of events."""

JUDGED_SIMULATED = "preset `applications` judges it over simulated seeds"
"""Note of claims on policies: a few nights cannot decide on a share of seeds."""

_CLAIMS = {
    STOCK: "all instances restart",
    EXTENDED: "scales without interruption",
}
_WORDS = {UP: "one instance more", DOWN: "one instance fewer"}


class Longer(NamedTuple):
    """How much longer gaps are after a change than without one, s; NaN if it is unknown."""

    mean: float
    low: float
    high: float
    """`low`, `high`: 95 % interval, Welch."""
    changes: int
    still: float
    """Mean gap without a change, s."""


def figures(experiments: Iterable[PulsarExperiment]) -> Iterator[PublishedFigure[Results]]:
    """Figures of the experiments with changes at set times, and of those of Section 5.2."""
    for one in experiments:
        if one.is_published:
            for executor in one.executors:
                yield from _policies_compared(one, executor)
        if one.resizings:
            for executor in one.executors:
                for kind in (UP, DOWN):
                    yield _figure(one, executor, kind)


def longer(run: Results, experiment: str, executor: str, kind: str) -> Longer:
    """How much longer the gaps of one kind of change are than those without one.

    Windows without a change count if they have as many instances as there are after the change.
    """
    rows = run.at(experiment, executor=executor)["pulsar_changes"]
    is_changed = rows["kind"] == kind
    is_still = (rows["kind"] == NONE) & rows["after"].isin(rows.loc[is_changed, "after"])
    changed, still = (
        rows.loc[which, "gap_s"].to_numpy(dtype=np.float64) for which in (is_changed, is_still)
    )
    if len(changed) < 2 or len(still) < 2:
        return Longer(math.nan, math.nan, math.nan, len(changed), math.nan)
    low, high = ttest_ind(changed, still, equal_var=False).confidence_interval(0.95)
    without = float(still.mean())
    return Longer(float(changed.mean()) - without, float(low), float(high), len(changed), without)


def by_seed(run: Results, experiment: str, executor: str) -> Seeds:
    """What the policies did in each replicate, as Section 5.2's figures have it."""
    tables = run.at(experiment, executor=executor)
    steps = tables["pulsar_steps"].groupby(["replicate", "policy"])
    # Changes come within milliseconds of a step's beginning: rounded, its mean is its number.
    courses = pd.DataFrame(
        {
            "fewest_instances": steps["instances"].min().round(),
            "most_instances": steps["instances"].max().round(),
            "peak": steps["mean_s"].max(),
        }
    )
    runs = tables["pulsar_runs"].rename(columns={"mean_s": "mean"})
    whole = runs.join(courses, on=["replicate", "policy"])
    return [
        {str(row["policy"]): row for row in own.to_dict("records")}
        for _, own in whole.groupby("replicate", sort=True)
    ]


def _policies_compared(one: PulsarExperiment, executor: str) -> Iterator[PublishedFigure[Results]]:
    """Section 5.2's figures, measured with an executor."""

    def measured(measure: Callable[[Seeds], Measured]) -> Callable[[Results], Measured]:
        return lambda run: measure(by_seed(run, one.name, executor))

    for figure in russo_russo_figures.FIGURES:
        yield PublishedFigure(
            key=f"{one.name}: {executor}: {figure.key}",
            source=figure.source,
            place=figure.place,
            workload=figure.workload,
            strategy=f"{figure.strategy}, {executor} executor",
            candidate=figure.candidate,
            figure=figure.figure,
            value=figure.value,
            unit=figure.unit,
            tolerance=repeated(figure.tolerance),
            measure=measured(figure.measure),
            incomparable=figure.incomparable,
            note=figure.note or ("" if figure.incomparable else JUDGED_SIMULATED),
        )


def _figure(one: PulsarExperiment, executor: str, kind: str) -> PublishedFigure[Results]:
    def measure(run: Results) -> Measured:
        if one.guarantee == AT_MOST_ONCE:
            return Measured(missing="functions that process at most once are not judged")
        ours = longer(run, one.name, executor, kind)
        if ours.changes < FEWEST:
            return Measured(missing=f"a verdict needs {FEWEST} changes (got {ours.changes})")
        if ours.still > MOST_STILL_S:
            return Measured(
                missing=f"without a change, the output pauses for {numbers.seconds(ours.still)}: "
                "this machine was too busy"
            )
        words = f"{numbers.seconds(ours.mean)} longer than without a change"
        return Measured(
            (ours.mean,),
            words,
            (ours.low, ours.high),
            says=says(executor, ours),
            note=f"{ours.changes} changes, 95 % interval by Welch",
        )

    return PublishedFigure(
        key=f"{one.name}: {executor}: {kind}",
        source=RUSSO_RUSSO,
        place="Section 4",
        workload=f"{one.spacing} spacing, utilisation {one.load_levels[0] / one.first_instances:g}"
        + ", interruptible hold" * (one.hold == INTERRUPTIBLE),
        strategy=f"{executor} executor",
        candidate=one.name,
        figure=f"pause of the output, {executor} executor, {_WORDS[kind]}",
        value=Printed.of(_CLAIMS[executor]),
        unit="s",
        tolerance=by_own_rule,
        measure=measure,
        note=(
            f"holds if the interval is at most {numbers.seconds(EQUIVALENT_S)}"
            if executor == EXTENDED
            else "holds if the interval is above 0"
        ),
    )


def says(executor: str, ours: Longer) -> str:
    """Verdict on the claim of an executor."""
    if math.isnan(ours.low):
        return OPEN
    if executor == STOCK:
        return REPRODUCED if ours.low > 0 else NOT_REPRODUCED if ours.high < 0 else OPEN
    if ours.high <= EQUIVALENT_S:
        return REPRODUCED
    return NOT_REPRODUCED if ours.low > EQUIVALENT_S else OPEN
