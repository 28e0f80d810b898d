"""Changes of a question: another load, more partitions, faster consumers, another objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.core import startup_times
from algorithms.core.arrays import Floats
from algorithms.workloads import more_partitions
from algorithms.workloads.more_partitions import EVEN
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import recommendation_question, simplicity
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks
from pipeline.experiments.autoscaling.recommendation.constant_counts import CountsTried
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks

MOST_FACTOR = 100.0
_MOST_PERCENT = 100.0


class Change(NamedTuple):
    """Factors on parts of a question; 1 leaves a part as it is."""

    load: float = 1.0
    mu: float = 1.0
    """`load`, `mu`: rates, and the rate at which a consumer serves."""
    partitions: int = 1
    """Whole multiple of the partitions of each topic."""
    keys: str = EVEN
    """How keys are spread; see `more_partitions`."""
    latency: float = 1.0
    late: float = 1.0
    """`latency`, `late`: latency of the objective, and the share of events that may be late."""
    startup: float = 1.0
    wait: float = 1.0
    """`startup`, `wait`: time until a new replica joins, and for which moved partitions wait."""


class Changed(NamedTuple):
    """The answer after a change."""

    name: str
    """The change in words."""
    answer: Judged | None
    """What keeps the objective then, by the same rule; None if nothing does."""
    counts: CountsTried
    """Constant numbers of replicas that are enough then, with the consumers of the answer."""


TORNADO = (
    ("load × 1.5", Change(load=1.5)),
    ("load × 2", Change(load=2.0)),
    ("--mu × 0.8", Change(mu=0.8)),
    ("--mu × 1.25", Change(mu=1.25)),
    ("late share ÷ 10", Change(late=0.1)),
    ("late share × 5", Change(late=5.0)),
    ("latency × ½", Change(latency=0.5)),
    ("latency × 2", Change(latency=2.0)),
    ("partitions × 2, keys even", Change(partitions=2)),
    ("partitions × 2, one hot key", Change(partitions=2, keys=more_partitions.ONE_KEY)),
    ("start-up × ⅓", Change(startup=1 / 3)),
    ("start-up × 3", Change(startup=3.0)),
    ("wait of moved partitions × ⅓", Change(wait=1 / 3)),
    ("wait of moved partitions × 3", Change(wait=3.0)),
)
"""What is changed by default, one at a time."""

NAMES = ("load", "partitions", "mu")
"""Parts that the user may change."""


def parse(text: str, partitions: int | None) -> Change:
    """Read ``load=2,partitions=80,mu=1.5``: factors, and a number of partitions of all topics.

    partitions: Today's partitions; None to check the form before the workload is read.
    Raises InputError if the text has another form, or the number is not an integer multiple of
        today's.
    """
    change, named = Change(), set[str]()
    for part in text.split(","):
        name, sign, value = (each.strip() for each in part.partition("="))
        if not sign or name not in NAMES:
            raise InputError(
                f"--what-if {text}: must have the form {','.join(f'{n}=…' for n in NAMES)}, such "
                "as load=2,partitions=80,mu=1.5"
            )
        if name in named:
            raise InputError(f"--what-if {text}: `{name}` is set twice; remove one of them")
        named.add(name)
        number = _number(text, name, value)
        if name == "partitions":
            if partitions is not None:
                change = change._replace(partitions=_multiple(text, number, partitions))
        else:
            change = change._replace(load=number) if name == "load" else change._replace(mu=number)
    return change


def _number(text: str, name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    most = MOST_FACTOR if name != "partitions" else float("inf")
    if not 0.0 < number <= most:
        raise InputError(
            f"--what-if {text}: `{name}` must be a number above 0"
            + (f" and at most {most:g}" if name != "partitions" else "")
            + f" (got {value})"
        )
    return number


def _multiple(text: str, number: float, partitions: int) -> int:
    factor = number / partitions
    if not factor.is_integer() or not 1.0 <= factor <= MOST_FACTOR:
        raise InputError(
            f"--what-if {text}: `partitions` must be an integer multiple of today's {partitions:,} "
            f"(got {number:g}): with any other number all keys move to other partitions, so that "
            "the recording does not show what each would get"
        )
    return int(factor)


def changed(
    change: Change, rates: Floats, question: Question, shared: Mapping[str, Any]
) -> tuple[Floats, Question]:
    """Rates and question after a change.

    rates: ``float64[N, P]``, events/s.
    shared: Settings of the group before, as `recommendation_question.prepare` completes them.
    """
    objective, blind, survival = question.objective, question.blind, question.survival
    allowed = min((_MOST_PERCENT - objective.percent) * change.late, 0.99 * _MOST_PERCENT)
    mu = question.mu * change.mu
    latency_s = max(objective.latency_s * change.latency, 0.5 / mu)
    if change.partitions > 1:
        rates = more_partitions.multiplied(rates, question.topics, change.partitions, change.keys)
    return rates * change.load, question._replace(
        objective=Objective(_MOST_PERCENT - allowed, latency_s),
        mu=mu,
        settings=_settings(change, question, shared),
        topics=tuple(size * change.partitions for size in question.topics),
        # Their own: checks keep the workloads that they are asked about.
        blind=blind and BlindChecks(blind.allowed),
        survival=survival and SurvivalChecks(survival.events, allowed / _MOST_PERCENT),
    )


def _settings(change: Change, question: Question, shared: Mapping[str, Any]) -> dict[str, object]:
    """Settings of the group with other times."""
    settings = dict(question.settings)
    group = recommendation_question.completed(shared, sum(question.topics))
    if change.startup != 1.0:
        settings["startup_s"] = startup_times.scaled(group.startup_s, change.startup)
    if change.wait != 1.0:
        settings["rebalance_s"] = group.rebalance_s * change.wait
        settings["heartbeat_s"] = simplicity.in_use(question).heartbeat_s * change.wait
    return settings
