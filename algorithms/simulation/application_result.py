"""Result of the simulation of an application."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Floats, Longs
from algorithms.simulation.application_graph import Path


class PathResponses(NamedTuple):
    """Response times along a path: from the arrival of a source's event to its last completion.

    Without events, all figures except `events` are None.

    Attributes
    ----------
    path : tuple of str
        Names of the functions, in order.
    events : int
        Completed events.
    mean, p50, p90, p99, max : float or None
        Seconds. A percentile q is the least response time that at least q % do not exceed.
    above : float or None
        Share of the events whose response time exceeds `r_max`.
    peak : float or None
        Maximum of the means over the events completed in each 30 s; intervals start at multiples.
    """

    path: Path
    events: int
    mean: float | None
    p50: float | None
    p90: float | None
    p99: float | None
    max: float | None
    above: float | None
    peak: float | None


class Scaling(NamedTuple):
    """A change of the instances of a function.

    Attributes
    ----------
    time : float
        Seconds since the start.
    function : str
        Its name.
    before, after : int
        Instances asked for.
    """

    time: float
    function: str
    before: int
    after: int


class ApplicationResult(NamedTuple):
    """Result of a simulation of F functions in W intervals between decisions.

    Attributes
    ----------
    functions : tuple of str
        Names, in topological order, ties in the order given; the order of all arrays here.
    times : float64[W + 1]
        Beginnings of the intervals, and the end of the last source; s.
    instances : int64[W, F]
        Instances asked for in each interval.
    mean_instances, max_instances : float, int
        Mean over time, and maximum, of the instances of all functions together.
    scalings : tuple of Scaling
        Changes of instances, in order.
    paths : tuple of PathResponses
        Response times along each path from a source to a function without a downstream one.
    backlogs : int64[W + 1, F]
        Events that are waiting or in service at `times`.
    end_s : float
        When the last event was completed, or the last source ended if that was later; s.
    events : int64[F]
        Events that arrived, all of which are completed at the end.
    mean_waits, mean_responses : float64[F]
        Mean time until service begins, and until completion; s, NaN without events.
    mean_backlogs, busy_s : float64[F]
        Mean backlog up to `end_s`; instance-seconds of service.
    """

    functions: tuple[str, ...]
    times: Floats
    instances: Longs
    mean_instances: float
    max_instances: int
    scalings: tuple[Scaling, ...]
    paths: tuple[PathResponses, ...]
    backlogs: Longs
    end_s: float
    events: Longs
    mean_waits: Floats
    mean_responses: Floats
    mean_backlogs: Floats
    busy_s: Floats
