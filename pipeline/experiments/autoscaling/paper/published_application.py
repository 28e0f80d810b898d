"""What Russo Russo et al. 2021 publish on their application of three functions (Section 5.2).

The paper draws the rates and gives no service times, so only claims that hold in any such setting
are judged: orders and bounds. Its numbers are shown beside ours.
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.experiments.autoscaling.paper.comparison_row import Printed

SOURCE = (
    "Russo Russo, Schiazza, Cardellini: Elastic Pulsar Functions for Distributed Stream"
    " Processing, ICPE 2021 Companion"
)
LOCATION = "Section 5.2"

R_MAX_S = 1.0
"""Bound of the mean response time, s."""

POLICIES = {
    "threshold": "threshold",
    "ds2": "DS2",
    "queueing": "queueing, a bound per function",
    "queueing_paths": "queueing, a bound per path",
}
"""Policies by name in `algorithms.simulation.simulate_application`, with the paper's names.

The figures are of one queueing policy. Both of its forms are compared: a bound per function, and
one along each path.
"""

QUEUEING = ("queueing", "queueing_paths")
"""The two forms of the queueing policy."""


class Number(NamedTuple):
    """A printed number: of which policy, which field of `ApplicationFigures`, and its unit."""

    policy: str
    field: str
    title: str
    unit: str
    printed: Printed


def _numbers(policy: str, instances: str, mean: str, peak: str) -> list[Number]:
    return [
        Number(policy, "mean_instances", "mean instances", "", Printed.of(instances)),
        Number(policy, "mean_s", "mean response time", "s", Printed.of(mean)),
        Number(policy, "peak_s", "peak response time", "s", Printed.of(peak)),
    ]


NUMBERS = (
    *_numbers("threshold", "3.5", "23", "74"),
    *_numbers("ds2", "4.5", "2.7", "26"),
    *(
        number
        for policy in QUEUEING
        for number in _numbers(policy, "5 for most of the time", "1.03", "never above 3")
    ),
)

FEWEST, MOST = 3, 7
"""Instances between which the threshold policy stays."""

HIGHEST_PEAK_S = 3.0
"""Response time that the queueing policy never exceeds, s."""
