"""Figures that papers print on autoscaling, each with how a run is compared with it.

Ezzeddine et al. 2024 ran on a cluster (`pipeline.reporting.sections.ezzeddine_figures`), so their
latencies are not those of a model. What follows from the workload and a rule alone is marked as
computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from algorithms.autoscaling import queueing
from algorithms.autoscaling.candidates import candidate
from pipeline.experiments.autoscaling.paper import kip_169
from pipeline.experiments.autoscaling.paper.figure_kinds import (
    DOWN,
    MAXIMUM,
    MINUTES,
    SLA,
    UP,
    Figure,
    Strategy,
    example,
    on_workload,
)
from pipeline.inputs.traces.published_workloads import W1, W2, Partitioning, PublishedWorkload
from pipeline.reporting.sections.ezzeddine_figures import (
    FIRST,
    FIXED,
    LINEAR,
    LINEAR_IN_TEXT,
    OPTIMAL,
    OVERPROVISIONING,
    SECOND,
    SKEWED_1,
    SKEWED_2,
    SLOW_REBALANCES,
    SOONER_1,
    SOONER_2,
    TABLE_2,
    TABLE_3,
    Runs,
)
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import RUSSO_RUSSO
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
_LONGER = "the samples of the file last 7,207 s"


def _algorithm(number: int, **further: float) -> Strategy:
    parameters = {**NEAREST, **further}
    return Strategy(f"Algorithm {number}", candidate(f"least_loaded_{number}", **parameters))


def _linear(**parameters: float | str) -> Strategy:
    return Strategy(LINEAR, candidate("linear", **parameters))


_DELAYED = {"heartbeat_s": 3.0, "cooldown_s": 10.0}
_SECOND = _algorithm(2)
_LINEAR = _linear(**_DELAYED)
_LINEAR_BURSTS = _linear(arrivals="burst", **_DELAYED)
_OPTIMAL = Strategy(OPTIMAL, candidate("optimal", rebalance_s=0.0))
# The group starts with the replicas that it keeps: with one, they would start with the first step.
_OVERPROVISIONING = Strategy(OVERPROVISIONING, candidate("overprovision", initial_replicas=5))


def _decided(row: Callable[..., Figure], runs: Runs) -> list[Figure]:
    """Rows of the strategies that decide by what they see."""
    second, linear = runs[SECOND], runs[LINEAR]
    return [
        row(_SECOND, SLA, second.sla),
        row(_SECOND, MINUTES, second.minutes),
        row(_SECOND, UP, second.up),
        row(_SECOND, DOWN, second.down),
        row(_LINEAR, SLA, linear.sla),
        row(_LINEAR_BURSTS, SLA, linear.sla),
        row(_LINEAR, MINUTES, linear.minutes, True),
        row(_LINEAR, UP, linear.up, True),
        row(_LINEAR, DOWN, linear.down, True),
    ]


def _table_2() -> list[Figure]:
    row = partial(on_workload, "Table 2", W1, EQUAL)
    optimal, most = TABLE_2[OPTIMAL], TABLE_2[OVERPROVISIONING]
    return [
        *_decided(row, TABLE_2),
        row(_OPTIMAL, SLA, optimal.sla, True),
        row(_OPTIMAL, MINUTES, optimal.minutes, True),
        row(_OPTIMAL, UP, optimal.up, True, _COPIED),
        row(_OPTIMAL, DOWN, optimal.down, True, _COPIED),
        row(_OVERPROVISIONING, SLA, most.sla),
        row(_OVERPROVISIONING, MINUTES, most.minutes, True),
        row(_OVERPROVISIONING, UP, most.up, True, by_construction=FIXED),
        row(_OVERPROVISIONING, DOWN, most.down, True, by_construction=FIXED),
    ]


def _table_3() -> list[Figure]:
    row = partial(on_workload, "Table 3", W2, EQUAL)
    as_read = partial(on_workload, "Table 3", W2, EQUAL_AS_READ)
    optimal, most = TABLE_3[OPTIMAL], TABLE_3[OVERPROVISIONING]
    return [
        *_decided(row, TABLE_3),
        row(_OPTIMAL, SLA, optimal.sla, True),
        as_read(_OPTIMAL, MINUTES, optimal.minutes, True, _CUT),
        row(_OPTIMAL, MINUTES, optimal.minutes, False, _CUT),
        row(_OPTIMAL, UP, optimal.up, True, _COPIED),
        row(_OPTIMAL, DOWN, optimal.down, True, _COPIED),
        row(_OVERPROVISIONING, SLA, most.sla),
        row(_OVERPROVISIONING, MINUTES, most.minutes, True, _LONGER),
        row(_OVERPROVISIONING, UP, most.up, True, by_construction=FIXED),
        row(_OVERPROVISIONING, DOWN, most.down, True, by_construction=FIXED),
    ]


def _section_5_1() -> list[Figure]:
    even = partial(on_workload, "Section 5.1", W1, EQUAL)
    first = partial(on_workload, "Section 5.1", W1, SKEWED)
    second = partial(on_workload, "Section 5.1", W2, SKEWED)
    return [
        even(_linear(heartbeat_s=3.0), SLA, LINEAR_IN_TEXT.sla),
        even(_linear(arrivals="burst", heartbeat_s=3.0), SLA, LINEAR_IN_TEXT.sla),
        first(_SECOND, SLA, SKEWED_1[SECOND].sla),
        first(_SECOND, MINUTES, SKEWED_1[SECOND].minutes),
        first(_LINEAR, SLA, SKEWED_1[LINEAR].sla),
        first(_LINEAR_BURSTS, SLA, SKEWED_1[LINEAR].sla),
        first(_LINEAR, MINUTES, SKEWED_1[LINEAR].minutes, True),
        second(_SECOND, SLA, SKEWED_2[SECOND].sla),
        second(_SECOND, MINUTES, SKEWED_2[SECOND].minutes),
        second(_LINEAR, SLA, SKEWED_2[LINEAR].sla),
        second(_LINEAR_BURSTS, SLA, SKEWED_2[LINEAR].sla),
        second(_LINEAR, MINUTES, SKEWED_2[LINEAR].minutes, True),
    ]


def _section_5_2() -> list[Figure]:
    first = partial(on_workload, "Section 5.2", W1, EQUAL)
    second = partial(on_workload, "Section 5.2", W2, EQUAL)
    sooner = _algorithm(2, heartbeat_s=0.5)
    return [
        first(sooner, SLA, SOONER_1.sla),
        first(sooner, MAXIMUM, SOONER_1.maximum),
        second(sooner, SLA, SOONER_2.sla),
        second(_SECOND, MAXIMUM, TABLE_3[SECOND].maximum),
        second(sooner, MAXIMUM, SOONER_2.maximum),
    ]


def _section_5_3() -> list[Figure]:
    row = partial(on_workload, "Section 5.3", W1, EQUAL)
    return [
        row(_algorithm(number, rebalance_s=seconds), quantity, text)
        for seconds, runs in SLOW_REBALANCES.items()
        for number, printed in enumerate((runs[FIRST], runs[SECOND]), 1)
        for quantity, text in ((SLA, printed.sla), (MINUTES, printed.minutes))
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
    return [*on_workloads, *_examples()]
