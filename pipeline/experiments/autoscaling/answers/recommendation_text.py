"""A recommendation as text for a terminal: the decision first, then the figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algorithms.autoscaling import strategies
from algorithms.inference.simplest_choice import OFTEN
from pipeline.experiments.autoscaling.answers import (
    certainty_text,
    money,
    partitions_text,
    recommendation_tables,
    survival_text,
)
from pipeline.experiments.autoscaling.answers.recommendation_figures import (
    in_time,
    is_spread,
    name,
    share_of_weeks,
    shown,
)
from pipeline.experiments.autoscaling.recommendation import consumer_settings
from pipeline.experiments.autoscaling.recommendation.constant_counts import CountsTried
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.console import RenderableType

COUNTS_EVENTS = (
    "KEDA counts lag in events: its lagThreshold is right only if rates and --mu are in events/s."
)

_SAME = 1e-3
"""Relative difference of costs that three digits do not show."""


def parts(
    recommendation: Recommendation, workload: str, hot: str = "", width: int | None = None
) -> list[RenderableType]:
    """Parts to print in order; names in `workload` and `hot` partitions must be printable."""
    from rich.text import Text

    return [
        *map(Text, todays_group(recommendation)),
        *map(Text, (*decision(recommendation), *certainty_text.certainty(recommendation))),
        *map(Text, certainty_text.counts_that_fail(recommendation)),
        *map(Text, [hot] if hot else []),
        *map(Text, without_hot(recommendation)),
        *map(Text, partitions_text.deciding(recommendation)),
        "",
        *recommendation_tables.tables(recommendation, width),
        *map(
            Text,
            (
                *partitions_text.partitioning(recommendation),
                *certainty_text.assumptions(recommendation, workload),
            ),
        ),
    ]


def todays_group(recommendation: Recommendation) -> Iterator[str]:
    """What the recording shows of today's group, above all where the model does not fit it."""
    today, mu = recommendation.recorded, recommendation.question.mu
    if today is None:
        return
    each = recommendation.question.target.members_per_replica
    if each > 1:
        yield f"Each host has {each:,} members: the answer counts members, files whole replicas."
    if not today.fits:
        yield (
            f"The model does not fit today's group of {today.members:,}: the 95th percentile of "
            f"its lag is {shown(today.lag)} events, and {shown(today.simulated_lag)} in the "
            "simulation. Find out why before you deploy: --mu may be wrong, or something behind "
            "the group slows it (--shared-limit)."
        )
    served = today.served
    if served is None:
        return
    if served.intervals == 0:
        yield (
            f"A recorded member has served {shown(served.rate)} events/s, never with lag on all "
            f"its partitions: it can serve at least that (--mu: {shown(mu)})."
        )
        return
    yield (
        f"A recorded member with lag serves {shown(served.rate)} events/s (10 to 90 % over "
        f"members: {shown(served.low)} to {shown(served.high)}; {served.intervals:,} intervals; "
        f"--mu: {shown(mu)})."
    )


def decision(recommendation: Recommendation) -> Iterator[str]:
    """What to deploy, what the alternatives cost, and what cannot be deployed."""
    answer, best = recommendation.answer, recommendation.best
    goal = _goal(recommendation)
    if answer is None:
        yield (
            f"None of the candidates can be deployed: {name(best)} is the best of them, with "
            f"{_figures(best, recommendation)}, but it {best.obstacle}."
        )
    elif recommendation.is_met:
        deploy, figures = _deploy(recommendation, answer), _figures(answer, recommendation)
        yield f"{deploy}: {figures} (objective: {goal})."
        yield from _sizes(recommendation, answer)
        yield from survival_text.survival(recommendation)
        yield from _within(recommendation)
        yield _alternatives(recommendation, answer)
        yield from _beside_ideal(recommendation, answer)
        yield from _ties(recommendation, answer)
        if answer.run.candidate.strategy == "keda_hpa":
            yield COUNTS_EVENTS
        if note := consumer_settings.broker_note(answer.run.consumers):
            yield note
    else:
        yield from _missed(recommendation, answer)
        yield from survival_text.survival(recommendation)


