"""The section on claims of Ezzeddine et al. 2024: differences over seeds, and all settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from live.live_settings import BURSTS, DRIFT, EVEN
from pipeline.experiments.autoscaling.paper import paired_claims
from pipeline.experiments.autoscaling.paper.paired_claims import ALL_DRIFTS, Judgement
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Field,
    Row,
    Section,
    Table,
    Values,
    number,
    text,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import OPEN

TITLE = "Claims of a paper, over seeds"

QUANTITIES: Mapping[str, str] = {
    "sla_percent": f"in time, %{numbers.SPACE}points",
    "replica_minutes": "replica-minutes",
    "max": "maximum latency, s",
    "late_after": "late events",
}
"""Quantities of `claim_differences` in words."""

_NOTE = (
    "Differences are means over seeds and over all drifts, keys and cooldowns, with 95 % intervals "
    "of paired seeds below. A claim whose sign differs between settings is open, decided by what "
    "changes it: there, intervals have 95 % for all settings of the claim together."
)


def claims(results: Results, experiment: str) -> Section:
    """Claims of an experiment; empty without seeds for them."""
    every = results.at(experiment)["claim_differences"]
    if every.empty:
        return Section()
    verdicts = {
        str(row["figure_key"]): str(row["verdict"])
        for row in results["published_figures"].to_dict("records")
    }
    groups = [
        (str(claim), str(quantity), rows)
        for (claim, quantity), rows in every.groupby(["claim", "quantity"], sort=False)
    ]
    rows = [
        _row(claim, quantity, paired_claims.judged(own), verdicts, experiment)
        for claim, quantity, own in groups
    ]
    open_ones = sum(str(row.values["verdict"]).startswith(OPEN) for row in rows)
    seeds = int(every["seeds"].max())
    answer = (
        f"{len(rows) - open_ones} of {len(rows)} differences keep their sign over {seeds} seeds "
        "and all settings that the paper leaves open."
    )
    table = Table("", "Difference", _FIELDS, rows)
    return Section(TITLE, [answer], [table, *_settings(every)], notes=[_NOTE])


def _row(
    claim: str, quantity: str, ours: Judgement, verdicts: Mapping[str, str], experiment: str
) -> Row:
    values: dict[str, Any] = {
        "difference": ours.difference,
        "difference_low": ours.low,
        "difference_high": ours.high,
        **{name: _range(*ours.ends[name]) for name in (EVEN, BURSTS, DRIFT)},
        "verdict": _verdict(ours, verdicts.get(f"{experiment}: {claim}: {quantity}", "")),
    }
    name = f"{claim}: {QUANTITIES[quantity]}"
    return Row(name, values)


def _verdict(ours: Judgement, published: str) -> str:
    """The verdict on the printed difference, else the sign of ours."""
    if ours.decided_by:
        return f"{OPEN}: decided by {ours.decided_by}"
    if published:
        return published
    return {1: "above 0", -1: "below 0"}.get(ours.sign, OPEN)


def _range(low: float, high: float) -> str:
    if math.isnan(low):
        return numbers.MISSING
    ends = dict.fromkeys((numbers.fixed(low, 2), numbers.fixed(high, 2)))
    return " to ".join(ends)


_FIELDS = (
    number("difference", "difference", 2, ends=True, terminal=True),
    text("even", EVEN),
    text("bursts", BURSTS),
    text("drift", DRIFT),
    text("verdict", "verdict", terminal=True),
)


def _settings(every: pd.DataFrame) -> Iterator[Table]:
    """A table per quantity: a row per open setting, a column per claim."""
    single = every[every["swept"] != ALL_DRIFTS]
    for quantity, rows in single.groupby("quantity", sort=False):
        title = f"{QUANTITIES[str(quantity)]} under each setting"
        names = [str(name) for name in rows["claim"].unique()]
        fields = [Field(name, name, partial(_cell, name)) for name in names]
        by_setting = [
            Row(str(swept), {str(row["claim"]): row for row in own.to_dict("records")})
            for swept, own in rows.groupby("swept", sort=False)
        ]
        yield Table("", "Setting", fields, by_setting, folded=title)


def _cell(name: str, values: Values) -> Cell:
    row = values[name]
    difference, *ends = (
        math.nan if row[key] is None else float(row[key]) for key in ("difference", "low", "high")
    )
    below = (_range(*ends),) if not math.isnan(ends[0]) and ends[0] != ends[1] else ()
    return Cell(numbers.fixed(difference, 2), below)
