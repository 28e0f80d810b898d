"""Families of algorithms whose names have a parameter or passes, and how such names are read.

``kd_n`` and ``range_n`` are Kafka's for n consumers, ``SR_g`` is sticky repair at the price g,
``BFD+M``, ``BFD+P``, ``BFD+M+P`` are an algorithm with passes after each iteration, and
``package.module:function`` is a user's own function. Names are keys of tables, so each algorithm
has exactly one spelling; others are rejected.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import NamedTuple

from algorithms.assignment.algorithm import OWN, PAPER, STATIC, STICKY_REPAIR, Algorithm, starting
from algorithms.core.input_errors import InvalidParameterError, UnknownAlgorithmError

# Nine digits exceed the partitions of any stream; int() of more could be slow or fail.
_KAFKA = re.compile(r"kd_(0|[1-9][0-9]{0,8})")
_RANGE = re.compile(r"range_(0|[1-9][0-9]{0,8})")
_STICKY = re.compile(r"SR_(inf|(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{0,2}[1-9])?)")

_OWN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*")

GREATEST_PRICE = 9999.999
"""A finite price above this has the same effect as an infinite one."""

PASSES = {"+M": ("matched",), "+P": ("polished",), "+M+P": ("matched", "polished")}
"""Suffixes in display order, and the settings that they stand for."""

_WORDS = {"+M": "matched", "+P": "polished", "+M+P": "matched and polished"}


class Pattern(NamedTuple):
    """A family of names, for lists and messages: its form, its meaning, and its family."""

    form: str
    meaning: str
    family: str


PATTERNS = (
    Pattern(
        "kd_n", "Kafka's static assignment to n consumers, 1 to the number of partitions", STATIC
    ),
    Pattern(
        "range_n", "Kafka's range assignor, topic by topic, on a fixed group of n consumers", STATIC
    ),
    Pattern(
        "SR_g", "Sticky repair with price g of a consumer: 0, 0.7, 1.5, ... or inf", STICKY_REPAIR
    ),
    Pattern(
        "NAME+M", "any other algorithm, with consumer ids rematched to reduce moves", "with passes"
    ),
    Pattern("NAME+P", "NAME, with moved partitions returned where possible", "with passes"),
    Pattern("NAME+M+P", "NAME, with both", "with passes"),
)

OWN_PATTERN = Pattern("module:function", "Your own function, see docs/own-algorithm.md", OWN)
"""Only for experiments on assignment: autoscaling and live runs do not take them."""


def kafka_static(n: int) -> Algorithm:
    """Kafka's static assignment, ``kd_n``; with fewer partitions than ``n`` it raises."""
    if n < 1:
        raise InvalidParameterError(
            f"n of kd_n must be between 1 and the number of partitions (got kd_{n})"
        )
    return Algorithm(
        name=f"kd_{n}",
        family=STATIC,
        title=f"Kafka's static assignment, {n} consumer{'s' if n > 1 else ''}",
        decreasing=False,
        paper=f"{PAPER}, Section VI-C",
        reference=False,
        begin=starting("kafka_static", n=n),
        keeps_capacity=False,
    )


def kafka_range(n: int) -> Algorithm:
    """Kafka's range assignor for ``n`` consumers, ``range_n``; as `kafka_static` does.

    The assignment raises if `n` exceeds the partitions of the largest topic.
    """
    if n < 1:
        raise InvalidParameterError(
            "n of range_n must be between 1 and the number of partitions of the largest topic "
            f"(got range_{n})"
        )
    return Algorithm(
        name=f"range_{n}",
        family=STATIC,
        title=f"Kafka's range assignor, {n} consumer{'s' if n > 1 else ''}",
        decreasing=False,
        paper="Apache Kafka, RangeAssignor",
        reference=False,
        begin=starting("kafka_range", n=n),
        keeps_capacity=False,
        by_topic=True,
    )


