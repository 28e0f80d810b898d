"""The list of algorithms: what is here appears in sweeps, tables, reports, tests and texts.

To add one, write a module with an ``assign`` function and `register` it below. Names, titles and
families cost nothing: the kernels, and Numba with them, are imported when one is first called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from algorithms import rules
from algorithms.arrays import Floats, Ints
from algorithms.deferred import deferred
from algorithms.errors import InvalidParameterError, UnknownAlgorithmError

Assign = Callable[[Floats, float, int], Ints]

ANY_FIT = "any fit"
MODIFIED_ANY_FIT = "modified any fit"
STATIC = "static"

_PAPER = "Landau, Saurabh, Andrade, Barbosa 2024"
# Nine digits are more partitions than any stream has; int() of more could be slow or refused.
_KAFKA = re.compile(r"kd_(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One way to assign partitions to consumers.

    Attributes
    ----------
    name : str
        Short name, as in the paper; unique.
    family : str
        Algorithms that differ in a rule only are of one family.
    title : str
        What the name stands for.
    decreasing : bool
        Whether partitions are taken largest first.
    paper : str
        Where it is defined.
    reference : bool
        Whether it is one of the paper's twelve, whose fewest consumers CBS refers to.
    assign : callable
        ``(rates float64[N, P] in bytes/s, NaN = absent; capacity in bytes/s; seed)`` to
        consumers ``int32[N, P]``, ids in ``0 .. P-1``, -1 = absent. Raises `AlgorithmError`
        for arguments out of their bounds.
    """

    name: str
    family: str
    title: str
    decreasing: bool
    paper: str
    reference: bool
    assign: Assign


_ALGORITHMS: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> None:
    """Add an algorithm to the list.

    Parameters
    ----------
    algorithm : Algorithm
        Its name must be free, and not of the form ``kd_<number>``.

    Raises
    ------
    InvalidParameterError
        If there is an algorithm of this name.
    """
    if algorithm.name in _ALGORITHMS or _KAFKA.fullmatch(algorithm.name):
        raise InvalidParameterError(
            f"algorithm {algorithm.name!r} is registered already: names are unique; "
            "choose another name"
        )
    _ALGORITHMS[algorithm.name] = algorithm


def get(name: str) -> Algorithm:
    """Return the algorithm of a name; ``kd_7`` is Kafka's static assignment to 7 consumers.

    Parameters
    ----------
    name : str
        One of `names`, or ``kd_<n>``.

    Returns
    -------
    Algorithm
        The algorithm.

    Raises
    ------
    UnknownAlgorithmError
        If there is none; the message lists the known ones.
    InvalidParameterError
        If it is ``kd_0``.

    Examples
    --------
    >>> get("BFD").title
    'Best fit decreasing'
    >>> get("kd_7").name
    'kd_7'
    """
    n = parameter_of(name)
    if n is not None:
        return kafka_static(n)
    if name not in _ALGORITHMS:
        known = ", ".join(known_patterns())
        raise UnknownAlgorithmError(f"unknown algorithm {name!r}: choose one of {known}")
    return _ALGORITHMS[name]


def names() -> tuple[str, ...]:
    """Names of all algorithms without a parameter, in the order in which they are shown."""
    return tuple(_ALGORITHMS)


def known_patterns() -> tuple[str, ...]:
    """Every name that `get` understands, families with a parameter as one, for messages."""
    return (*names(), "kd_n (n from 1 to the number of partitions)")


def reference_set() -> tuple[str, ...]:
    """Names of the paper's twelve algorithms, over which CBS takes the minimum."""
    return tuple(name for name, algorithm in _ALGORITHMS.items() if algorithm.reference)


def kafka_static(n: int) -> Algorithm:
    """Kafka's static assignment to ``n`` consumers, ``kd_n``.

    Parameters
    ----------
    n : int
        Number of consumers, at least 1. The assignment itself refuses more than there are
        partitions.

    Returns
    -------
    Algorithm
        The algorithm.

    Raises
    ------
    InvalidParameterError
        If `n` is below 1.
    """
    if n < 1:
        raise InvalidParameterError(
            f"kd_{n} has {n} consumers: n must be from 1 to the number of partitions; "
            "choose kd_1 or more"
        )
    return Algorithm(
        name=f"kd_{n}",
        family=STATIC,
        title=f"Kafka's static assignment, {n} consumer{'s' if n > 1 else ''}",
        decreasing=False,
        paper=f"{_PAPER}, Section VI-C",
        reference=False,
        assign=deferred("static", n=n),
    )


def parameter_of(name: str) -> int | None:
    """Number of consumers n in the name ``kd_n``, None for any other name."""
    match = _KAFKA.fullmatch(name)
    return int(match[1]) if match else None


def sort_key(name: str) -> tuple[int, int, str]:
    """Key that sorts names for display: as in `names`, then ``kd_n`` by n, then unknown ones.

    Examples
    --------
    >>> sorted(["kd_10", "MWF", "kd_9", "NF"], key=sort_key)
    ['NF', 'MWF', 'kd_9', 'kd_10']
    """
    fixed = names()
    n = parameter_of(name)
    if name in fixed:
        return 0, fixed.index(name), name
    return (1, n, name) if n is not None else (2, 0, name)


def _any_fit(name: str, title: str, rule: int, decreasing: bool) -> Algorithm:
    return Algorithm(
        name=name,
        family=ANY_FIT,
        title=title,
        decreasing=decreasing,
        paper=f"{_PAPER}, Eq. 12-14",
        reference=True,
        assign=deferred("anyfit", rule=rule, decreasing=decreasing),
    )


def _modified(name: str, title: str, rule: int, by_largest: bool) -> Algorithm:
    return Algorithm(
        name=name,
        family=MODIFIED_ANY_FIT,
        title=title,
        decreasing=True,
        paper=f"{_PAPER}, Algorithm 1",
        reference=True,
        assign=deferred("modified", rule=rule, by_largest=by_largest),
    )


for _letter, _title, _rule in (
    ("N", "Next fit", rules.NEXT),
    ("F", "First fit", rules.FIRST),
    ("B", "Best fit", rules.BEST),
    ("W", "Worst fit", rules.WORST),
):
    register(_any_fit(f"{_letter}F", _title, _rule, decreasing=False))
    register(_any_fit(f"{_letter}FD", f"{_title} decreasing", _rule, decreasing=True))

for _suffix, _by_largest, _what in (("", False, ""), ("P", True, " by largest partition")):
    register(_modified(f"MWF{_suffix}", f"Modified worst fit{_what}", rules.WORST, _by_largest))
    register(_modified(f"MBF{_suffix}", f"Modified best fit{_what}", rules.BEST, _by_largest))
