"""The least cost of scaling a consumer group, for a plan that knows all arrivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from algorithms.autoscaling.number_checks import check_number
from algorithms.bounds import changing_replicas, replica_blocks, step_plan
from algorithms.bounds.plan_terms import Terms, check_group
from algorithms.bounds.replica_blocks import Blocks
from algorithms.bounds.step_plan import StepModel
from algorithms.core.arrays import Floats, Longs

_DOUBLINGS = 17


class Plan(NamedTuple):
    """A clairvoyant plan, and what no strategy can do better."""

    weight: float
    """Replica-seconds per late event."""
    lower: float
    """No strategy has fewer ``replica_seconds + weight * late``, up to rounding; see `proved`."""
    proved: bool
    """Whether `lower` is proved for every strategy. It is not if service times vary."""
    cost: float
    """``replica_seconds + weight * late`` of the plan; where start-ups are drawn, as if each took
    the shortest time."""
    is_bound: bool
    """Whether the plan's cost is a bound as well: if so, `lower` is at least as large. It is one if
    no event can be in time in a later step than that of its arrival, and the number of replicas
    changes at decisions only. With the second condition alone, it is one for groups without carried
    lag, whose events are served in the step of their arrival or late."""
    replicas: Longs
    """int64[N]: replicas of the plan after each step's decision."""
    replica_seconds: float
    late: float
    """`replica_seconds`, `late`: its replica-seconds and late events."""


def clairvoyant_plan(
    rates: Floats, weight: float, settings: Mapping[str, Any] | None = None
) -> Plan:
    """Bound the replica-seconds and weighted late events of every strategy.

    rates: float64[N, P], rates in events/s, finite and at least 0; means if the settings say
        ``poisson``.
    weight: Replica-seconds per late event, finite and at least 0. A late event is one with a
        latency above ``wsla_s``, or without a departure.
    settings: Settings of the group as for `algorithms.simulation.simulate`. The bound also holds
        for any other ``assignor``, ``initial_replicas``, ``decision_s``, ``observe`` and
        ``drain_limit_s``.
    Returns: the bound, and the best plan that carries no lag from a step to the next.

    `lower` is the greatest of several bounds, each with a proof in docs/autoscaling-bounds.md:

    - `algorithms.bounds.step_plan`: the plan itself, where `Plan.is_bound`.
    - `algorithms.bounds.changing_replicas`: bursts that are late after their step, with changes of
      the number of replicas at any time.
    - `algorithms.bounds.replica_blocks`: any arrivals; events may be carried over.

    All of them let replicas share the partitions as they like, except where the plan's proof allows
    more. The number of replicas before the first decision is free. O(N (R^2 + R P)) for R numbers
    of replicas, which are at most the partitions.

    One replica serves 99.5 events of each burst in time. Two replicas for one second avoid 60.5
    late events:

    >>> import numpy as np
    >>> rates = np.array([[20.0, 20.0], [80.0, 80.0], [20.0, 20.0]])
    >>> settings = {"arrivals": "burst", "rebalance_s": 0.0}
    >>> settings |= {"startup_s": 0.0, "heartbeat_s": 0.0, "max_poll_records": 0}
    >>> plan = clairvoyant_plan(rates, 0.1, settings)
    >>> plan.replicas.tolist(), plan.cost, plan.lower == plan.cost
    ([1, 2, 1], 4.0, True)
    >>> plan = clairvoyant_plan(rates, 0.01, settings)
    >>> plan.replicas.tolist(), round(plan.late, 3), round(plan.cost, 3)
    ([1, 1, 1], 60.5, 3.605)
    """
    return clairvoyant_plans(rates, [weight], settings)[0]


def clairvoyant_plans(
    rates: Floats, weights: Sequence[float], settings: Mapping[str, Any] | None = None
) -> tuple[Plan, ...]:
    """Return a plan for each weight, as `clairvoyant_plan` does, with less work.

    rates, settings: As for `clairvoyant_plan`.
    weights: Replica-seconds per late event, each finite and at least 0; see `plan_weights`.
    """
    checked = [
        check_number(f"weights[{i}]", weight, at_least=0.0) for i, weight in enumerate(weights)
    ]
    workload, terms = check_group(rates, settings)
    model = step_plan.model(workload, terms)
    cuts = replica_blocks.every_cut(workload, terms)
    return tuple(_plan(workload, terms, model, cuts, weight) for weight in checked)


def plan_weights(mu: float) -> tuple[float, ...]:
    """Return weights from which a front follows: 0, and powers of 2 over the service rate.

    Below ``1 / mu``, an event is cheaper late than served by a replica that does nothing else.

    mu: Rate at which one consumer serves, events/s.
    Raises InvalidParameterError if it is not finite and above 0.

    >>> plan_weights(200.0)[:4]
    (0.0, 0.005, 0.01, 0.02)
    """
    rate = check_number("mu", mu, above=0.0)
    return (0.0, *(2.0**i / rate for i in range(_DOUBLINGS)))


def _plan(
    workload: Floats, terms: Terms, model: StepModel, cuts: Sequence[Blocks], weight: float
) -> Plan:
    plan = step_plan.best(model, weight)
    is_bound = terms.in_one_step and terms.changes_on_grid and terms.constant_speed
    bounds = [terms.low * terms.steps * terms.step_s]
    bounds += [replica_blocks.lower_bound(blocks, terms, weight) for blocks in cuts]
    if terms.in_one_step:
        bounds.append(changing_replicas.lower_bound(workload * terms.step_s, terms, weight))
    if is_bound:
        bounds.append(plan.cost)
    return Plan(
        weight=weight,
        lower=max(bounds),
        proved=terms.constant_speed,
        cost=plan.cost,
        is_bound=is_bound,
        replicas=plan.replicas,
        replica_seconds=plan.replica_seconds,
        late=plan.late,
    )
