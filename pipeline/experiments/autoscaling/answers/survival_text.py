"""What it costs to survive events, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.experiments.autoscaling.answers import money
from pipeline.experiments.autoscaling.answers.recommendation_figures import name
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers


def survival(recommendation: Recommendation) -> Iterator[str]:
    """How many replicas survive each event, and the answer without them."""
    counts, calm = recommendation.surviving, recommendation.without_events
    if counts is None or calm is None:
        return
    kept = recommendation.counts[0].kept
    enough = f"{kept[0]:,} without events" if kept else "none without events"
    listed = numbers.listing(
        [f"{'none' if n is None else f'{n:,}'} for {each.words}" for each, n in counts.of_each]
    )
    yield (
        f"At the busiest hour, the least constant replicas with assignor {counts.kind.assignor} "
        f"that are enough on the recording: {enough}, {listed}."
    )
    answer, other, question = recommendation.answer, calm.answer, recommendation.question
    if answer is None or other is None or not recommendation.is_met:
        return
    price = money.hourly(question, other.cost.mean)
    if answer.run == other.run:
        yield "To survive these events costs nothing more (--survive)."
        return
    more = money.hourly(question, max(answer.cost.mean - other.cost.mean, 0.0))
    yield (
        f"To survive these events costs {more} more: without them, {name(other)} at {price} is "
        "enough (--survive)."
    )
