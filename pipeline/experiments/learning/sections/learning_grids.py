"""Verdicts on the paper's claims, as words."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.learning.published import CLAIMS
from pipeline.experiments.learning.results.learning_study import Study
from pipeline.reporting.sections import numbers


class Claim(NamedTuple):
    """A verdict as words."""

    name: str
    statement: str
    ours: str
    verdict: str
    agreeing: str
    note: str


def claims(study: Study) -> list[Claim]:
    """Verdicts on the paper's claims; of several rows of one, the first says how it is judged."""
    rows = study.verdicts.to_dict("records")
    before = [None, *(row["claim"] for row in rows)]
    return [_claim(row, row["claim"] == last) for row, last in zip(rows, before, strict=False)]


def _claim(row: dict[str, Any], again: bool) -> Claim:
    where = f"{row['claim']}, {row['location']}"
    name = f"{where}: {row['subject']}" if row["subject"] else where
    agreeing = f"{row['variants_agreeing']} of {row['variants']}" if row["variants"] else ""
    note = row["note"]
    if again:
        note = note.removeprefix(CLAIMS[row["claim"]].note).lstrip()
    return Claim(name, row["statement"], _ours(row), row["verdict"], agreeing, note)


def _ours(row: dict[str, Any]) -> str:
    if row["value"] is None or pd.isna(row["value"]):
        return numbers.MISSING
    value = f"{row['measure']}: {numbers.fixed(row['value'], 2)}"
    if row["low"] is None or pd.isna(row["low"]):
        return value
    low, high = (numbers.fixed(row[end], 2) for end in ("low", "high"))
    return f"{value} ({low} to {high})"
