"""The published application of three functions: its claims, compared over simulations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from algorithms.inference.claim_shares import exact_share, word_of
from algorithms.inference.intervals import prediction_interval
from algorithms.simulation import simulate_application
from algorithms.workloads.image_application import image_application
from pipeline.experiments.autoscaling.paper import published_application as published
from pipeline.experiments.autoscaling.paper.comparison_row import Comparison, difference, value_text
from pipeline.experiments.autoscaling.paper.published_application import POLICIES, QUEUEING, Number
from schemas.verdicts import NO_INTERVAL, NOT_COMPARABLE

ALMOST_ALL = 0.95
"""Share of the seeds in which a claim holds almost always: the stricter reading, which is noted."""

_WORKLOAD = "three functions, six intervals of 10 minutes"
_ASSUMED = "the paper draws the rates and gives no service times"


class ApplicationFigures(NamedTuple):
    """Figures of one simulation."""

    mean_instances: float
    """Mean over time of the instances of all functions together."""
    fewest: int
    most: int
    """`fewest`, `most`: least and greatest number of them."""
    mean_s: float
    peak_s: float
    """`mean_s`, `peak_s`: response time along the path through `recognise`: its mean, and the
    maximum of its means over the images of each 30 s; s."""


Runs = Mapping[str, ApplicationFigures]
"""Figures of one seed by policy."""


class _Claim(NamedTuple):
    key: str
    strategy: str
    figure: str
    text: str
    holds: Callable[[Runs], bool]


def claims(seeds: Iterable[int]) -> list[Comparison]:
    """Simulate the application and return the published claims beside ours.

    Parameters
    ----------
    seeds : iterable of int
        Seeds of the simulations, distinct; 30 are meant.

    Returns
    -------
    list of Comparison
        Claims, then numbers. A claim is reproduced if it holds in at least 95 % of the seeds.
    """
    return compare_runs([simulate_seed(seed) for seed in seeds])


def simulate_seed(seed: int) -> dict[str, ApplicationFigures]:
    """Simulate the application once under each policy; all see the same images."""
    return {policy: _simulate(policy, seed) for policy in POLICIES}


def compare_runs(runs: Sequence[Runs]) -> list[Comparison]:
    """Return the published claims beside simulations of several seeds."""
    return [
        *(_judge(claim, runs) for claim in _claims()),
        *(_show(number, runs) for number in published.NUMBERS),
    ]


def _simulate(policy: str, seed: int) -> ApplicationFigures:
    settings = {"seed": seed, "r_max": published.R_MAX_S}
    result = simulate_application(*image_application(), policy, settings=settings)
    totals = result.instances.sum(axis=1)
    (slowest,) = (path for path in result.paths if "recognise" in path.path)
    # Rates are above 0 in every interval, so there are always images.
    return ApplicationFigures(
        mean_instances=result.mean_instances,
        fewest=int(totals.min()),
        most=int(totals.max()),
        mean_s=math.nan if slowest.mean is None else slowest.mean,
        peak_s=math.nan if slowest.peak is None else slowest.peak,
    )


def _claims() -> list[_Claim]:
    bounds = _Claim(
        "threshold_bounds",
        POLICIES["threshold"],
        "instances",
        f"{published.FEWEST} to {published.MOST}",
        lambda runs: (
            runs["threshold"].fewest >= published.FEWEST
            and runs["threshold"].most <= published.MOST
        ),
    )
    return [bounds, *(claim for policy in QUEUEING for claim in _claims_on(policy))]


def _claims_on(policy: str) -> list[_Claim]:
    """Claims that involve the queueing policy, in one of its forms."""
    name = POLICIES[policy]

    def ascending(field: str, *policies: str) -> Callable[[Runs], bool]:
        def holds(runs: Runs) -> bool:
            values = [getattr(runs[each], field) for each in policies]
            return values == sorted(values) and len(set(values)) == len(values)

        return holds

    upward, downward = ("threshold", "ds2", policy), (policy, "ds2", "threshold")
    return [
        _Claim(f"{policy}_instances", name, "mean instances", "threshold < DS2 < queueing",
               ascending("mean_instances", *upward)),
        _Claim(f"{policy}_mean", name, "mean response time", "queueing < DS2 < threshold",
               ascending("mean_s", *downward)),
        _Claim(f"{policy}_peak", name, "peak response time", "queueing < DS2 < threshold",
               ascending("peak_s", *downward)),
        _Claim(f"{policy}_bound", name, "peak response time",
               f"never above {published.HIGHEST_PEAK_S:g} s",
               lambda runs: runs[policy].peak_s <= published.HIGHEST_PEAK_S),
    ]  # fmt: skip


def _judge(claim: _Claim, runs: Sequence[Runs]) -> Comparison:
    count = sum(claim.holds(each) for each in runs)
    _, low, high = exact_share(count, len(runs))
    return Comparison(
        key=f"Russo Russo 2021: {claim.key}",
        source=published.SOURCE,
        location=published.LOCATION,
        workload=_WORKLOAD,
        strategy=claim.strategy,
        setting="",
        figure=claim.figure,
        unit="",
        published=claim.text,
        published_value=math.nan,
        ours=f"in {count} of {len(runs)} seeds",
        ours_value=math.nan,
        difference="",
        verdict=word_of(low, high) if len(runs) > 1 else NO_INTERVAL,
        note=_readings(count, len(runs), low, high),
    )


def _readings(count: int, seeds: int, low: float, high: float) -> str:
    """Both readings of a claim: of most runs, which the verdict is about, and of almost all."""
    also = "also" if count >= ALMOST_ALL * seeds else "not"
    return f"95 % interval of the share {low:.0%} to {high:.0%}; {also} in {ALMOST_ALL:.0%} of all"


def _show(number: Number, runs: Sequence[Runs]) -> Comparison:
    values = [float(getattr(each[number.policy], number.field)) for each in runs]
    mean, low, high = prediction_interval(values)
    texts = [value_text(number.printed, value) for value in (mean, max(low, 0.0), high)]
    return Comparison(
        key=f"Russo Russo 2021: {number.policy}_{number.field}",
        source=published.SOURCE,
        location=published.LOCATION,
        workload=_WORKLOAD,
        strategy=POLICIES[number.policy],
        setting="",
        figure=number.title,
        unit=number.unit,
        published=number.printed.text,
        published_value=number.printed.value,
        ours=texts[0] if math.isnan(low) else f"{texts[0]} ({texts[1]} to {texts[2]})",
        ours_value=mean,
        difference=difference(number.printed, mean),
        verdict=NOT_COMPARABLE,
        note=_ASSUMED,
    )
