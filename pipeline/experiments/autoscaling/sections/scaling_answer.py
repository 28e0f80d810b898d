"""The run's answer in two sentences: what serves the SLA at the lowest cost, what KEDA costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.seeds import derive_seed
from algorithms.inference import intervals
from pipeline.experiments.autoscaling.results.deployable_strategies import foresees
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import (
    GOAL,
    REFERENCE,
    Study,
    cheapest,
    largest,
)
from pipeline.experiments.autoscaling.sections.scaling_totals import Total, Totals
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

OBJECTIVE = f"at least {GOAL:g}{numbers.SPACE}% of the events within the SLA"


class Answer(NamedTuple):
    """Two sentences, and what to know about them."""

    best: str
    """Label of the strategy that they name; "" without one."""
    sentences: list[str]
    notes: list[str]


def answer(results: Results, studies: Sequence[Study]) -> Answer:
    """Compare the candidates that every experiment has, where the SLA can be served at all.

    The best one is the cheapest of those that serve `GOAL` in each of these experiments; if there
    is none, the one that serves most on average.
    """
    recommended = [*_recommended(results)]
    alone = "On the recording alone: " if recommended else ""
    compared = [study for study in studies if cheapest(study.rows) is not None] or list(studies)
    totals = Totals(results, compared)
    common = totals.common()
    notes = _notes(studies, compared)
    if not common:
        words = "No strategy ran with the same parameters in every experiment; see each below."
        return Answer("", [*recommended, f"{alone}{words}"], notes)
    best = min(common, key=lambda one: (-one.served, one.cost, one.name))
    enough = [one for one in common if one.reached == len(compared)]
    if enough:
        best = min(enough, key=lambda one: (one.cost, -one.served, one.name))
    seed = int(results.run.get("seed") or 0)
    first = _best(best, len(common), len(compared), len(studies), seed)
    defaults = [*(one for one in common if one.name == REFERENCE), totals.fixed()]
    others = [one for one in defaults if one is not None and one.name != best.name]
    against = "; ".join(_instead(one, best, seed) for one in others)
    second = [f"{against[0].upper()}{against[1:]}."] if against else []
    return Answer(best.name, [*recommended, f"{alone}{first}", *second], notes)


def _recommended(results: Results) -> Iterator[str]:
    """What to deploy for recorded workloads."""
    rows = results["recommendations"]
    for row in rows.to_dict("records"):
        name = f"{row['experiment']}: " if len(rows) > 1 else ""
        yield f"{name}{row['decision']}"


def _best(best: Total, candidates: int, compared: int, experiments: int, seed: int) -> str:
    """What is best of some candidates, on the experiments compared of all."""
    cost = f"{numbers.fixed(best.cost, 0)} replica-minutes{_spread(best.minutes, best, seed, 0)}"
    among = f"Of {candidates} strategies and settings that scale the group, "
    where = "" if experiments == 1 else f" in all {compared} experiments"
    where += "" if compared == experiments else " in which any strategy does"
    average = " on average" if compared > 1 else ""
    if best.reached == compared:
        return (
            f"{among}{best.name} serves {OBJECTIVE}{where} at the lowest cost: {cost}, with "
            f"{served(best.served)}{average}."
        )
    if candidates == 1:
        return (
            f"{best.name}, the only strategy in every experiment that scales the group, serves "
            f"{served(best.served)} of the events within the SLA{average}, at {cost}."
        )
    met = f" and at least {GOAL:g}{numbers.SPACE}% in {best.reached} of them" * (best.reached > 0)
    return (
        f"{among}none serves {OBJECTIVE}{where}; {best.name} comes closest with "
        f"{served(best.served)}{average}{met}, at {cost}."
    )


def _instead(other: Total, best: Total, seed: int) -> str:
    """What another one costs instead, and what it serves."""
    name = "KEDA with its defaults" if other.name == REFERENCE else "the largest fixed group"
    if not best.minutes.all():  # without events, a group may scale to zero
        cost = numbers.fixed(other.cost, 0)
        return f"{name} costs {cost} replica-minutes and serves {served(other.served)}"
    change = 100.0 * (other.minutes / best.minutes - 1.0)
    mean = float(change.mean())
    size = f"{abs(mean):.1f}{numbers.SPACE}% {'more' if mean >= 0 else 'less'}"
    spread = _spread(change, other, seed, 1, signed=True)
    return f"{name} costs {size}{spread} and serves {served(other.served)}"


def _spread(
    values: NDArray[np.float64], one: Total, seed: int, decimals: int, signed: bool = False
) -> str:
    """The interval of a mean over replicates, in brackets; nothing without one or without width."""
    _, low, high = intervals.mean_interval(values, seed=derive_seed(seed, "answer", one.name))
    form = f"{'+' if signed else ''},.{decimals}f"
    ends = [f"{end:{form}}".replace("-", "−") for end in (low, high)]
    if not math.isfinite(low) or ends[0] == ends[1]:
        return ""
    unit = f"{numbers.SPACE}%" if signed else ""
    return f" (95{numbers.SPACE}% interval {ends[0]} to {ends[1]}{unit})"


def _notes(studies: Sequence[Study], compared: Sequence[Study]) -> list[str]:
    notes = []
    kept = {study.name for study in compared}
    missed = [study.name for study in studies if study.name not in kept]
    if missed:
        notes.append(
            f"No strategy serves {OBJECTIVE} in {numbers.listing(missed)}, so the sentences above "
            f"leave {'it' if len(missed) == 1 else 'them'} out."
        )
    if cheapest(compared[0].rows) is None and len(studies) > 1:
        notes.append(f"No strategy serves {OBJECTIVE} in any experiment.")
    notes.append(
        "The strategy is selected on the streams on which it is judged, so its lead is somewhat "
        "optimistic. Intervals are over replicates and hold for these workloads only."
    )
    return notes + _references(compared)


def _references(compared: Sequence[Study]) -> list[str]:
    """What the fixed group and strategies that know more than the past are."""
    notes = []
    groups = {study.name: largest(study) for study in compared}
    sizes = {name: size_of(row["label"]) for name, row in groups.items() if row is not None}
    full = all(sizes.get(study.name) == str(study.setting["partitions"]) for study in compared)
    if sizes:
        listed = [f"{size} consumers in {name}" for name, size in sizes.items()]
        size = "one consumer per partition" if full else numbers.listing(listed)
        notes.append(f"Kafka itself does not scale a group: the fixed group has {size}.")
    names = {str(name) for study in compared for name in study.rows["strategy"]}
    informed = sorted(name for name in names if foresees(name))
    if informed:
        notes.append(
            f"{numbers.listing(informed)} must know rates beforehand, so the sentences above leave "
            f"{'it' if len(informed) == 1 else 'them'} out."
        )
    return notes


def size_of(label: str) -> str:
    """Consumers of a fixed group."""
    return label.rpartition("=")[2] if "=" in label else "1"