def sticky_repair(price: float) -> Algorithm:
    """Sticky repair at a price per consumer, ``SR_g``.

    price: Price g of a consumer in Rscore units per iteration: 0 to `GREATEST_PRICE`, with at most
        three decimals, or infinity.

    >>> sticky_repair(0.7).name, sticky_repair(2).name, sticky_repair(float("inf")).name
    ('SR_0.7', 'SR_2', 'SR_inf')
    """
    g = float(price)
    if not (g == math.inf or (0.0 <= g <= GREATEST_PRICE and round(g, 3) == g)):
        raise InvalidParameterError(_wrong_price(f"g is {price}"))
    text = "inf" if g == math.inf else f"{g + 0.0:.3f}".rstrip("0").rstrip(".")
    return Algorithm(
        name=f"SR_{text}",
        family=STICKY_REPAIR,
        title="Sticky repair, fewest consumers first"
        if g == math.inf
        else f"Sticky repair, price {text} per consumer",
        decreasing=True,
        paper="Groupscale, docs/frontier.md",
        reference=False,
        begin=starting("sticky.sticky_repair", price=g),
    )


def is_own(name: str) -> bool:
    """Whether a name has the form ``package.module:function`` of a user's own function.

    >>> is_own("mypackage.packing:assign"), is_own("BFD"), is_own("headroom:h=0.7")
    (True, False, False)
    """
    return _OWN.fullmatch(name) is not None


def own_algorithm(name: str) -> Algorithm:
    """A user's own function as an algorithm; it is imported when the algorithm starts."""
    return Algorithm(
        name=name,
        family=OWN,
        title=f"Your function {name}",
        decreasing=False,
        paper="docs/own-algorithm.md",
        reference=False,
        begin=starting("own_function", function=name),
    )


def price_of(name: str) -> float | None:
    """Price g in the name ``SR_g``, None for any other name."""
    match = _STICKY.fullmatch(name)
    return float(match[1]) if match else None


def consumers_of(name: str) -> int | None:
    """Number of consumers n in the name ``kd_n``, None for any other name."""
    match = _KAFKA.fullmatch(name)
    return int(match[1]) if match else None


def range_of(name: str) -> int | None:
    """Number of consumers n in the name ``range_n``, None for any other name."""
    match = _RANGE.fullmatch(name)
    return int(match[1]) if match else None


def members_of(name: str) -> int | None:
    """Consumers n of a fixed group, ``kd_n`` or ``range_n``; None for any other name."""
    n = consumers_of(name)
    return range_of(name) if n is None else n


def parametric(name: str) -> Algorithm | None:
    """The algorithm of a name of one of the families without passes, None for any other name.

    Raises InvalidParameterError if it has one of these forms, but the parameter is out of bounds or
        in another spelling.
    """
    n, members, price = consumers_of(name), range_of(name), price_of(name)
    if n is not None:
        return kafka_static(n)
    if members is not None:
        return kafka_range(members)
    if is_own(name):
        return own_algorithm(name)
    if price is not None:
        return sticky_repair(price)
    if name.startswith("SR_"):
        raise InvalidParameterError(_wrong_price(name))
    return None


def split(name: str) -> tuple[str, str]:
    """Name of the algorithm itself, and its passes, if any, from the ``+`` on.

    >>> split("BFD+M+P"), split("BFD")
    (('BFD', '+M+P'), ('BFD', ''))
    """
    base, plus, rest = name.partition("+")
    # A sign, as in SR_+1, belongs to a number.
    return (base, plus + rest) if rest[:1].isalpha() else (name, "")


def with_passes(base: Algorithm, suffix: str) -> Algorithm:
    """An algorithm whose assignments are matched or polished before the next iteration.

    Raises UnknownAlgorithmError if the suffix is none of `PASSES`.
    Raises InvalidParameterError if the algorithm takes no passes.
    """
    if suffix not in PASSES:
        raise UnknownAlgorithmError(
            f"unknown suffix in {base.name + suffix!r}: after {base.name}, it must be one of "
            f"{', '.join(PASSES)} (M matches, P polishes)"
        )
    if not base.takes_passes:
        raise InvalidParameterError(
            f"{base.name}{suffix}: {base.name} takes no suffix; use {base.name}"
        )
    return replace(
        base,
        name=base.name + suffix,
        title=f"{base.title}, {_WORDS[suffix]}",
        paper=f"{base.paper}; passes: Groupscale, docs/frontier.md",
        reference=False,
        begin=base.begin.having(**dict.fromkeys(PASSES[suffix], True)),
    )


def _wrong_price(what: str) -> str:
    return (
        f"{what}: the price g of SR_g must be inf, or between 0 and {GREATEST_PRICE} with at most "
        "three decimals and no trailing zeros, such as SR_0.7, SR_2 or SR_inf"
    )
