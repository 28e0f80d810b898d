"""Figures of autoscalers that Ezzeddine et al. 2024 publish, with the settings to compare in.

Their Algorithms 1 and 2 and the reference "Linear" ran on a Kubernetes cluster, so their latencies
are not those of a model. What follows from the workload and a rule alone is marked as computed.
Optimal and Overprovisioning are the authors' own computations.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from algorithms.autoscaling.candidates import Candidate, candidate
from pipeline.experiments.autoscaling.paper.comparison_row import Printed
from pipeline.inputs.traces.published_workloads import (
    W1,
    W2,
    Partitioning,
    PublishedWorkload,
)

SOURCE = (
    "Ezzeddine, Baude, Huet: Tail-Latency Aware and Resource-Efficient Bin Pack Autoscaling for"
    " Distributed Event Queues, CLOSER 2024"
)

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


class Run(NamedTuple):
    """What a figure is of: the strategy in the paper's words, and the candidate to simulate."""

    strategy: str
    candidate: Candidate


class Measure(NamedTuple):
    """What a figure measures: a field of `algorithms.simulation.Result`, its name and unit."""

    field: str
    title: str
    unit: str


SLA = Measure("sla_percent", "events within 0.5 s", "%")
MINUTES = Measure("replica_minutes", "replica-minutes", "min")
UP, DOWN = Measure("n_up", "scalings up", ""), Measure("n_down", "scalings down", "")
MAXIMUM = Measure("max", "maximum latency", "s")


class Figure(NamedTuple):
    """A published figure."""

    location: str
    """Table or section of the paper."""
    workload: PublishedWorkload
    """The workload."""
    partitioning: Partitioning
    """How it is split."""
    run: Run
    """The strategy, with the settings that differ from the defaults."""
    measure: Measure
    """What is measured."""
    text: str
    """The figure as printed."""
    computed: bool = False
    """Whether it follows from the workload."""
    note: str = ""
    """What a reader should know."""

    @property
    def holds_by_construction(self) -> bool:
        """Whether no simulation could give another value."""
        return self.note == _FIXED

    @property
    def printed(self) -> Printed:
        """The figure with its number."""
        return Printed.of(self.text)


def _algorithm(number: int, **further: float) -> Run:
    parameters = {**NEAREST, **further}
    return Run(f"Algorithm {number}", candidate(f"least_loaded_{number}", **parameters))


def _linear(**parameters: float | str) -> Run:
    return Run("Linear", candidate("linear", **parameters))


_DELAYED = {"heartbeat_s": 3.0, "cooldown_s": 10.0}
_SECOND = _algorithm(2)
_LINEAR = _linear(**_DELAYED)
_LINEAR_BURSTS = _linear(arrivals="burst", **_DELAYED)
_OPTIMAL = Run("Optimal", candidate("optimal", rebalance_s=0.0))
# The group starts with the replicas that it keeps: with one, they would start with the first step.
_OVERPROVISIONING = Run("Overprovisioning", candidate("overprovision", initial_replicas=5))

_CUT = "the authors' reader cuts the last sample to 21"
_COPIED = "the paper prints the counts of Algorithm 2 here"
_FIXED = "the number of replicas is fixed"
_LONGER = "the samples of the file last 7,207 s"


def _table_2() -> list[Figure]:
    row = partial(Figure, "Table 2", W1, EQUAL)
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
        row(_OVERPROVISIONING, UP, "0", True, _FIXED),
        row(_OVERPROVISIONING, DOWN, "0", True, _FIXED),
    ]


def _table_3() -> list[Figure]:
    row = partial(Figure, "Table 3", W2, EQUAL)
    as_read = partial(Figure, "Table 3", W2, EQUAL_AS_READ)
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
        row(_OVERPROVISIONING, UP, "0", True, _FIXED),
        row(_OVERPROVISIONING, DOWN, "0", True, _FIXED),
    ]


def _section_5_1() -> list[Figure]:
    even = partial(Figure, "Section 5.1", W1, EQUAL)
    first = partial(Figure, "Section 5.1", W1, SKEWED)
    second = partial(Figure, "Section 5.1", W2, SKEWED)
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
    first = partial(Figure, "Section 5.2", W1, EQUAL)
    second = partial(Figure, "Section 5.2", W2, EQUAL)
    sooner = _algorithm(2, heartbeat_s=0.5)
    return [
        first(sooner, SLA, "98.1"),
        first(sooner, MAXIMUM, "< 1"),
        second(sooner, SLA, "99.07"),
        second(_SECOND, MAXIMUM, "around 3"),
        second(sooner, MAXIMUM, "< 1"),
    ]


def _section_5_3() -> list[Figure]:
    row = partial(Figure, "Section 5.3", W1, EQUAL)
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


FIGURES = (*_table_2(), *_table_3(), *_section_5_1(), *_section_5_2(), *_section_5_3())
"""All of them, in the paper's order; latencies of Linear with even arrivals and with bursts."""
