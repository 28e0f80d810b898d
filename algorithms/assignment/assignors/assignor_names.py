"""Names of the assignors, and the numbers by which compiled code calls them."""

from __future__ import annotations

from algorithms.core.group_declarations import ASSIGNORS
from algorithms.core.input_errors import InvalidParameterError

(
    RANGE,
    KIP848_RANGE,
    ROUND_ROBIN,
    STICKY,
    COOPERATIVE_STICKY,
    KIP848_UNIFORM,
    KIP848_UNIFORM_4_0,
    KIP169,
) = range(len(ASSIGNORS))


def names() -> tuple[str, ...]:
    """Names of all assignors, in display order.

    >>> names()[:3]
    ('range', 'kip848_range', 'roundrobin')
    """
    return ASSIGNORS


def code_of(name: str) -> int:
    """Code of an assignor, for `algorithms.assignment.assignors.placement.place`.

    Raises InvalidParameterError if the name is unknown; the message lists the known ones.

    >>> code_of("roundrobin")
    2
    """
    if name not in ASSIGNORS:
        raise InvalidParameterError(
            f"assignor must be one of {', '.join(ASSIGNORS)} (got {name!r})"
        )
    return ASSIGNORS.index(name)
