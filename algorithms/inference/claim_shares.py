"""One rule for claims that are judged by how many seeds they hold in, for all papers."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import check_count

REPRODUCED, NOT_REPRODUCED, OPEN = "reproduced", "not reproduced", "open"


class Share(NamedTuple):
    """A share with its exact 95 % interval (Clopper and Pearson 1934)."""

    share: float
    low: float
    high: float


def exact_share(successes: int, seeds: int) -> Share:
    """Share of all seeds that succeed.

    >>> share, low, high = exact_share(27, 30)
    >>> share, round(low, 3), round(high, 3)
    (0.9, 0.735, 0.979)
    """
    from scipy.special import betaincinv

    n = check_count("seeds", seeds, 1, 10**9)
    k = check_count("successes", successes, 0, n)
    low = float(betaincinv(k, n - k + 1, 0.025)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 0.975)) if k < n else 1.0
    return Share(k / n, low, high)


def word_of(low: float, high: float) -> str:
    """What the interval of a share says: reproduced above one half, not reproduced below, or open.

    A paper shows one run, so a claim that holds in most runs agrees with it. Ends that are not
    known say nothing.

    >>> [word_of(*exact_share(held, 30)[1:]) for held in (26, 20, 4)]
    ['reproduced', 'open', 'not reproduced']
    """
    if low > 0.5:
        return REPRODUCED
    return NOT_REPRODUCED if high < 0.5 else OPEN
