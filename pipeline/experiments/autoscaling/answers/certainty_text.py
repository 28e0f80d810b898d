"""How sure a recommendation is, what its figures mean, and what was assumed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from algorithms.core import startup_times
from algorithms.inference.week_draws import FEWEST_STATED
from pipeline.experiments.autoscaling.answers import money, partitions_text
from pipeline.experiments.autoscaling.recommendation import recommendation_question, simplicity
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers

CARRIED = 0.01
"""Share of the events that wait from one day to the next, above which a note says so."""


def certainty(recommendation: Recommendation) -> Iterator[str]:
    """How well the same choice does on days that it has not seen, and what makes it doubtful."""
    answer, again = recommendation.answer, recommendation.again
    if answer is None or not recommendation.is_met:
        return
    if recommendation.is_stated and not math.isnan(again.cost):
        yield (
            f"The whole choice made again in {again.picks.size} resamples of the days, each tried "
            f"on the days that it had not seen: {numbers.percent(1.0 - again.late, 3)} in time at "
            f"{money.hourly(recommendation.question, again.cost)}."
        )
    if answer.outcome.carried > CARRIED:
        yield (
            f"Note: {numbers.percent(answer.outcome.carried, 1)} of the events wait from one day "
            "to the next, so days are not independent."
        )


def counts_that_fail(recommendation: Recommendation) -> Iterator[str]:
    """Numbers of replicas above one that is enough, which are not enough themselves."""
    shown_kinds = {each.run.consumers for _, each in recommendation.usual}
    for counts in recommendation.counts:
        failing = counts.failing_above
        if counts.kind not in shown_kinds or not failing:
            continue
        listed = numbers.listing([f"{n:,}" for n in failing[: partitions_text.MOST_NAMED]])
        more = f" and {len(failing) - partitions_text.MOST_NAMED} more" * (
            len(failing) > partitions_text.MOST_NAMED
        )
        yield (
            f"With assignor {counts.kind.assignor}, {counts.kept[0]:,} constant replicas keep the "
            f"objective on the recording, but {listed}{more} do{'es' * (len(failing) == 1)} not: "
            "the number decides which partitions share a member."
        )


def assumptions(recommendation: Recommendation, workload: str) -> Iterator[str]:
    """What the figures mean, and what was assumed."""
    settings, prices = recommendation.settings, recommendation.question.prices
    length = numbers.duration(recommendation.steps * recommendation.step_s)
    partitions, topics = recommendation.partitions, len(recommendation.topics)
    in_topics = f" in {topics:,} topics" * (topics > 1)
    yield (
        f"{workload}: {length} in steps of {recommendation.step_s:.10g} s on {partitions:,} "
        f"partition{'s' * (partitions != 1)}{in_topics}. A consumer serves "
        f"{settings['mu']:,.10g} events/s; groups start with {settings['initial_replicas']:,} "
        f"replica{'s' * (settings['initial_replicas'] != 1)}."
    )
    group = recommendation_question.completed(settings, partitions)
    heartbeat_s = simplicity.in_use(recommendation.question).heartbeat_s
    yield (
        f"Settings that matter: a replica starts in {startup_times.words(group.startup_s)}, a "
        f"heartbeat is {heartbeat_s:g} s: measure yours, `groupscale live response` shows how."
    )
    if recommendation.step_s > 1.0 and settings.get("arrivals") != "burst":
        yield (
            f"Strategies decide every {recommendation.step_s:g} s at most: the recording is too "
            "long to be simulated several hundred times in steps of 1 s."
        )
    yield (
        f"Costs are per hour: {prices.replica_hour:g} per replica-hour, {prices.late_event:g} per "
        f"late event, {prices.move:g} per moved partition. Kept: yes: on the recording and in the "
        f"next week as surely as asked; recorded: on the recording."
    )
    yield (
        f"Tried: {recommendation.tried:,} candidates, among them every constant number of replicas"
        f"; {len(recommendation.ranked):,} simulated in full."
    )
    if recommendation.is_stated:
        return
    yield f"A recording of fewer than {FEWEST_STATED} days cannot show the chance of a week."
