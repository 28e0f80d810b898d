"""Plain counting strategies and planners: slow, obvious, and independent of the kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from tests.algorithms.assignment import naive_assignors


def added(values: Sequence[float]) -> float:
    """Sum from the first to the last value, which the built-in function need not be."""
    total = 0.0
    for value in values:
        total += value
    return total


def whole(quotient: float) -> int:
    """Replicas for a quotient."""
    return max(math.ceil(quotient - 1e-9), 1)


def response_time(rate: float, mu: float, k: int, ca2: float = 1.0, cs2: float = 1.0) -> float:
    """Allen and Cunneen's approximation."""
    rho = rate / (k * mu)
    if rho >= 1:
        return math.inf
    waiting = (rho**k + rho) / 2 if rho >= 0.7 else rho ** math.sqrt(k + 1)
    return 1 / mu + (ca2 + cs2) / (2 * k) * (waiting / (mu * (1 - rho)))


def least_k(
    rate: float, mu: float, r_max: float, ca2: float = 1.0, cs2: float = 1.0, k_max: int = 15
) -> int:
    """First number within the bound, else the greatest."""
    within = [k for k in range(1, k_max + 1) if response_time(rate, mu, k, ca2, cs2) <= r_max]
    return within[0] if within else k_max


def dispersion(counts: Sequence[float]) -> float:
    """Population variance over mean; 1 without events."""
    mean = added(counts) / len(counts)
    if mean == 0:
        return 1.0
    return added([(count - mean) * (count - mean) for count in counts]) / len(counts) / mean


def plan_paths(
    functions: Mapping[str, Mapping[str, float]],
    paths: Sequence[Sequence[str]],
    r_max: float,
    alpha: float,
    k_max: int,
) -> dict[str, int]:
    """One more for the slowest of slow paths, one fewer for the fastest of fast ones."""
    times = {
        name: response_time(f["lambda"], f["mu"], int(f["k"]), f["ca"] ** 2, f["cs"] ** 2)
        for name, f in functions.items()
    }
    change = dict.fromkeys(functions, 0)
    for path in paths:
        total = added([times[name] for name in path])
        if total > r_max:
            able = [name for name in path if functions[name]["k"] < k_max]
            slowest = max((times[name] for name in able), default=None)
            for name in able:
                if times[name] == slowest:
                    change[name] = 1
                    break
        elif total < alpha * r_max:
            able = [name for name in path if functions[name]["k"] > 1]
            fastest = min((times[name] for name in able), default=None)
            for name in able:
                if times[name] == fastest:
                    change[name] = change[name] or -1
                    break
    return {name: int(fields["k"]) + change[name] for name, fields in functions.items()}


def ds2(
    functions: Mapping[str, Mapping[str, float]],
    edges: Sequence[tuple[str, str]],
    sources: Mapping[str, float],
    k_max: int | None,
) -> dict[str, int]:
    """Inputs in topological order, as if everything upstream kept up."""
    inputs: dict[str, float] = {}
    replicas = {}
    for name, fields in functions.items():
        inputs[name] = sources.get(name, 0.0)
        for earlier, later in edges:
            if later == name:
                inputs[name] += inputs[earlier] * functions[earlier]["selectivity"]
        needed = whole(inputs[name] / fields["rate_true"])
        replicas[name] = needed if k_max is None else min(needed, k_max)
    return replicas


def keda_metric(
    lags: Sequence[float],
    threshold: int,
    allow_idle: bool = False,
    limit_to_partitions_with_lag: bool = False,
    ensure_even: bool = False,
) -> int:
    """Lag that KEDA reports."""
    partitions = len(lags)
    lag = sum(math.floor(value) for value in lags)
    if allow_idle:
        return lag
    if ensure_even:
        divisors = [f for f in range(1, partitions + 1) if partitions % f == 0]
        enough = [f for f in divisors if f * threshold >= lag]
        lag = (enough[0] if enough else partitions) * threshold
    bound = partitions
    if limit_to_partitions_with_lag:
        bound = sum(1 for value in lags if math.floor(value) > 0)
    return bound * threshold if lag // threshold > bound else lag


