"""Response times of a queue with several servers, and the numbers of replicas that bound them."""

from __future__ import annotations

from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.path_planning import plan_paths
from algorithms.autoscaling.response_times import (
    MAX_REPLICAS,
    check_queue,
    least_replicas,
    mean_response,
)
from algorithms.core.arrays import check_count

__all__ = ["plan_paths", "replicas", "response_time"]


def response_time(rate: float, mu: float, replicas: int, ca: float = 1.0, cs: float = 1.0) -> float:
    """Mean response time of `replicas` servers with one queue.

    rate: Arrivals, events/s.
    replicas: Number of servers k.
    ca, cs: Coefficients of variation of the times between arrivals and of service times.
    Returns: seconds; infinite if the servers cannot keep up.

    Allen-Cunneen approximation, Russo Russo 2021, Eq. 1-3: with ``rho = rate / (k mu)``, the
    probability of waiting W is ``(rho**k + rho) / 2`` from a rho of 0.7 on, else
    ``rho**sqrt(k + 1)``, and the response time is
    ``1/mu + (ca**2 + cs**2) / (2 k) * W / (mu (1 - rho))``. O(1).

    One server at 80 %, exponential times: 1 / (mu - rate).

    >>> round(response_time(0.8, 1.0, 1), 9)
    5.0
    >>> response_time(2.0, 1.0, 2)
    inf
    """
    arrivals, service, square_a, square_s = check_queue("", rate, mu, ca, cs)
    servers = check_count("replicas", replicas, 1, MAX_REPLICAS)
    return float(mean_response(arrivals, service, servers, square_a, square_s))


def replicas(
    rate: float, mu: float, r_max: float, ca: float = 1.0, cs: float = 1.0, k_max: int = 15
) -> int:
    """Least number of servers whose response time is within a bound.

    r_max: Bound of the mean response time, seconds.
    k_max: Greatest number of servers; also the result if no number is enough.
    Returns: between 1 and `k_max`.

    Russo Russo 2021, policy "queueing". O(log k_max).

    >>> replicas(25.0, 10.0, 0.2), replicas(25.0, 10.0, 0.05)
    (4, 15)
    """
    arrivals, service, square_a, square_s = check_queue("", rate, mu, ca, cs)
    bound = check_number("r_max", r_max, above=0.0)
    most = check_count("k_max", k_max, 1, MAX_REPLICAS)
    return int(least_replicas(arrivals, service, bound, square_a, square_s, most))
