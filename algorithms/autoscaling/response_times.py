"""Mean response time of a queue with several servers, compiled."""

from __future__ import annotations

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.compiled import kernel

MAX_REPLICAS = 2**31 - 1
"""Greatest number of replicas in arguments."""

_BUSY = 0.7
_GREATEST = float(np.finfo(np.float64).max)

# Far above the error of the few roundings in a response time.
_SURELY = 1.0 + 1e-9


def check_queue(
    where: str, rate: float, mu: float, ca: float, cs: float
) -> tuple[float, float, float, float]:
    """Checked rates, and the squares of the coefficients of variation."""
    arrivals = check_number(("lambda" if where else "rate") + where, rate, at_least=0.0)
    service = check_number(f"mu{where}", mu, above=0.0)
    between = check_number(f"ca{where}", ca, at_least=0.0)
    served = check_number(f"cs{where}", cs, at_least=0.0)
    return arrivals, service, between * between, served * served


@kernel
def mean_response(rate: float, mu: float, servers: int, square_a: float, square_s: float) -> float:
    """Response time of checked arguments, with squared coefficients of variation."""
    rho = rate / (servers * mu)
    if rho >= 1.0:
        return np.inf
    spread = (square_a + square_s) / (2.0 * servers)
    return float(1.0 / mu + spread * (_waiting(rho, servers) / (mu * (1.0 - rho))))


@kernel
def _waiting(rho: float, servers: int) -> float:
    """Probability of waiting. Powers by a float exponent are the C library's, as in Python."""
    if rho >= _BUSY:
        return float((rho ** float(servers) + rho) / 2.0)
    return float(rho ** np.sqrt(servers + 1.0))


@kernel
def least_replicas(
    rate: float, mu: float, r_max: float, square_a: float, square_s: float, k_max: int
) -> int:
    """Least number of servers within the bound, else `k_max`. Mostly O(log k_max).

    Response times fall with the number of servers, except by rounding: fewer servers than those
    whose time is just above the bound are too few. From there on, each number is tried.
    """
    if 1.0 / mu > r_max:
        return k_max
    above = min(r_max * _SURELY, _GREATEST)
    low, high = 1, k_max
    while low < high:
        middle = (low + high) // 2
        if mean_response(rate, mu, middle, square_a, square_s) <= above:
            high = middle
        else:
            low = middle + 1
    for servers in range(low, k_max):
        if mean_response(rate, mu, servers, square_a, square_s) <= r_max:
            return servers
    return k_max
