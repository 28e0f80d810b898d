"""Registry of algorithms: every entry appears in sweeps, tables, reports, tests and texts.

To add one, write a module with a state and a ``start`` function, and `register` it below. Reading
names, titles and families is cheap: kernels and Numba are imported only at the first start.
"""

from __future__ import annotations

import re
from dataclasses import replace

from algorithms.assignment import fit_rules
from algorithms.assignment import parametric_names as families
from algorithms.assignment.algorithm import (
    ANY_FIT,
    MODIFIED_ANY_FIT,
    PAPER,
    STATIC,
    STICKY_REPAIR,
    Algorithm,
    starting,
)
from algorithms.assignment.parametric_names import kafka_static, sticky_repair
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError, near

__all__ = [
    "ANY_FIT",
    "MODIFIED_ANY_FIT",
    "STATIC",
    "STICKY_REPAIR",
    "Algorithm",
    "get",
    "kafka_static",
    "known_patterns",
    "members_of",
    "names",
    "parameter_of",
    "reference_set",
    "register",
    "sort_key",
    "sticky_repair",
]

_ALGORITHMS: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> None:
    """Add an algorithm whose name is free, and none that `parametric_names` reads."""
    name = algorithm.name
    if name in _ALGORITHMS or "+" in name or families.parametric(name) is not None:
        raise InvalidParameterError(
            f"algorithm {algorithm.name!r} is already registered; choose another name"
        )
    _ALGORITHMS[algorithm.name] = algorithm


def get(name: str) -> Algorithm:
    """Return the algorithm of a name.

    name: One of `names`; ``kd_<n>`` or ``range_<n>``, Kafka's static assignment or its range
        assignor for n consumers; ``SR_<g>``, sticky repair at the price g;
        ``package.module:function``, a user's own function, which is imported when the algorithm
        starts; or one of `names` with the passes ``+M``, ``+P`` or ``+M+P``.
    Raises UnknownAlgorithmError if the name is unknown, and InvalidParameterError if a parameter is
        out of bounds, as in ``kd_0``, or not in its one spelling.

    >>> get("BFD").title
    'Best fit decreasing'
    >>> get("kd_7").name, get("SR_0.7").name
    ('kd_7', 'SR_0.7')
    >>> get("BFD+M+P").title
    'Best fit decreasing, matched and polished'
    """
    base, suffix = families.split(name)
    algorithm = _ALGORITHMS.get(base) or families.parametric(base)
    if algorithm is None:
        known = known_patterns()
        raise UnknownAlgorithmError(
            f"unknown algorithm {name!r}{near(name, known)}; choose one of {', '.join(known)}, or "
            "your own module:function"
        )
    return families.with_passes(algorithm, suffix) if suffix else algorithm


def names() -> tuple[str, ...]:
    """Names of all algorithms without a parameter, in display order."""
    return tuple(_ALGORITHMS)


def known_patterns() -> tuple[str, ...]:
    """Every name that `get` accepts, for messages; a family with a parameter is one entry."""
    return (*names(), *(f"{form} ({meaning})" for form, meaning, _ in families.PATTERNS))


def reference_set() -> tuple[str, ...]:
    """Names of the paper's twelve algorithms, over which CBS takes the minimum."""
    return tuple(name for name, algorithm in _ALGORITHMS.items() if algorithm.reference)


def parameter_of(name: str) -> int | None:
    """Number of consumers n in the name ``kd_n``, None for any other name."""
    return families.consumers_of(name)


def members_of(name: str) -> int | None:
    """Consumers n of a fixed group, ``kd_n`` or ``range_n``; None for any other name.

    >>> members_of("kd_3"), members_of("range_4"), members_of("BFD")
    (3, 4, None)
    """
    return families.members_of(name)


def sort_key(name: str) -> tuple[int, float, int, tuple[str | float, ...]]:
    """Key that sorts names for display.

    The order is that of `names`, each name followed by its variants with passes; then ``SR_g`` by
    g, ``kd_n`` and ``range_n`` by n, and other names, such as strategies with parameters, whose
    numbers count by their value.

    >>> sorted(["kd_10", "MWF", "SR_inf", "kd_9", "NF+P", "SR_2", "NF"], key=sort_key)
    ['NF', 'NF+P', 'MWF', 'SR_2', 'SR_inf', 'kd_9', 'kd_10']
    >>> sorted(["keda_hpa:threshold=10", "keda_hpa:threshold=5", "headroom:h=0.7"], key=sort_key)
    ['headroom:h=0.7', 'keda_hpa:threshold=5', 'keda_hpa:threshold=10']
    """
    by_value = _by_value(name)
    base, suffix = families.split(name)
    suffixes = ["", *families.PASSES]
    passes = suffixes.index(suffix) if suffix in suffixes else len(suffixes)
    n, price = families.members_of(base), families.price_of(base)
    if base in _ALGORITHMS:
        return 0, names().index(base), passes, by_value
    if price is not None:
        return 1, price, passes, by_value
    return (2, n, passes, by_value) if n is not None else (3, 0, passes, by_value)


def _by_value(name: str) -> tuple[str | float, ...]:
    """Texts and numbers of a name in turn, so that two names always compare like with like."""
    parts = re.split(r"([0-9]+(?:\.[0-9]+)?)", name)
    return tuple(float(part) if i % 2 else part for i, part in enumerate(parts))


def _any_fit(name: str, title: str, rule: int, decreasing: bool) -> Algorithm:
    return Algorithm(
        name=name,
        family=ANY_FIT,
        title=title,
        decreasing=decreasing,
        paper=f"{PAPER}, Eq. 12-14",
        reference=True,
        begin=starting("any_fit", rule=rule, decreasing=decreasing),
        takes_passes=True,
    )


def _modified(name: str, title: str, rule: int, by_largest: bool) -> Algorithm:
    return Algorithm(
        name=name,
        family=MODIFIED_ANY_FIT,
        title=title,
        decreasing=True,
        paper=f"{PAPER}, Algorithm 1",
        reference=True,
        begin=starting("modified_any_fit", rule=rule, by_largest=by_largest),
        takes_passes=True,
    )


def _from_zero(name: str, title: str, base: str) -> Algorithm:
    """An algorithm as the paper's authors released it: it starts with consumer 0 open."""
    return replace(
        get(base),
        name=name,
        title=f"{title}, starting with consumer 0 open",
        paper=f"{PAPER}, released code",
        reference=False,
        begin=get(base).begin.having(from_zero=True),
    )


for _letter, _title, _rule in (
    ("N", "Next fit", fit_rules.NEXT),
    ("F", "First fit", fit_rules.FIRST),
    ("B", "Best fit", fit_rules.BEST),
    ("W", "Worst fit", fit_rules.WORST),
):
    register(_any_fit(f"{_letter}F", _title, _rule, decreasing=False))
    register(_any_fit(f"{_letter}FD", f"{_title} decreasing", _rule, decreasing=True))

for _suffix, _by_largest, _what in (("", False, ""), ("P", True, " by largest partition")):
    register(_modified(f"MWF{_suffix}", f"Modified worst fit{_what}", fit_rules.WORST, _by_largest))
    register(_modified(f"MBF{_suffix}", f"Modified best fit{_what}", fit_rules.BEST, _by_largest))

register(_from_zero("NF0", "Next fit", "NF"))
register(_from_zero("NFD0", "Next fit decreasing", "NFD"))
