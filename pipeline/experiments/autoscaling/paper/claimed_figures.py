"""Printed differences and levels of Ezzeddine et al. 2024, judged over simulated seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from live.live_settings import DRIFT, EVEN
from pipeline.experiments.autoscaling.paper import paired_claims
from pipeline.experiments.autoscaling.paper.figure_kinds import Figure
from pipeline.experiments.autoscaling.paper.group_claims import (
    COLUMNS,
    Claim,
    Role,
    claims,
    difference_text,
    printed_run,
    roles,
    rows_of,
)
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.inputs.traces.published_workloads import WORKLOADS
from pipeline.reporting.sections import level_tolerances, numbers
from pipeline.reporting.sections.ezzeddine_figures import (
    EZZEDDINE,
    FIXED,
    OVERPROVISIONING,
    TITLES,
)
from pipeline.reporting.sections.printed_value import Printed, with_unit
from pipeline.reporting.sections.published_figure import PublishedFigure
from pipeline.reporting.sections.sign_verdicts import sign_verdict
from pipeline.reporting.sections.tolerances import Judged, Measured, by_own_rule
from pipeline.settings import split_field
from pipeline.settings.scaling_experiment import ScalingExperiment
from schemas.verdicts import NO_INTERVAL, NOT_COMPARABLE, OPEN

LEAST_SEEDS = 30
"""Seeds from which on there are verdicts."""

_QUANTITIES = {column: TITLES[field] for field, column in COLUMNS.items()}

Claimed = tuple[ScalingExperiment, str | None]
"""An experiment with seeds for claims, and the paper's name of its workload."""


def figures(experiments: Iterable[Claimed]) -> Iterator[Figure]:
    """Printed differences, then printed levels, of each experiment."""
    for one, workload in experiments:
        for claim in claims(one, workload):
            for quantity in claim.printed:
                yield _difference(one, str(workload), claim, quantity)
        for role in roles(one):
            yield from _levels(one, workload, role)


def _workload(one: ScalingExperiment, workload: str) -> str:
    return f"{workload}, {split_field.text(one.split)} {one.partitions}"


def _shape(one: ScalingExperiment) -> str:
    """What to know of levels on a generated workload."""
    apart = {workload.shape: workload.apart for workload in WORKLOADS}.get(one.profile)
    if apart is None:
        return ""
    return f"rates have the shape of the published ones, which differ by up to {apart:g} events/s"


def _few_seeds(one: ScalingExperiment) -> str:
    few = one.claim_seeds < LEAST_SEEDS
    return f"{one.claim_seeds} seeds, not {LEAST_SEEDS}" if few else ""


def _difference(one: ScalingExperiment, workload: str, claim: Claim, quantity: str) -> Figure:
    texts = claim.printed[quantity]
    values = [Printed.of(text) for text in texts]
    decimals = max(value.decimals for value in values)
    apart = values[0].value - values[1].value
    title, unit = _QUANTITIES[quantity]
    return PublishedFigure(
        key=f"{one.name}: {claim.words}: {quantity}",
        source=EZZEDDINE,
        place=claim.place,
        workload=_workload(one, workload),
        strategy=claim.words,
        candidate=f"{claim.first} − {claim.second}",
        figure=f"difference of {title}",
        value=Printed(difference_text(texts, apart, decimals), apart, apart, decimals),
        unit=unit,
        tolerance=by_own_rule,
        measure=partial(_measured, one, claim, quantity, apart),
        incomparable=_few_seeds(one),
    )


def _measured(
    one: ScalingExperiment, claim: Claim, quantity: str, published: float, run: PaperRun
) -> Measured:
    rows = run.claim_differences
    own = rows[(rows["experiment"] == one.name) & (rows["claim"] == claim.words)]
    own = own[own["quantity"] == quantity]
    if own.empty:
        return Measured(missing="not run")
    ours = paired_claims.judged(own)
    if math.isnan(ours.difference):
        return Measured(missing="not all seeds have a value")
    unit = _QUANTITIES[quantity][1]
    verdict = OPEN if ours.decided_by else sign_verdict(ours.sign, published)
    decided = f"decided by {ours.decided_by}; " if ours.decided_by else ""
    return Measured(
        (ours.difference,),
        with_unit(numbers.fixed(ours.difference, 2), unit),
        (ours.low, ours.high),
        says=NO_INTERVAL if math.isnan(ours.low) else verdict,
        note=f"{decided}{ours.seeds} paired seeds, drifting bursts; {ranges(ours)}",
    )


def ranges(ours: paired_claims.Judgement) -> str:
    """Differences by arrivals, in words."""
    parts = []
    for name, (low, high) in ours.ends.items():
        if not math.isnan(low):
            ends = dict.fromkeys((numbers.fixed(low, 2), numbers.fixed(high, 2)))
            parts.append(f"{name} {' to '.join(ends)}")
    return ", ".join(parts)


def _levels(one: ScalingExperiment, workload: str | None, role: Role) -> Iterator[Figure]:
    printed, rows = printed_run(one, workload, role), rows_of(one, workload, role)
    if printed is None or rows is None:
        return
    candidate = roles(one)[role]
    is_fixed = role.name == OVERPROVISIONING
    for field, text in printed._asdict().items():
        if not text:
            continue
        title, unit = TITLES[field]
        column = COLUMNS[field]
        yield PublishedFigure(
            key=f"{one.name}: {candidate.label}: {column}",
            source=EZZEDDINE,
            place=rows.place,
            workload=_workload(one, str(workload)),
            strategy=role.name,
            candidate=candidate.label,
            figure=title,
            value=Printed.of(text),
            unit=unit,
            tolerance=level_tolerances.like_fixed if is_fixed else _in_range,
            measure=partial(_level, one, candidate.label, column),
            incomparable="" if is_fixed else _few_seeds(one),
            by_construction=FIXED if is_fixed else "",
            note=_shape(one),
        )


def _level(one: ScalingExperiment, label: str, column: str, run: PaperRun) -> Measured:
    """Mean over drifts and seeds, and the range over all bursts."""
    rows = run.claim_runs
    own = rows[(rows["experiment"] == one.name) & (rows["label"] == label)]
    own = own[own["arrivals"] != EVEN]
    values = own[column].to_numpy(np.float64)
    if not len(values):
        return Measured(missing="not run")
    if not np.isfinite(values).all():
        return Measured(missing="not all events are served")
    mean = _mean(own[own["arrivals"] == DRIFT][column])
    return Measured((mean,), interval=(float(values.min()), float(values.max())))


def _mean(values: pd.Series) -> float:
    return float(values.astype(float).mean())


def _in_range(printed: Printed, unit: str, measured: Measured) -> Judged:
    if not measured.values:
        return Judged(NOT_COMPARABLE)
    (mean,), (low, high) = measured.values, measured.interval
    over = "seeds, phases, drifts, keys and cooldowns"
    return level_tolerances.in_range(printed, mean, low, high, over)
