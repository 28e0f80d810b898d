"""Names of the assignors, and the numbers by which compiled code calls them."""

from __future__ import annotations

from algorithms.core.input_errors import InvalidParameterError

_NAMES = (
    "range",
    "kip848_range",
    "roundrobin",
    "sticky",
    "cooperative_sticky",
    "kip848_uniform",
    "kip848_uniform_4_0",
    "kip169",
)

(
    RANGE,
    KIP848_RANGE,
    ROUND_ROBIN,
    STICKY,
    COOPERATIVE_STICKY,
    KIP848_UNIFORM,
    KIP848_UNIFORM_4_0,
    KIP169,
) = range(len(_NAMES))


def names() -> tuple[str, ...]:
    """Names of all assignors, in display order.

    Examples
    --------
    >>> names()[:3]
    ('range', 'kip848_range', 'roundrobin')
    """
    return _NAMES


def code_of(name: str) -> int:
    """Code of an assignor, for `algorithms.assignment.assignors.placement.place`.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    int
        Its position in `names`.

    Raises
    ------
    InvalidParameterError
        If the name is unknown; the message lists the known ones.

    Examples
    --------
    >>> code_of("roundrobin")
    2
    """
    if name not in _NAMES:
        raise InvalidParameterError(f"assignor must be one of {', '.join(_NAMES)} (got {name!r})")
    return _NAMES.index(name)
