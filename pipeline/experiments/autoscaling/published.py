"""Figures that papers print on autoscaling, each with how a run is compared with it.

Ezzeddine et al. 2024: their Algorithms 1 and 2 and the reference "Linear" ran on a Kubernetes
cluster, so their latencies are not those of a model. What follows from the workload and a rule
alone is marked as computed. Optimal and Overprovisioning are the authors' own computations.

Russo Russo et al. 2021 draw the rates of their application and give no service times, so only
claims that hold in any such setting are judged: orders and bounds. Its numbers are shown beside
ours.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from algorithms.autoscaling import queueing
from algorithms.autoscaling.candidates import candidate
from pipeline.experiments.autoscaling.paper import kip_169
from pipeline.experiments.autoscaling.paper.figure_kinds import (
    DOWN,
    MAXIMUM,
    MINUTES,
    RUSSO_RUSSO,
    SLA,
    UP,
    Figure,
    Strategy,
    claim,
    example,
    numbers_of,
    on_workload,
)
from pipeline.experiments.autoscaling.paper.scaling_measures import ascending, holds
from pipeline.inputs.traces.published_workloads import W1, W2, Partitioning, PublishedWorkload
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.tolerances import Measured, as_printed

NEAREST = {
    "arrivals": "burst",
    "heartbeat_s": 3.0,
    "cooldown_s": 10.0,
    "decision_offset_s": 0.08,
}
"""Settings nearest to the published latencies, chosen after looking at both workloads.

