"""Result of the simulation of an application."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_graph import Path

if TYPE_CHECKING:
    from algorithms.simulation.application_measures import Window


class PathResponses(NamedTuple):
    """Response times, from a source's event to its last completion; without events, None."""

    path: Path
    """Names of the functions, in order."""
    events: int
    """Completed events."""
    mean: float | None
    p50: float | None
    p90: float | None
    p99: float | None
    max: float | None
    """`mean`, `p50`, `p90`, `p99`, `max`: seconds. A percentile q is the least response time that
    at least q % do not exceed."""
    above: float | None
    """Share of the events whose response time exceeds `r_max`."""
    peak: float | None
    """Maximum of the means over the events completed in each 30 s; intervals start at multiples."""


class IntervalResponses(NamedTuple):
    """Responses of Q paths in W intervals between decisions, by when they are completed."""

    events: Longs
    """int64[W, Q]: completed events."""
    means: Floats
    """float64[W, Q]: their mean response time, s; NaN without any."""


class Scaling(NamedTuple):
    """A change of the instances of a function."""

    time: float
    """Seconds since the start."""
    function: str
    before: int
    after: int
    """`before`, `after`: instances asked for."""


class ApplicationResult(NamedTuple):
    """Result of a simulation of F functions in W intervals between decisions."""

    functions: tuple[str, ...]
    """Names, in topological order, ties in the order given; the order of all arrays here."""
    times: Floats
    """float64[W + 1]: beginnings of the intervals, and the end of the last source; s."""
    instances: Longs
    """int64[W, F]: instances asked for in each interval."""
    mean_instances: float
    max_instances: int
    """`mean_instances`, `max_instances`: mean over time, and maximum, of the instances of all
    functions together."""
    scalings: tuple[Scaling, ...]
    """Changes of instances, in order."""
    paths: tuple[PathResponses, ...]
    """Response times along each path from a source to a function without a downstream one."""
    backlogs: Longs
    """int64[W + 1, F]: events that are waiting or in service at `times`."""
    end_s: float
    """When the last event was completed, or the last source ended if that was later; s."""
    events: Longs
    """int64[F]: events that arrived, all of which are completed at the end."""
    mean_waits: Floats
    mean_responses: Floats
    """`mean_waits`, `mean_responses`: float64[F]: mean time until service begins, and until
    completion; s, NaN without events."""
    mean_backlogs: Floats
    busy_s: Floats
    """`mean_backlogs`, `busy_s`: float64[F]: mean backlog up to `end_s`; instance-seconds of
    service."""
    windows: tuple[Window, ...]
    """Measurements of each of the W intervals."""
    responses: IntervalResponses
    """Response times in each of them, in the order of `paths`."""
