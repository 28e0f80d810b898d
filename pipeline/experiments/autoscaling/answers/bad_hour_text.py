"""What a restart, a crash and an outage do at the busiest hour, as text and rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from algorithms.simulation.incident_figures import Recovery
from pipeline.experiments.autoscaling.answers import recovery_cells
from pipeline.experiments.autoscaling.answers.compared_groups import RECOMMENDED, TODAY
from pipeline.experiments.autoscaling.recommendation.bad_hour import AFTER_S, HOUR_S, BadHour
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers


def title(recommendation: Recommendation, hour: BadHour) -> str:
    """When it happens."""
    start = recommendation.question.started_at
    if start is None:
        return f"at the busiest hour, after {numbers.duration(hour.at_s)}"
    return f"at the busiest hour, {start + timedelta(seconds=hour.at_s):%Y-%m-%d %H:%M}"


def rows(hour: BadHour) -> Iterator[tuple[str, Recovery]]:
    """Each event for today's group and for the recommended one."""
    words = {
        "restart": "rolling restart",
        "crash": "crash of one replica",
        "spot": "end of all spot instances",
        "outage": f"outage of {numbers.duration(hour.outage_s)}",
    }
    for event in hour.events:
        for group, recovery in ((TODAY, event.today), (RECOMMENDED, event.answer)):
            if recovery is not None:
                yield f"{words[event.kind]}: {group}", recovery


def sentences(hour: BadHour) -> Iterator[str]:
    """What the figures mean, and what is lost."""
    yield recovery_cells.MEANING
    every = [recovery for _, recovery in rows(hour)]
    if any(map(recovery_cells.is_open, every)):
        hours = AFTER_S / HOUR_S
        yield f"{numbers.MISSING}: not within {hours:g} hours, or before the recording ends."
    oldest_s = max((recovery.longest_s for recovery in every), default=0.0)
    if oldest_s > hour.retention_s:
        yield (
            f"Events are lost: some get older than {numbers.duration(hour.retention_s)}, for which "
            "brokers keep them (--retention)."
        )
