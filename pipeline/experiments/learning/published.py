"""Claims of the paper on agents that scale brokers, each with how a run is compared with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import pandas as pd

from pipeline.experiments.learning.claims import claim_measures
from pipeline.experiments.learning.claims.claim_measures import Measure
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import GIANNAKOPOULOS, PublishedFigure
from pipeline.reporting.sections.tolerances import Measured, by_own_rule

PAPER: Final = (
    "Giannakopoulos and Kalogeraki, An Elastic and Scalable Topic-Based Pub/Sub System Using Deep "
    "Reinforcement Learning, DAIS 2022"
)
SOURCE: Final = GIANNAKOPOULOS

Evidence = Mapping[str, Any]
"""A row of `learning_verdicts`, whose verdict is what the claim's own rule gives."""

Figure = PublishedFigure[None]


class Published(NamedTuple):
    """A claim: where it is, what it says, and how it is judged."""

    location: str
    statement: str
    measure: Measure | None
    """What trainings say of it; None if it is not tested. Some measure several claims at once."""
    note: str = ""
    """How it is judged."""
    by_construction: str = ""
    """Why no run could say otherwise; empty if one could."""


_START = "The paper does not say with how many brokers an episode starts."
_PRINTED = "It says nothing about settings that the paper does not print."

CLAIMS: Final[Mapping[str, Published]] = {
    "R1": Published("Figs 2, 3", "Reward 1 leads to 3 brokers.", claim_measures.trained, _START),
    "R2": Published("Figs 4, 5", "Reward 2 leads to 11 brokers.", claim_measures.trained, _START),
    "R3": Published(
        "Figs 6, 7", "Reward 3 leads to the optimal policy.", claim_measures.trained, _PRINTED
    ),
    "R4": Published(
        "p. 11",
        "With reward 3, Double DQN has the higher return in almost each training episode.",
        claim_measures.trained,
        "Reproduced if it has in more than half; a draw is not higher.",
    ),
    "R5": Published(
        "p. 11",
        "Both agents perform equally well.",
        claim_measures.trained,
        "Equal means that the whole interval of the difference is within 0.05.",
    ),
    "R6": Published(
        "p. 11",
        "One set of hyper-parameters suits all rewards.",
        claim_measures.one_set,
        by_construction="An experiment trains all rewards with one set. R1 to R3 say whether it "
        "suits them.",
    ),
    "R7": Published(
        "p. 11",
        "10 episodes are enough.",
        claim_measures.trained,
        f"A seed counts if each agent succeeds with each reward. {_PRINTED}",
    ),
    "R8": Published(
        "Sect. 3.1",
        "Weights of insignificant inputs approach zero.",
        claim_measures.insignificant,
        "An input is insignificant if its mean in its place changes at most 1 % of the decisions; "
        "a seed counts if such inputs keep at most half of the weight from before training. Inputs "
        "are replaced one at a time, and at constant load several carry the same information: one "
        "can count as insignificant because another carries it.",
    ),
    "R9": Published(
        "Sect. 4",
        "Layer normalization makes the raw metrics comparable.",
        claim_measures.normalized,
        "Metrics that normalization makes comparable need no ranges. Not reproduced if metrics as "
        "they are (raw) score clearly less than those divided by their ranges first (scaled); "
        "reproduced only if scaled ones succeed. Nothing is trained without normalization.",
    ),
    "R10": Published(
        "Sect. 4",
        "200 ms is a reasonable objective for 11 brokers.",
        claim_measures.reasonable,
        by_construction="Latency is calibrated to it.",
    ),
    "R11": Published(
        "Figs 2-7",
        "Curves of early and late training.",
        None,
        "Not tested: the paper prints no values.",
    ),
}
"""Claims by number."""


def figures(evidence: Iterable[Evidence]) -> Iterator[Figure]:
    """A figure for each row of evidence: a claim and what it is about, in an experiment."""
    return map(_figure, evidence)


def _figure(row: Evidence) -> Figure:
    claim = CLAIMS[row["claim"]]
    return Figure(
        key=f"{row['experiment']}: {row['claim']}: {row['subject']}",
        source=SOURCE,
        place=claim.location,
        strategy=row["subject"],
        candidate=row["experiment"],
        figure=row["measure"],
        value=Printed(claim.statement),
        tolerance=by_own_rule,
        measure=lambda _: _measured(row),
        by_construction=claim.by_construction,
    )


def claim_of(figure_key: str) -> str:
    """Number of the claim that a figure is about."""
    return figure_key.rsplit(": ", 2)[1]


def _measured(row: Evidence) -> Measured:
    value, low, high = (_float(row[name]) for name in ("value", "low", "high"))
    words = numbers.MISSING if pd.isna(value) else f"{round(value, 3)}"
    if row["seeds"]:
        words += f" in {row['seeds']} seeds"
    return Measured((value,), words, (low, high), row["verdict"], note=row["note"])


def _float(value: float | None) -> float:
    return float("nan") if value is None else value
