"""The fewest replicas by every way to divide the partitions: slow, obvious, for few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Groups = list[list[int]]


def divisions(partitions: int) -> Iterator[Groups]:
    """Every way to divide so many partitions into groups."""
    if partitions == 0:
        yield []
        return
    for smaller in divisions(partitions - 1):
        for place in range(len(smaller)):
            yield [
                [*group, partitions - 1] if i == place else list(group)
                for i, group in enumerate(smaller)
            ]
        yield [*(list(group) for group in smaller), [partitions - 1]]


def fits(
    group: Sequence[int],
    rates: Sequence[int],
    lags: Sequence[int],
    caps: tuple[int, int],
    strict: bool,
) -> bool:
    """Whether one replica can have a group, of amounts that are integers."""
    rate = sum(min(rates[p], caps[0]) for p in group)
    lag = sum(min(lags[p], caps[1]) for p in group)
    below = rate < caps[0] if strict and len(group) > 1 else rate <= caps[0]
    return below and lag <= caps[1]


def fewest(
    rates: Sequence[int], lags: Sequence[int], caps: tuple[int, int], strict: bool = False
) -> int:
    """The fewest groups of which each fits."""
    return min(
        len(groups)
        for groups in divisions(len(rates))
        if all(fits(group, rates, lags, caps, strict) for group in groups)
    )
