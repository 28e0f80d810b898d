"""Published figures next to those of a live run, as words for report and terminal."""

from __future__ import annotations

import math
from typing import NamedTuple

from pipeline.experiments.live.results.consumer_capacity import (
    LEAST_BATCHES,
    PUBLISHED_MODE,
    PUBLISHED_MODES,
    TOLERANCE,
    Capacity,
    capacity,
)
from pipeline.experiments.live.results.consumer_deaths import ANSWERED_S
from pipeline.experiments.live.results.controller_times import Response, responses
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.sections import numbers
from schemas.verdicts import NOT_REPRODUCED, REPRODUCED


class PublishedRow(NamedTuple):
    """A published figure and ours, as words."""

    name: str
    ours: str
    published: str
    required: str
    verdict: str
    note: str


def response_times(study: Study) -> list[PublishedRow]:
    """Times of the controller's plans, with published ones."""
    return [
        PublishedRow(
            one.name,
            _spread(one),
            one.published or numbers.MISSING,
            one.required or numbers.MISSING,
            one.verdict,
            one.note,
        )
        for one in responses(study)
    ] + _deaths(study)


def _deaths(study: Study) -> list[PublishedRow]:
    """Answers to deaths of consumers; nothing if none died."""
    if not study.deaths:
        return []
    many = "death" if len(study.deaths) == 1 else "deaths"
    longest = max(study.deaths)
    answered = "never" if math.isinf(longest) else numbers.seconds(longest)
    return [
        PublishedRow(
            "death of a consumer answered",
            f"maximum {answered} ({len(study.deaths)} {many})",
            numbers.MISSING,
            f"always < {ANSWERED_S:g}{numbers.SPACE}s",
            REPRODUCED if longest < ANSWERED_S else NOT_REPRODUCED,
            "from when its end is known until all of its partitions are started elsewhere",
        )
    ]


def _spread(one: Response) -> str:
    if not one.plans:
        return numbers.MISSING
    median, p90, largest = map(numbers.seconds, (one.median, one.p90, one.largest))
    many = "plan" if one.plans == 1 else "plans"
    return f"median {median}, 90{numbers.SPACE}% {p90}, maximum {largest} ({one.plans:,} {many})"


def capacities(study: Study) -> list[PublishedRow]:
    """Speed of a lone consumer with a full log, with published ones; empty if there is none."""
    ours = capacity(study)
    if ours is None:
        return []
    few = f"fewer than {LEAST_BATCHES} full batches" if ours.batches < LEAST_BATCHES else ""
    return [
        PublishedRow(
            "Speed of a consumer",
            capacity_text(ours),
            f"mode {rate_text(PUBLISHED_MODE)} (Figure 13), released batches "
            + numbers.listing([rate_text(mode, 2) for mode in PUBLISHED_MODES]),
            f"mode within {TOLERANCE * 100:g}{numbers.SPACE}% of C̄",
            ours.verdict,
            few,
        )
    ]


def capacity_text(one: Capacity) -> str:
    """Mode and median of the batches' speeds."""
    if not one.batches:
        return numbers.MISSING
    mode, median = (rate_text(share * one.rate, 2) for share in (one.mode, one.median))
    share = numbers.percent(one.mode)
    return f"mode {mode} ({share} of C̄), median {median} ({one.batches:,} batches)"


def rate_text(rate: float, decimals: int = 1) -> str:
    """A speed in MB/s or kB/s."""
    if rate >= 1e6:
        return f"{numbers.fixed(rate / 1e6, decimals)}{numbers.SPACE}MB/s"
    return f"{numbers.fixed(rate / 1e3, 1)}{numbers.SPACE}kB/s"
