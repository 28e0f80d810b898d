"""Rows of `learning_verdicts`: evidence with its sensitivity table, or what is missing."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from algorithms.inference.claim_shares import OPEN
from algorithms.learning import sensitivity
from algorithms.learning.learning_claim import Claim
from algorithms.learning.success_verdicts import FEWEST
from pipeline.experiments.learning.published import CLAIMS

Row = dict[str, Any]


def row(
    experiment: str,
    claim: Claim,
    variants: Mapping[str, Claim],
    possible: Collection[str],
    reading: str,
) -> Row:
    """Row of a claim, without ``run_id``.

    claim: The claim with the experiment's own settings.
    variants: The same claim in variants of the sensitivity table, by their spelling.
    possible: Variants of the table that differ from the experiment's own settings.
    reading: Sentence that names the reading of the paper that the claim is judged with.
    """
    without = [name for name in _needed(claim) if name not in variants]
    left_out = _left_out(without, possible, len(variants))
    disagreeing = {name: o.says for name, o in variants.items() if o.says != claim.says}
    note = " ".join(_notes(claim, reading, left_out, disagreeing, len(variants)))
    return _measured(experiment, claim, note) | {
        "subject": f"{claim.agent}, {claim.reward}",
        # No verdict without its sensitivity table.
        "verdict": OPEN if without else claim.verdict,
        "variants": len(variants),
        "variants_agreeing": len(variants) - len(disagreeing),
    }


def constructed(experiment: str, claim: Claim) -> Row:
    """Row of a claim that holds by construction, for which no variant counts."""
    note = " ".join(untrained(claim.lacks))
    return _measured(experiment, claim, note) | {"verdict": claim.says}


def _measured(experiment: str, claim: Claim, note: str) -> Row:
    return blank(experiment, claim.id, note) | {
        "measure": claim.measure,
        "seeds": claim.seeds,
        "value": claim.value,
        "low": _known(claim.low),
        "high": _known(claim.high),
    }


def blank(experiment: str, claim: str, note: str) -> Row:
    """Row of a claim without a value."""
    published = CLAIMS[claim]
    return {
        "experiment": experiment,
        "claim": claim,
        "location": published.location,
        "subject": "",
        "statement": published.statement,
        "measure": "",
        "seeds": 0,
        **dict.fromkeys(("value", "low", "high")),
        "verdict": OPEN,
        "variants": 0,
        "variants_agreeing": 0,
        "note": note,
    }


def untrained(lacks: Sequence[str]) -> Iterator[str]:
    """A sentence on runs that a claim needs; none if it has them all."""
    if lacks:
        yield f"Not trained: {', '.join(lacks)}."


def _needed(claim: Claim) -> list[str]:
    """Variants that a verdict requires; raw metrics are the subject of R9, not a variant of it."""
    names = [name for name in sensitivity.DECLARED if (claim.id, name) != ("R9", sensitivity.RAW)]
    return [sensitivity.spelled(name) for name in names]


def _notes(
    claim: Claim,
    reading: str,
    left_out: Iterable[str],
    disagreeing: Mapping[str, str],
    variants: int,
) -> Iterator[str]:
    """Sentences that say how it is judged, what is missing, and which variants disagree."""
    if CLAIMS[claim.id].note:
        yield CLAIMS[claim.id].note
    yield reading
    yield from untrained(claim.lacks)
    if claim.seeds < FEWEST:
        yield f"Fewer than {FEWEST} seeds."
    yield from left_out
    if variants:
        yield f"{variants - len(disagreeing)} of {variants} variants agree."
    if disagreeing:
        words = [f"{name} ({says})" for name, says in disagreeing.items()]
        yield f"Variants that disagree: {', '.join(words)}."


def _left_out(without: list[str], possible: Collection[str], trained: int) -> Iterator[str]:
    """Sentences on the variants of the table that say nothing about a claim."""
    if not trained:
        yield "No variants were trained."
    elif left := [name for name in without if name in possible]:
        yield f"Variants that were not trained: {', '.join(left)}."
    if same := [name for name in without if name not in possible]:
        yield f"Variants that change nothing about the experiment's settings: {', '.join(same)}."


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