The authors' producer sends the events of a second at once, and their controller waits 10 s after an
action. The offset is a guess: how long after the burst lag is read.
"""

EQUAL, SKEWED = Partitioning("equal", 5), Partitioning("skew", 9)
EQUAL_AS_READ = EQUAL._replace(as_read=True)

_CUT = "the authors' reader cuts the last sample to 21"
_COPIED = "the paper prints the counts of Algorithm 2 here"
_FIXED = "the number of replicas is fixed"
_LONGER = "the samples of the file last 7,207 s"


def _algorithm(number: int, **further: float) -> Strategy:
    parameters = {**NEAREST, **further}
    return Strategy(f"Algorithm {number}", candidate(f"least_loaded_{number}", **parameters))


def _linear(**parameters: float | str) -> Strategy:
    return Strategy("Linear", candidate("linear", **parameters))


_DELAYED = {"heartbeat_s": 3.0, "cooldown_s": 10.0}
_SECOND = _algorithm(2)
_LINEAR = _linear(**_DELAYED)
_LINEAR_BURSTS = _linear(arrivals="burst", **_DELAYED)
_OPTIMAL = Strategy("Optimal", candidate("optimal", rebalance_s=0.0))
# The group starts with the replicas that it keeps: with one, they would start with the first step.
_OVERPROVISIONING = Strategy("Overprovisioning", candidate("overprovision", initial_replicas=5))


def _table_2() -> list[Figure]:
    row = partial(on_workload, "Table 2", W1, EQUAL)
    return [
        row(_SECOND, SLA, "97.4"),
        row(_SECOND, MINUTES, "30.21"),
        row(_SECOND, UP, "6"),
        row(_SECOND, DOWN, "6"),
        row(_LINEAR, SLA, "94.7"),
        row(_LINEAR_BURSTS, SLA, "94.7"),
        row(_LINEAR, MINUTES, "25.5", True),
        row(_LINEAR, UP, "6", True),
        row(_LINEAR, DOWN, "6", True),
        row(_OPTIMAL, SLA, "100", True),
        row(_OPTIMAL, MINUTES, "32.7", True),
        row(_OPTIMAL, UP, "6", True, _COPIED),
        row(_OPTIMAL, DOWN, "6", True, _COPIED),
        row(_OVERPROVISIONING, SLA, "100"),
        row(_OVERPROVISIONING, MINUTES, "50", True),
        row(_OVERPROVISIONING, UP, "0", True, by_construction=_FIXED),
        row(_OVERPROVISIONING, DOWN, "0", True, by_construction=_FIXED),
    ]


def _table_3() -> list[Figure]:
    row = partial(on_workload, "Table 3", W2, EQUAL)
    as_read = partial(on_workload, "Table 3", W2, EQUAL_AS_READ)
    return [
        row(_SECOND, SLA, "98.9"),
        row(_SECOND, MINUTES, "402.9"),
        row(_SECOND, UP, "20"),
        row(_SECOND, DOWN, "16"),
        row(_LINEAR, SLA, "95.4"),
        row(_LINEAR_BURSTS, SLA, "95.4"),
        row(_LINEAR, MINUTES, "325.7", True),
        row(_LINEAR, UP, "23", True),
        row(_LINEAR, DOWN, "20", True),
        row(_OPTIMAL, SLA, "100", True),
        as_read(_OPTIMAL, MINUTES, "414.11", True, _CUT),
        row(_OPTIMAL, MINUTES, "414.11", False, _CUT),
        row(_OPTIMAL, UP, "20", True, _COPIED),
        row(_OPTIMAL, DOWN, "16", True, _COPIED),
        row(_OVERPROVISIONING, SLA, "100"),
        row(_OVERPROVISIONING, MINUTES, "600", True, _LONGER),
        row(_OVERPROVISIONING, UP, "0", True, by_construction=_FIXED),
        row(_OVERPROVISIONING, DOWN, "0", True, by_construction=_FIXED),
    ]


def _section_5_1() -> list[Figure]:
    even = partial(on_workload, "Section 5.1", W1, EQUAL)
    first = partial(on_workload, "Section 5.1", W1, SKEWED)
    second = partial(on_workload, "Section 5.1", W2, SKEWED)
    return [
        even(_linear(heartbeat_s=3.0), SLA, "93.9"),
        even(_linear(arrivals="burst", heartbeat_s=3.0), SLA, "93.9"),
        first(_SECOND, SLA, "98.9"),
        first(_SECOND, MINUTES, "29.8"),
        first(_LINEAR, SLA, "84.7"),
        first(_LINEAR_BURSTS, SLA, "84.7"),
        first(_LINEAR, MINUTES, "25.5", True),
        second(_SECOND, SLA, "99.08"),
        second(_SECOND, MINUTES, "392.15"),
        second(_LINEAR, SLA, "85.9"),
        second(_LINEAR_BURSTS, SLA, "85.9"),
        second(_LINEAR, MINUTES, "329.7", True),
    ]


def _section_5_2() -> list[Figure]:
    first = partial(on_workload, "Section 5.2", W1, EQUAL)
    second = partial(on_workload, "Section 5.2", W2, EQUAL)
    sooner = _algorithm(2, heartbeat_s=0.5)
    return [
        first(sooner, SLA, "98.1"),
        first(sooner, MAXIMUM, "< 1"),
        second(sooner, SLA, "99.07"),
        second(_SECOND, MAXIMUM, "around 3"),
        second(sooner, MAXIMUM, "< 1"),
    ]


def _section_5_3() -> list[Figure]:
    row = partial(on_workload, "Section 5.3", W1, EQUAL)
    return [
        row(_algorithm(1, rebalance_s=0.5), SLA, "90.1"),
        row(_algorithm(1, rebalance_s=0.5), MINUTES, "33.85"),
        row(_algorithm(2, rebalance_s=0.5), SLA, "98.2"),
        row(_algorithm(2, rebalance_s=0.5), MINUTES, "34.61"),
        row(_algorithm(1, rebalance_s=2.0), SLA, "85.6 (85.4 in the section before)"),
        row(_algorithm(1, rebalance_s=2.0), MINUTES, "34.16"),
        row(_algorithm(2, rebalance_s=2.0), SLA, "99.4"),
        row(_algorithm(2, rebalance_s=2.0), MINUTES, "44.7"),
    ]


def _claims(policy: str) -> list[Figure]:
    """Claims that involve the queueing policy, in one of its forms."""
    cheaper, faster = "threshold < DS2 < queueing", "queueing < DS2 < threshold"
    upward, downward = ("threshold", "ds2", policy), (policy, "ds2", "threshold")
    return [
        claim(f"{policy}_instances", policy, "mean instances", cheaper,
                     ascending("mean_instances", *upward)),
        claim(f"{policy}_mean", policy, "mean response time", faster,
                     ascending("mean_s", *downward)),
        claim(f"{policy}_peak", policy, "peak response time", faster,
                     ascending("peak_s", *downward)),
        claim(f"{policy}_bound", policy, "peak response time", "never above 3 s",
                     holds(lambda run: run[policy].peak_s <= 3.0)),
    ]  # fmt: skip


def _three_functions() -> list[Figure]:
    between = holds(lambda run: 3 <= run["threshold"].fewest <= run["threshold"].most <= 7)
    queueing = ("5 for most of the time", "1.03", "never above 3")
    return [
        claim("threshold_bounds", "threshold", "instances", "3 to 7", between),
        *_claims("queueing"),
        *_claims("queueing_paths"),
        *numbers_of("threshold", "3.5", "23", "74"),
        *numbers_of("ds2", "4.5", "2.7", "26"),
        *numbers_of("queueing", *queueing),
        *numbers_of("queueing_paths", *queueing),
    ]


def _examples() -> list[Figure]:
    """Figures that need no simulation."""
    lag, ours = "total lag of C0 / C1, events", kip_169.total_lags
    other = "round robin gives C0 the first and the third partition"
    return [
        example("kip169", "assignment", "C0: p0; C1: p1 p2", kip_169.assignment),
        example("kip169", lag, "100000 / 110000", ours),
        example("range", lag, "160000 / 50000", ours),
        example("roundrobin", lag, "160000 / 50000", ours, other),
        Figure(
            key="Russo Russo 2021: T",
            source=RUSSO_RUSSO,
            place="Eq. 1-3",
            workload="0.8 events/s, one server of 1 event/s, exponential times",
            strategy="queueing",
            figure="mean response time",
            value=Printed.of("5"),
            unit="s",
            tolerance=as_printed,
            measure=lambda _: Measured((queueing.response_time(0.8, 1.0, 1),)),
            note="M/M/1, for which the approximation is exact",
        ),
    ]


FIGURES = (*_table_2(), *_table_3(), *_section_5_1(), *_section_5_2(), *_section_5_3())
"""On published workloads, in the paper's order; latencies of Linear with even arrivals and with
bursts."""


def figures(workloads: Collection[PublishedWorkload]) -> list[Figure]:
    """Figures that a run with these workloads is compared with."""
    on_workloads = [
        figure
        for workload in (W1, W2)
        if workload in workloads
        for figure in FIGURES
        if figure.workload.startswith(f"{workload.name},")
    ]
    return [*on_workloads, *_examples(), *_three_functions()]