class Autoscaler:
    """The horizontal pod autoscaler with lists of all proposals and changes, in exact times."""

    def __init__(
        self,
        bounds: tuple[int, int],
        target: float,
        tolerances: tuple[float, float],
        up: tuple[float, str, list[tuple[str, float, float]]],
        down: tuple[float, str, list[tuple[str, float, float]]],
    ) -> None:
        self.bounds, self.target, self.tolerances = bounds, target, tolerances
        self.up, self.down = up, down
        self.proposals: list[tuple[Fraction, int]] = []
        self.changes: list[tuple[Fraction, int]] = []

    def sync(self, time_s: float, metric: float, replicas: int) -> tuple[int, int]:
        """Proposed and desired replicas."""
        now = Fraction(time_s)
        if not self.proposals:
            self.proposals.append((now, replicas))
        lowest, highest = self.bounds
        if not lowest <= replicas <= highest:
            proposed = desired = min(max(replicas, lowest), highest)
        else:
            proposed = self.proposal(metric, replicas)
            desired = self.limited(now, self.stabilised(now, proposed, replicas), replicas)
            self.proposals.append((now, proposed))
        if desired != replicas:
            self.changes.append((now, desired - replicas))
        return proposed, desired

    def proposal(self, metric: float, replicas: int) -> int:
        """Replicas by the metric alone."""
        if replicas > 0:
            ratio = metric / (self.target * replicas)
            if 1 - self.tolerances[1] <= ratio <= 1 + self.tolerances[0]:
                return replicas
        return math.ceil(Fraction(metric) / Fraction(self.target))

    def stabilised(self, now: Fraction, proposed: int, replicas: int) -> int:
        """Between the least and the greatest recent proposal."""

        def recent(window: float) -> list[int]:
            return [proposed] + [n for then, n in self.proposals if now - then < window]

        raised = max(replicas, min(recent(self.up[0])))
        return min(raised, max(recent(self.down[0])))

    def limited(self, now: Fraction, stable: int, replicas: int) -> int:
        """Within what the policies allow."""
        lowest, highest = self.bounds
        if stable > replicas:
            limit = self.limit(now, replicas, self.up, max, min, self.allowed_up)
            return min(stable, max(limit, replicas), highest)
        if stable < replicas:
            limit = self.limit(now, replicas, self.down, min, max, self.allowed_down)
            return max(stable, min(limit, replicas), lowest)
        return stable

    def limit(
        self,
        now: Fraction,
        replicas: int,
        behaviour: tuple[float, str, list[tuple[str, float, float]]],
        most: Callable[[list[int]], int],
        least: Callable[[list[int]], int],
        allowed: Callable[[int, str, float], int],
    ) -> int:
        """Limit of one direction."""
        _, select, policies = behaviour
        if select == "Disabled":
            return replicas
        limits = []
        for kind, value, period in policies:
            recent = [change for then, change in self.changes if now - then < period]
            ups = sum(change for change in recent if change > 0)
            downs = -sum(change for change in recent if change < 0)
            limits.append(allowed(replicas - ups + downs, kind, value))
        return most(limits) if select == "Max" else least(limits)

    @staticmethod
    def allowed_up(start: int, kind: str, value: float) -> int:
        """Greatest number from a start."""
        return int(start + value) if kind == "Pods" else math.ceil(start * (1 + value / 100))

    @staticmethod
    def allowed_down(start: int, kind: str, value: float) -> int:
        """Least number from a start."""
        return int(start - value) if kind == "Pods" else math.trunc(start * (1 - value / 100))


class Keda:
    """KEDA's part: what counts as lag, and starting the first and stopping the last replica."""

    def __init__(
        self, autoscaler: Autoscaler, to_zero: bool, threshold: int, **switches: bool
    ) -> None:
        self.autoscaler, self.to_zero, self.threshold = autoscaler, to_zero, threshold
        self.excludes = switches.pop("exclude_persistent_lag", False)
        self.switches = switches
        self.polled, self.active = 0, 0.0

    def decide(
        self, time: float, lags: Sequence[float], consumed: Sequence[bool], replicas: int
    ) -> int | None:
        """Replicas, None for no answer."""
        if self.to_zero:
            due = math.floor(Fraction(time) / 30)
            polls, self.polled = due > self.polled, due
            lag = sum(math.floor(value) for value in lags)
            if polls and lag > 0:
                self.active = time
                if replicas == 0:
                    return 1
            if polls and lag == 0 and replicas > 0 and time - self.active >= 300:
                return 0
            if replicas == 0:
                return None
        counted = [
            lag if taken or not self.excludes else 0.0
            for lag, taken in zip(lags, consumed, strict=True)
        ]
        metric = keda_metric(counted, self.threshold, **self.switches)
        return self.autoscaler.sync(time, metric, replicas)[1]


def headroom(
    totals: Sequence[tuple[float, float]],
    rates: Sequence[float],
    lags: Sequence[float],
    owners: Sequence[int],
    settings: Mapping[str, float],
    assignor: str,
) -> int:
    """Least n for the peak of the (time, total rate) observed so far, the last one being new."""
    now = totals[-1][0]
    peak = max(total for time, total in totals if now - time < settings["hold"] or time == now)
    weights = list(rates) if totals[-1][1] > 0 else [1.0] * len(rates)
    place = naive_assignors.ASSIGNORS[assignor]
    floors = [float(math.floor(lag)) for lag in lags]
    for n in range(1, int(settings["max_replicas"])):
        after = naive_assignors.settled(place, len(rates), range(n), owners, floors)
        loads = [
            added([w for w, owner in zip(weights, after, strict=True) if owner == m])
            for m in range(n)
        ]
        if settings["h"] * peak * (max(loads) / added(weights)) <= settings["capacity"]:
            return n
    return int(settings["max_replicas"])
