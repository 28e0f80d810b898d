"""What autoscalers do when blind, as text and rows."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.simulation.incident_kinds import READINGS
from pipeline.base.text.fitted_table import Column
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindGroup, BlindTrial
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.reporting.sections import numbers

TITLE = "ten minutes blind, as the busiest hour begins"

_HEADS = ("no metric", "stale", "zero", "no partition")
COLUMNS = (
    Column("before", 1),
    *(Column(head, place, is_text=True) for place, head in enumerate(_HEADS, start=2)),
)
"""Replicas before, and the fewest meanwhile with late events, in the order of `READINGS`."""


def rows(recommendation: Recommendation) -> Iterator[tuple[BlindGroup, list[str]]]:
    """Each candidate, and its cells in `COLUMNS`."""
    for group in recommendation.blind:
        if group.trials:
            before = f"{group.trials[0].before:,}"
            yield group, [before, *(_cell(group, each) for each in group.trials)]


def _cell(group: BlindGroup, trial: BlindTrial) -> str:
    late = f", {numbers.count(trial.late)} late" if trial.late >= 1.0 else ""
    sign = " ↓" if trial in group.shrinks else ""
    return f"{trial.least:,}{sign}{late}"


def mark(recommendation: Recommendation, judged: Judged) -> str:
    """Whether a candidate shrinks; empty where that is not known."""
    group = next((each for each in recommendation.blind if each.run == judged.run), None)
    if group is None:
        return ""
    return "shrinks" if group.shrinks else "stays"


def sentences(recommendation: Recommendation) -> Iterator[str]:
    """What the figures mean."""
    if any(group.trials for group in recommendation.blind):
        yield (
            "Ten minutes blind: fewest replicas meanwhile, and late events beyond those of the "
            "same group that sees. ↓: it shrinks, and is recommended with --allow-blind only. "
            "Brokers say what is, or nothing: their offsets are neither stale nor 0."
        )


assert len(_HEADS) == len(READINGS)
