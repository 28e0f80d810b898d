"""Figures that Russo Russo et al. 2021 print on their application of three functions.

They draw its rates and give no service times, so only claims that hold in any such setting are
judged: orders and bounds. Its numbers are shown next to ours. Both families measure them, one in
simulations and one on a Pulsar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import RUSSO_RUSSO, PublishedFigure
from pipeline.reporting.sections.tolerances import Measured, most_seeds, spread_over_seeds

TITLES = {
    "threshold": "threshold",
    "ds2": "DS2",
    "queueing": "queueing, a bound per function",
    "queueing_paths": "queueing, a bound per path",
}
"""Policies with the paper's names. The figures are of one queueing policy; both of its forms are
compared: a bound per function, and one along each path."""

Policies = Mapping[str, Mapping[str, float]]
"""What the policies of one seed did, by policy: ``mean_instances``, ``fewest_instances`` and
``most_instances`` of all functions, and ``mean`` and ``peak`` of the response, s."""

Seeds = Sequence[Policies]
Measure = Callable[[Seeds], Measured]
Figure = PublishedFigure[Seeds]


def _claim(key: str, policy: str, figure: str, text: str, measure: Measure) -> Figure:
    return Figure(
        key=f"Russo Russo 2021: {key}",
        source=RUSSO_RUSSO,
        place="Section 5.2",
        workload="three functions, six intervals of 10 minutes",
        strategy=TITLES[policy],
        candidate=policy,
        figure=figure,
        value=Printed(text),
        tolerance=most_seeds,
        measure=measure,
    )


def _holds(claim: Callable[[Policies], bool]) -> Measure:
    """Whether a claim holds, for each seed."""
    return lambda seeds: Measured([claim(one) for one in seeds])


def _ascending(column: str, *policies: str) -> Measure:
    """Whether policies have this strict order, for each seed."""

    def claim(one: Policies) -> bool:
        values = [one[policy][column] for policy in policies]
        return values == sorted(values) and len(set(values)) == len(values)

    return _holds(claim)


def _claims(policy: str) -> list[Figure]:
    """Claims that involve the queueing policy, in one of its forms."""
    cheaper, faster = "threshold < DS2 < queueing", "queueing < DS2 < threshold"
    upward, downward = ("threshold", "ds2", policy), (policy, "ds2", "threshold")
    return [
        _claim(f"{policy}_instances", policy, "mean instances", cheaper,
               _ascending("mean_instances", *upward)),
        _claim(f"{policy}_mean", policy, "mean response time", faster,
               _ascending("mean", *downward)),
        _claim(f"{policy}_peak", policy, "peak response time", faster,
               _ascending("peak", *downward)),
        _claim(f"{policy}_bound", policy, "peak response time", "never above 3 s",
               _holds(lambda one: one[policy]["peak"] <= 3.0)),
    ]  # fmt: skip


_NUMBERS = (
    ("mean_instances", "mean_instances", "mean instances", ""),
    ("mean_s", "mean", "mean response time", "s"),
    ("peak_s", "peak", "peak response time", "s"),
)
"""Last part of a figure's key, its column, its name and unit."""


def _numbers_of(policy: str, *printed: str) -> list[Figure]:
    """The printed numbers of a policy, which are only shown next to ours."""
    return [
        replace(
            _claim(f"{policy}_{key}", policy, title, text, _column(policy, column)),
            value=Printed.of(text),
            unit=unit,
            tolerance=spread_over_seeds,
            incomparable="the paper draws the rates and gives no service times",
        )
        for (key, column, title, unit), text in zip(_NUMBERS, printed, strict=True)
    ]


def _column(policy: str, column: str) -> Measure:
    return lambda seeds: Measured([float(one[policy][column]) for one in seeds])


def _between(one: Policies) -> bool:
    own: Mapping[str, Any] = one["threshold"]
    return bool(3 <= own["fewest_instances"] <= own["most_instances"] <= 7)


_QUEUEING = ("5 for most of the time", "1.03", "never above 3")

FIGURES: tuple[Figure, ...] = (
    _claim("threshold_bounds", "threshold", "instances", "3 to 7", _holds(_between)),
    *_claims("queueing"),
    *_claims("queueing_paths"),
    *_numbers_of("threshold", "3.5", "23", "74"),
    *_numbers_of("ds2", "4.5", "2.7", "26"),
    *_numbers_of("queueing", *_QUEUEING),
    *_numbers_of("queueing_paths", *_QUEUEING),
)
"""In the paper's order."""
