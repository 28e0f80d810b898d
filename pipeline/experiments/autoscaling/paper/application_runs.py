"""The application of three functions that Russo Russo et al. 2021 scale, under each policy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from algorithms.simulation import simulate_application
from algorithms.workloads.image_application import image_application

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


Policies = Mapping[str, ApplicationFigures]
"""Figures of one seed by policy."""


def simulate_seed(seed: int) -> dict[str, ApplicationFigures]:
    """Simulate the application once under each policy; all see the same images."""
    return {policy: _simulate(policy, seed) for policy in POLICIES}


def _simulate(policy: str, seed: int) -> ApplicationFigures:
    settings = {"seed": seed, "r_max": R_MAX_S}
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