def _missed(recommendation: Recommendation, answer: Judged) -> Iterator[str]:
    best, goal = recommendation.best, _goal(recommendation)
    if best.keeps_recording and not answer.keeps_recording:
        where = "does" if best.keeps else "does on the recording"
        yield f"Nothing that can be deployed has {goal}: {_closest(answer)}."
        figures = _figures(best, recommendation)
        yield f"{name(best)} {where}, with {figures}, but it {best.obstacle}."
    elif answer.keeps_recording:
        yield (
            f"Nothing that can be deployed has {goal} as surely as asked: {name(answer)} comes "
            f"closest, with {_figures(answer, recommendation)} on the recording, and in "
            f"{share_of_weeks(answer.probability)} of the weeks that may follow (asked: "
            f"{_percent(recommendation.question.rule.confidence)})."
        )
    else:
        yield f"No candidate has {goal}: {_closest(best)}."
        if best.obstacle is not None:
            yield f"It {best.obstacle}; of those that can be deployed, {_closest(answer)}."


def _deploy(recommendation: Recommendation, answer: Judged) -> str:
    today = recommendation.today
    if today is None or today.run != answer.run:
        return f"Deploy {name(answer)}"
    return f"Leave the group as it is, {name(answer)}"


def _sizes(recommendation: Recommendation, answer: Judged) -> Iterator[str]:
    """What is enough on the recording itself, and what for the next week."""
    counts = _counts_of(recommendation, answer)
    if recommendation.is_stated:
        cost = answer.cost
        rule = recommendation.question.rule
        price = money.hourly(recommendation.question, cost.low, cost.high)
        at = f", at {price}" if is_spread(cost) else ""
        yield (
            f"It keeps the objective in {share_of_weeks(answer.probability)} of the weeks that may "
            f"follow (asked: {_percent(rule.confidence)}){at}."
        )
        return
    first = counts.kept[0] if counts is not None and counts.kept else None
    spread = _percent(recommendation.question.spread.day_spread)
    length, unit = _length(recommendation)
    if first is not None:
        yield (
            f"On the recording itself, {first:,} constant replica{'s' * (first != 1)} with "
            f"assignor {answer.run.consumers.assignor} {'is' if first == 1 else 'are'} enough."
        )
    if answer.keeps:
        yield (
            f"The recommendation is for {unit} that differ by {spread}, which {length} cannot "
            "show (--day-spread); from 7 days on, the answer states a chance."
        )
    else:
        yield (
            f"It keeps the objective on the recording only: if {unit} differ by {spread}, which "
            f"{length} cannot show (--day-spread), nothing that can be deployed is enough."
        )


def _within(recommendation: Recommendation) -> Iterator[str]:
    """What bursts within a step need, which the recording does not have."""
    if not recommendation.within:
        return
    question = recommendation.question
    variations = numbers.listing([_percent(variation) for variation, _ in recommendation.within])
    counts = [each.lasting for _, each in recommendation.within]
    kind = f"constant replicas with assignor {recommendation.within[0][1].kind.assignor}"
    listed = numbers.listing(["no number" if n is None else f"{n:,}" for n in counts])
    enough = f"{listed} {kind} are enough"
    if not any(counts):
        enough = f"no number of {kind} is enough"
    averaged = f"{question.averaged_s:.10g} s" if question.averaged_s else "a step"
    yield (
        f"Rates are means over {averaged}, longer than the objective's latency: bursts within are "
        f"not recorded. With {variations} of variation within, {enough}; the answer is for "
        f"{_percent(question.within_step)} (--within-step)."
    )


def _length(recommendation: Recommendation) -> tuple[str, str]:
    """The length of the recording, and the unit of which the next ones may differ."""
    days = recommendation.days
    if days == 0:
        return numbers.duration(recommendation.steps * recommendation.step_s), "stretches"
    return f"{days} day{'s' * (days != 1)}", "days"


def _counts_of(recommendation: Recommendation, answer: Judged) -> CountsTried | None:
    kind = answer.run.consumers
    return next((each for each in recommendation.counts if each.kind == kind), None)


def attainable(recommendation: Recommendation) -> str | None:
    """The objective to ask for instead: the same latency, with a share that the answer reaches."""
    answer, objective = recommendation.answer, recommendation.question.objective
    if answer is None:
        return None
    share = answer.on_time.mean
    if recommendation.is_stated and not math.isnan(answer.on_time.low):
        share = min(share, answer.on_time.low)
    percent = math.floor(1000.0 * share) / 10.0
    if percent <= 0.0 or percent >= objective.percent:
        return None
    return f"{name(answer)} keeps --slo {objective._replace(percent=percent).text}"


def without_hot(recommendation: Recommendation) -> Iterator[str]:
    """The decision without hot partitions, if it was made."""
    cold = recommendation.without_hot
    if cold is not None:
        many = recommendation.hot
        yield f"Without the {'hot partition' if many == 1 else f'{many:,} hot partitions'}:"
        yield from (f"  {line}" for line in decision(cold))


