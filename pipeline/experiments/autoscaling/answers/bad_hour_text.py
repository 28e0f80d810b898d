"""What a restart, a crash and an outage do at the busiest hour, as text and rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta

from algorithms.simulation.incident_figures import Recovery
from pipeline.experiments.autoscaling.answers import recovery_cells
from pipeline.experiments.autoscaling.answers.compared_groups import RECOMMENDED, TODAY
from pipeline.experiments.autoscaling.answers.recommendation_figures import name
from pipeline.experiments.autoscaling.recommendation.bad_hour import BadEvent, BadHour
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.workloads.busiest_hour import AFTER_S, HOUR_S
from pipeline.reporting.sections import numbers


def title(recommendation: Recommendation, hour: BadHour) -> str:
    """When it happens."""
    start = recommendation.question.started_at
    if start is None:
        return f"at the busiest hour, after {numbers.duration(hour.at_s)}"
    return f"at the busiest hour, {start + timedelta(seconds=hour.at_s):%Y-%m-%d %H:%M}"


def rows(hour: BadHour) -> Iterator[tuple[str, Recovery]]:
    """Each event for today's group and for the recommended one."""
    words = _words(hour)
    for event in hour.events:
        for group, recovery in ((TODAY, event.today), (RECOMMENDED, event.answer)):
            if recovery is not None:
                yield f"{words[event.kind]}: {group}", recovery


def _words(hour: BadHour) -> dict[str, str]:
    return {
        "restart": "rolling restart",
        "crash": "crash of one replica",
        "spot": "end of all spot instances",
        "outage": f"outage of {numbers.duration(hour.outage_s)}",
    }


def sentences(recommendation: Recommendation, hour: BadHour) -> Iterator[str]:
    """What leads the ranking, what the figures mean, and what is lost."""
    yield from _leaders(recommendation, hour)
    yield recovery_cells.MEANING
    every = [recovery for _, recovery in rows(hour)]
    if any(map(recovery_cells.is_open, every)):
        hours = AFTER_S / HOUR_S
        yield f"{numbers.MISSING}: not within {hours:g} hours, or before the recording ends."
    # How old those get that never depart in the simulation is not known.
    ages_s = [each.longest_s for each in every if math.isfinite(each.longest_s)]
    if max(ages_s, default=0.0) > hour.retention_s:
        yield (
            f"Events are lost: some get older than {numbers.duration(hour.retention_s)}, for which "
            "brokers keep them (--retention)."
        )


def _leaders(recommendation: Recommendation, hour: BadHour) -> Iterator[str]:
    """What leads the ranking under events, where that is not the recommended group."""
    answer = recommendation.answer
    if answer is None:
        return
    others: dict[tuple[Run, str], list[str]] = {}
    words = _words(hour)
    for event in hour.events:
        if event.leader is not None and event.leader.run != answer.run:
            others.setdefault((event.leader.run, _why(event)), []).append(words[event.kind])
    if others:
        names = {each.run: name(each) for each in recommendation.ranked}
        listed = "; ".join(
            f"{names[run]} for {numbers.listing(kinds)} ({why})"
            for (run, why), kinds in others.items()
        )
        yield f"Other leaders of the ranking under events: {listed}."
    else:
        number = {2: "both", 3: "all three", 4: "all four"}[len(hour.events)]
        yield f"Leader of the ranking under events: the same under {number}."


def _why(event: BadEvent) -> str:
    if event.leader is None or event.answer is None or event.leader.endured.keeps:
        return "the cheapest that keeps the objective for an hour"
    fewest, late = (
        numbers.count(each.late) for each in (event.leader.endured.recovery, event.answer)
    )
    return f"fewest late events: {fewest} instead of {late}"
