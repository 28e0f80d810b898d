"""Candidates among which one is recommended: sweeps, and finer grids of what is deployed most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from algorithms.autoscaling import strategies
from algorithms.autoscaling.candidates import SWEEP, Candidate, candidate, parse, sweep
from algorithms.autoscaling.scaling_policies import SCALE_DOWN
from algorithms.autoscaling.strategy_list import COMPARED, COOLDOWN_S, QUIET_S

_LAG_SHARES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Lag per replica that KEDA aims at, in what one consumer serves within the allowed latency."""

_SLOW = ("shadow_hedge",)
"""Strategies that are compared if they are named: a decision takes as long as ten steps of others,
and nothing that can be deployed decides like that."""

_FEW = 5
"""Values of a strategy's parameter that are compared; KEDA's, which can be deployed, all are."""

_HEADROOMS, _HOLDS_S = (1.2, 1.5, 2.0, 3.0), (10.0, 30.0, 120.0, 300.0)
"""Headroom, and how long it is held, of `headroom` as deployed: more than alone, since a rise waits
for the next sync of the pod autoscaler, or the next look of the controller."""

_HOLDS_BY_SCRAPES_S = (0.0, 120.0, 300.0)
"""How long `keda_prometheus` holds: its rate is a mean over two minutes anyhow."""

_F_DOWN = (0.2, 0.3, 0.4)
"""Values of `linear` behind KEDA."""

ASLEEP_AFTER_S = QUIET_S + COOLDOWN_S
"""Time without events after which a form behind KEDA is scaled to zero."""

_MOST_LAG = 2**31 - 1
_SHORT_WINDOW_S = 60.0
"""Time for which lower proposals must last before the group shrinks: a fifth of the default."""


def compared(partitions: int, mu: float, wsla_s: float) -> tuple[Candidate, ...]:
    """Return the candidates of all strategies that are compared by default.

    Returns: `_FEW` of the sweep of each of `COMPARED` that is not slow, simple
        strategies first. KEDA's are all of the sweep, and thresholds that follow `mu` and `wsla_s`,
        each with two windows for scaling down. Those behind KEDA are last. ``constant`` stands for
        all numbers of replicas.

    >>> [each.label for each in compared(2, 100.0, 0.5)][:3]
    ['constant', 'headroom', 'headroom:h=0.85']
    """
    every: dict[Candidate, None] = {}
    for strategy in COMPARED:
        if strategy == "constant":
            every[Candidate(strategy)] = None
        elif strategy == "keda_hpa":
            every.update(dict.fromkeys(sweep(strategy, partitions, mu, wsla_s)))
            every.update(dict.fromkeys(_keda(mu, wsla_s)))
        elif strategy not in _SLOW:
            few = parse(f"{strategy}:{SWEEP}={_FEW}", partitions, mu, wsla_s)
            every.update(dict.fromkeys(few))
    every.update(dict.fromkeys(_deployed()))
    return tuple(every)


def to_zero(every: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The same for groups that may have no replicas, of candidates that the scaler runs.

    >>> [each.label for each in to_zero([candidate("keda_http:linear"), Candidate("linear")])]
    ['keda_http:linear:min_replicas=0']
    """
    return tuple(
        candidate(each.strategy, **{**dict(each.parameters), "min_replicas": 0})
        for each in every
        if strategies.inner_of(each.strategy) is not None
        and not strategies.is_controlled(each.strategy)
    )


def controlled() -> tuple[Candidate, ...]:
    """Candidates under our controller, which scales its consumers itself.

    >>> controlled()[0].label
    'controller:headroom+placement:h=1.2:hold=10.0'
    """
    name = f"{strategies.CONTROLLER}:headroom{strategies.PLACEMENT}"
    return tuple(candidate(name, h=h, hold=hold) for h in _HEADROOMS for hold in _HOLDS_S)


def constant(replicas: int) -> Candidate:
    """Constant replicas, as a candidate that names their number."""
    return candidate("constant", initial_replicas=replicas)


def _deployed() -> Iterator[Candidate]:
    for h in _HEADROOMS:
        for hold in _HOLDS_BY_SCRAPES_S:
            yield candidate("keda_prometheus", h=h, hold=hold)
    for h in _HEADROOMS:
        for hold in _HOLDS_S:
            yield candidate("keda_http:headroom", h=h, hold=hold)
    for f_down in _F_DOWN:
        yield candidate("keda_http:linear", f_down=f_down)


def _keda(mu: float, wsla_s: float) -> Iterator[Candidate]:
    shorter = SCALE_DOWN._replace(window_s=_SHORT_WINDOW_S)
    lags = (round(mu * wsla_s * share) for share in _LAG_SHARES)
    thresholds = sorted({min(max(lag, 1), _MOST_LAG) for lag in lags})
    for threshold in thresholds:
        yield candidate("keda_hpa", threshold=threshold)
        yield candidate("keda_hpa", threshold=threshold, scale_down=shorter)