def _goal(recommendation: Recommendation) -> str:
    objective = recommendation.question.objective
    return f"{objective.percent:.10g} % of the events within {objective.latency_s:.10g} s"


def _figures(judged: Judged, recommendation: Recommendation) -> str:
    """Cost and share in time on the recording."""
    price = money.hourly(recommendation.question, judged.cost.mean)
    return f"{price} and {in_time(judged)} in time"


def _closest(judged: Judged) -> str:
    return f"{name(judged)} comes closest with {in_time(judged)}"


def _alternatives(recommendation: Recommendation, answer: Judged) -> str:
    """What Kafka's default and KEDA's defaults cost."""
    usual = [each for _, each in recommendation.usual]
    constant = next(each for each in usual if each.run.candidate.strategy == "constant")
    keda = next(each for each in usual if each.run.candidate.strategy == "keda_hpa")
    kafka = f"Kafka's default, {name(constant)}, {_extra(constant, answer, recommendation)}"
    if constant.run == answer.run:
        kafka = "That is Kafka's default"
    return f"{kafka}; KEDA with its defaults {_extra(keda, answer, recommendation)}."


def _ties(recommendation: Recommendation, answer: Judged) -> Iterator[str]:
    """What is cheaper, but not by enough, and what would need a controller."""
    rule = recommendation.question.rule
    worth = f"--worth {_percent(rule.worth)} in {_percent(OFTEN)} of the weeks that may follow"
    tie, best = recommendation.cheapest, recommendation.best
    if tie is not None and not _costs_the_same(tie, answer):
        reason = (
            "but a value beside it breaks the objective: the answer is one step on the safe side"
            if _is_beside(tie, answer)
            else f"too little for another way of scaling ({worth}; it does so in "
            f"{share_of_weeks(tie.saves)})"
        )
        yield f"{name(tie)} {_extra(tie, answer, recommendation)}, {reason}."
    if best.keeps and best.obstacle is not None and best.saves >= OFTEN:
        yield f"{name(best)} {_extra(best, answer, recommendation)}, but it {best.obstacle}."


def _beside_ideal(recommendation: Recommendation, answer: Judged) -> Iterator[str]:
    """What a way of deploying costs, and what runs the strategy."""
    if not strategies.is_synced(answer.run.candidate.strategy):
        return
    how = (
        "It runs in groupscale scaler, which KEDA asks with a metrics-api trigger"
        if strategies.inner_of(answer.run.candidate.strategy)
        else "KEDA asks your Prometheus, and a table of thresholds decides"
    )
    yield f"{how}; its share in time is the worst of three phases of the pod autoscaler's sync."
    if recommendation.ideal is not None:
        ideal = recommendation.ideal
        extra = _extra(ideal, answer, recommendation)
        least = [each.outcome.settings["min_replicas"] for each in (answer, ideal)]
        stays = ", which always has a replica" if least[0] < least[1] else ""
        yield f"Its ideal form, {name(ideal)}{stays}, {extra}."


def _is_beside(other: Judged, answer: Judged) -> bool:
    """Whether two candidates differ in a parameter only: the cheaper one is else the answer."""
    name_of, tier = answer.run.candidate.strategy, answer.tier
    return name_of != "constant" and (other.run.candidate.strategy, other.tier) == (name_of, tier)


def _extra(other: Judged, answer: Judged, recommendation: Recommendation) -> str:
    """What another candidate costs compared with the answer, and whether it is good enough."""
    extra, cost = other.cost.mean - answer.cost.mean, answer.cost.mean
    missed = "" if other.keeps else _why_missed(other)
    if other.run == answer.run:
        return "is the same"
    if _costs_the_same(other, answer):
        return f"costs the same{missed}"
    share = numbers.percent(abs(extra) / cost, 0) if cost > 0.0 else "∞"
    word = "more" if extra > 0.0 else "less"
    price = money.hourly(recommendation.question, abs(extra))
    return f"costs {price} {word} ({share}){missed}"


def _costs_the_same(other: Judged, answer: Judged) -> bool:
    costs = other.cost.mean, answer.cost.mean
    return abs(costs[0] - costs[1]) <= _SAME * max(costs)


def _why_missed(other: Judged) -> str:
    if other.keeps_recording:
        return " but is enough on the recording only"
    return f" but has only {in_time(other)} in time"


def _percent(share: float, decimals: int = 0) -> str:
    return numbers.percent(share, decimals)
