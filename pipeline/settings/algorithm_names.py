"""Lists of algorithms, checked against the registry, which is imported on demand."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pipeline.base.text.quoting import named
from pipeline.inputs.traces import trace_topics
from pipeline.inputs.traces.trace_topics import Topics
from pipeline.settings.field_checks import REFERENCE, FieldError, algorithm_names

BOUNDED = ("BFD", "MBF", "MWF")
"""Algorithms whose Rscore is compared with its lower bound by default."""

_BOUND_FIELD = "bound_algorithms"

OWN = ("BFD+M+P", "MWF+M+P", "SR_0", "SR_0.4", "SR_1", "SR_2", "SR_5", "SR_inf")
"""Algorithms beyond the paper's in a trace's default algorithms: docs/frontier.md compares more."""

ALL_STATIC = 12
"""Partitions up to which a trace's default algorithms have a fixed group of every size."""

MAX_BETWEEN = 6
"""Fixed groups between the sizes for the mean and the peak load."""

LARGER = (1.25, 1.5, 2.0, 3.0)
"""Fixed groups above the size for the peak load, as multiples of it."""


def resolve(names: Sequence[str], field: str = "algorithms") -> tuple[str, ...]:
    """Names of algorithms that exist, with ``reference`` replaced by the paper's twelve.

    names: Names as the user gave them, ranges written out.
    Raises FieldError if a name is unknown (the message lists the known ones), occurs twice or is
        ``kd_0``.
    """
    from algorithms.assignment import registry
    from algorithms.core.input_errors import AlgorithmError

    algorithms: list[str] = []
    for name in names:
        algorithms += registry.reference_set() if name == REFERENCE else (name,)
    for name in algorithms:
        try:
            registry.get(name)
        except AlgorithmError as error:
            said = str(error).replace(repr(name), named(name))
            raise FieldError(f"`{field}`: {said}", field) from None
    if len(set(algorithms)) < len(algorithms):
        repeated = next(name for name in algorithms if algorithms.count(name) > 1)
        raise FieldError(
            f"`{field}` contains {repeated} twice; {REFERENCE} includes it, remove the other",
            field,
        )
    return tuple(algorithms)


def check_partitions(
    names: Sequence[str], partitions: int, whose: str = "", field: str = "algorithms"
) -> None:
    """Raise `FieldError` if an algorithm needs more consumers than there are partitions."""
    from algorithms.assignment import registry

    for name in names:
        n = registry.members_of(name) or 0
        if n > partitions:
            raise FieldError(
                f"`{field}`: {name} has {n} consumers, more than the {partitions} "
                f"partitions{whose}; choose {name.partition('_')[0]}_{partitions} or lower",
                field,
                "partitions",
            )


def fitting(names: Sequence[str], partitions: int) -> tuple[str, ...]:
    """Names without the Kafka assignments to more consumers than there are partitions."""
    from algorithms.assignment import registry

    return tuple(name for name in names if (registry.members_of(name) or 0) <= partitions)


def bounded(value: object, run: Sequence[str]) -> tuple[str, ...]:
    """Algorithms whose Rscore is compared with its lower bound.

    value: Names; an empty list for none, None for those of `BOUNDED` in ``run``.
    Raises FieldError if a name is not in ``run``, or its algorithm ignores capacity.
    """
    from algorithms.assignment import registry

    if value is None:
        return tuple(name for name in BOUNDED if name in run)
    if value in ([], ()):
        return ()
    names = algorithm_names(_BOUND_FIELD, value)
    if REFERENCE in names:
        names = resolve(names)
    for name in names:
        fixed = registry.members_of(name) is not None
        # Of other names, only those that are run are known to be valid.
        if fixed or (name in run and not keeps_capacity(name)):
            raise FieldError(
                f"`{_BOUND_FIELD}` must not contain {name}: it ignores the capacity, so no bound "
                "applies; remove it",
                _BOUND_FIELD,
            )
        if name not in run:
            raise FieldError(
                f"`{_BOUND_FIELD}` must be among `algorithms`: {', '.join(run)} "
                f"(got {named(name)})",
                _BOUND_FIELD,
                "algorithms",
            )
    return names


def for_trace(
    partitions: int,
    capacity: float,
    mean: float,
    peak: float,
    topics: Sequence[Topics] = (),
) -> tuple[str, ...]:
    """Default algorithms for a recorded trace.

    The paper's twelve, `OWN`, ``kd_n`` for the numbers of consumers in `static_sizes`, and
    ``range_n`` for those in `range_sizes`.
    """
    fixed = [f"kd_{n}" for n in static_sizes(partitions, capacity, mean, peak)]
    fixed += [f"range_{n}" for n in range_sizes(topics, capacity, mean, peak)]
    return (REFERENCE, *OWN, *fixed)


def range_sizes(topics: Sequence[Topics], capacity: float, mean: float, peak: float) -> list[int]:
    """Numbers of consumers for which the range assignor is compared with ``kd_n``, ascending.

    The consumers that the mean and the peak load need, and their neighbours, at most one per
    partition of the largest topic: Kafka leaves any others idle. Sizes at which it assigns as
    ``kd_n`` does are left out. So are traces of one topic: there, ``range_n`` differs from ``kd_n``
    only in which partitions are neighbours.

    capacity, mean, peak: As for `static_sizes`.

    >>> range_sizes([((0, 1, 2, 3), (4, 5, 6, 7, 8))], 10.0, 25.0, 38.0)
    [2, 3, 4, 5]
    >>> range_sizes([((0, 1, 2, 3), (4, 5, 6, 7))], 10.0, 25.0, 38.0)
    [2, 3]
    """
    if all(len(each) < 2 for each in topics):
        return []
    most = min(map(trace_topics.largest, topics))
    needed = [math.ceil(min(rate / capacity, most)) for rate in (mean, peak)]
    sizes = {min(n + step, most) for n in needed for step in (-1, 0, 1)}
    return sorted(
        n
        for n in sizes
        if n > 1 and not all(trace_topics.are_dealt_in_turn(each, n) for each in topics)
    )


def static_sizes(partitions: int, capacity: float, mean: float, peak: float) -> list[int]:
    """Numbers of consumers that an engineer would consider for a fixed group, ascending.

    All of them up to `ALL_STATIC` partitions. Else the consumers that the mean and the peak load
    need, those between (at most `MAX_BETWEEN`, evenly spaced), their neighbours, and larger groups
    up to a consumer per partition, because a fixed group is limited by its busiest member.

    capacity: Planned maximum load of a consumer, bytes/s.
    mean, peak: Mean and greatest total rate, bytes/s.

    >>> static_sizes(100, 10.0, 55.0, 118.0)
    [5, 6, 7, 8, 9, 11, 12, 13, 15, 18, 24, 36, 100]
    """
    if partitions <= ALL_STATIC:
        return list(range(1, partitions + 1))
    low, high = (math.ceil(min(rate / capacity, partitions)) for rate in (mean, peak))
    steps = min(high - low, MAX_BETWEEN)
    sizes = {low + round(i * (high - low) / max(steps, 1)) for i in range(steps + 1)}
    sizes |= {low - 1, low + 1, high - 1, high + 1, partitions}
    sizes |= {math.ceil(factor * high) for factor in LARGER}
    return sorted(n for n in sizes if 1 <= n <= partitions)


def keeps_capacity(name: str) -> bool:
    """Whether an algorithm keeps consumers within capacity, unlike Kafka's static assignments."""
    from algorithms.assignment import registry

    return registry.get(name).keeps_capacity
