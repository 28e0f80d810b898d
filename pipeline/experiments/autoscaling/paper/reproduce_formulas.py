"""Published examples that need no simulation: KIP-169's assignments and a response time."""

from __future__ import annotations

import math

import numpy as np

from algorithms.assignment import assignors
from algorithms.autoscaling import queueing
from pipeline.experiments.autoscaling.paper import published_application
from pipeline.experiments.autoscaling.paper.comparison_row import (
    Comparison,
    Printed,
    difference,
    value_text,
    verdict_on,
)
from schemas.verdicts import EXACT, NOT_REPRODUCED

KIP_169 = "G. Neale: KIP-169, Lag-Aware Partition Assignment Strategy, Apache Kafka, 2017"

LAGS = (100_000, 60_000, 50_000)
"""KIP-169: lag of each partition of its example, in events."""

MEMBERS = (0, 1)

PUBLISHED_ASSIGNMENT = "C0: p0; C1: p1 p2"
PUBLISHED_TOTALS = {
    "kip169": "100000 / 110000",
    "range": "160000 / 50000",
    "roundrobin": "160000 / 50000",
}
"""KIP-169: total lag of C0 and C1 by assignor."""

_ROUND_ROBIN = "round robin gives C0 the first and the third partition"


def formula_comparisons() -> list[Comparison]:
    """Return the published examples beside ours; takes milliseconds once it is compiled."""
    return [
        _example("kip169", "assignment", PUBLISHED_ASSIGNMENT, _assignment_text("kip169")),
        *(
            _example(name, "total lag of C0 / C1, events", published, _totals_text(name))
            for name, published in PUBLISHED_TOTALS.items()
        ),
        _response_time(),
    ]


def _owners(assignor: str) -> list[int]:
    unowned = [-1] * len(LAGS)
    return list(map(int, assignors.assign(assignor, len(LAGS), MEMBERS, unowned, LAGS)))


def _assignment_text(assignor: str) -> str:
    owners = _owners(assignor)
    return "; ".join(
        f"C{member}: " + " ".join(f"p{p}" for p, owner in enumerate(owners) if owner == member)
        for member in MEMBERS
    )


def _totals_text(assignor: str) -> str:
    totals = np.bincount(_owners(assignor), weights=LAGS, minlength=len(MEMBERS))
    return " / ".join(f"{total:.0f}" for total in totals)


def _example(assignor: str, figure: str, published: str, ours: str) -> Comparison:
    same = published == ours
    return Comparison(
        key=f"KIP-169: {assignor}: {figure}",
        source=KIP_169,
        location="Example",
        workload="lags 100,000, 60,000 and 50,000, two members",
        strategy=assignor,
        setting="",
        figure=figure,
        unit="",
        published=published,
        published_value=math.nan,
        ours=ours,
        ours_value=math.nan,
        difference="=" if same else "",
        verdict=EXACT if same else NOT_REPRODUCED,
        note="" if same or assignor != "roundrobin" else _ROUND_ROBIN,
    )


def _response_time() -> Comparison:
    printed = Printed.of("5")
    ours = queueing.response_time(0.8, 1.0, 1)
    return Comparison(
        key="Russo Russo 2021: T",
        source=published_application.SOURCE,
        location="Eq. 1-3",
        workload="0.8 events/s, one server of 1 event/s, exponential times",
        strategy="queueing",
        setting="",
        figure="mean response time",
        unit="s",
        published=printed.text,
        published_value=printed.value,
        ours=value_text(printed, ours),
        ours_value=ours,
        difference=difference(printed, ours),
        verdict=verdict_on(printed, ours, computed=True),
        note="M/M/1, for which the approximation is exact",
    )
