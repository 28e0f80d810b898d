"""Lists of algorithms, checked against the registry, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.config.fields import REFERENCE, FieldError, algorithm_names
from pipeline.text.quoting import named

BOUNDED = ("BFD", "MBF", "MWF")
"""Algorithms whose Rscore is compared with the least possible one, unless others are named."""

_BOUND_FIELD = "bound_algorithms"

MAX_STATIC = 32
"""Kafka assignments that a trace is tried with unless algorithms are named."""


def resolve(names: Sequence[str]) -> tuple[str, ...]:
    """Names of algorithms that exist, with ``reference`` replaced by the paper's twelve.

    Raises
    ------
    FieldError
        If a name is unknown (the message lists the known ones), occurs twice or is ``kd_0``.
    """
    from algorithms.assignment import registry
    from algorithms.core.input_errors import AlgorithmError

    found: list[str] = []
    for name in names:
        found += registry.reference_set() if name == REFERENCE else (name,)
    for name in found:
        try:
            registry.get(name)
        except AlgorithmError as error:
            said = str(error).replace(repr(name), named(name))
            raise FieldError(f"algorithms: {said}", "algorithms") from None
    if len(set(found)) < len(found):
        repeated = next(name for name in found if found.count(name) > 1)
        raise FieldError(
            f"algorithms has {repeated} twice, once as part of {REFERENCE}: each may occur once; "
            "leave one out",
            "algorithms",
        )
    return tuple(found)


def check_partitions(names: Sequence[str], partitions: int, whose: str = "") -> None:
    """Raise `FieldError` if an algorithm asks for more consumers than there are partitions."""
    from algorithms.assignment import registry

    sizes = {name: registry.parameter_of(name) or 0 for name in names}
    for name, n in sizes.items():
        if n > partitions:
            raise FieldError(
                f"algorithms has {name}, for {n} consumers, and there are {partitions} "
                f"partitions{whose}: n must be from 1 to the number of partitions; "
                f"choose kd_{partitions} or less",
                "algorithms",
                "partitions",
            )


def fitting(names: Sequence[str], partitions: int) -> tuple[str, ...]:
    """Names without the Kafka assignments to more consumers than there are partitions."""
    from algorithms.assignment import registry

    return tuple(name for name in names if (registry.parameter_of(name) or 0) <= partitions)


def bounded(value: object, run: Sequence[str]) -> tuple[str, ...]:
    """Algorithms whose Rscore is compared with the least possible one.

    Parameters
    ----------
    value
        Names; an empty list for none, None for those of `BOUNDED` that are run.
    run
        The experiment's algorithms.

    Raises
    ------
    FieldError
        If a name is not among those that are run, or has no regard to capacity.
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
        if registry.parameter_of(name) is not None:
            raise FieldError(
                f"{_BOUND_FIELD} has {name}, which assigns without regard to capacity: must be "
                "algorithms that keep to it, since no bound holds for others; leave it out",
                _BOUND_FIELD,
            )
        if name not in run:
            raise FieldError(
                f"{_BOUND_FIELD} has {named(name)}, which is not run: must be among algorithms "
                f"({', '.join(run)}); add it there or leave it out",
                _BOUND_FIELD,
                "algorithms",
            )
    return names


def for_trace(partitions: int) -> tuple[str, ...]:
    """Algorithms that a recorded trace is tried with unless some are named.

    The paper's twelve, and ``kd_n`` for up to 32 numbers of consumers, evenly spaced from 1
    to the number of partitions.
    """
    most = min(partitions, MAX_STATIC)
    steps = max(1, most - 1)
    numbers = [1 + round(i * (partitions - 1) / steps) for i in range(most)]
    return (REFERENCE, *(f"kd_{n}" for n in numbers))


def keeps_capacity(name: str) -> bool:
    """Whether an algorithm keeps consumers within capacity, unlike Kafka's static assignments."""
    from algorithms.assignment import registry

    return registry.get(name).keeps_capacity
