"""The section on events at the busiest hour: what they cost each strategy, and which recover."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.autoscaling.sections.figures import recovery_figure
from pipeline.experiments.autoscaling.sections.scaling_study import Study, label
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Field,
    Row,
    Section,
    Table,
    Values,
    charts,
)
from pipeline.warehouse.runs.run_results import Results

TITLE = "Events at the busiest hour"


_SEPARATORS = re.compile("[:,=]")
"""What is between an event's kind, names and values."""


class _Quantity(NamedTuple):
    """A column of `bad_hour_effects`, and how it is written."""

    column: str
    title: str
    write: Callable[[float], str]
    folded: bool = False


def _scaled(unit: float) -> Callable[[float], str]:
    return lambda value: numbers.plain(value / unit)


_QUANTITIES = (
    _Quantity("lag_gone_after_s", "Lag gone after, min: median over seeds", _scaled(60.0)),
    _Quantity("late_events", "Late events, thousands: mean over seeds", _scaled(1000.0)),
    _Quantity(
        "greatest_age_s", "Greatest age of an event, s: median over seeds", _scaled(1.0), True
    ),
    _Quantity("added_minutes", "Replica-minutes more: mean over seeds", _scaled(1.0), True),
)

_NOTE = (
    "Each event happens on its own as the busiest hour begins, and is compared with the same seed "
    "without it. Late events: beyond those. Gone: the group has settled, and its lag is what it "
    "is without the event. Below: 95 % intervals over seeds."
)


def section(results: Results, study: Study) -> Section:
    """Events at the busiest hour of an experiment; empty without seeds for them."""
    rows = ranked(results, study.name)
    if rows.empty:
        return Section()
    return Section(
        TITLE,
        [sentence(rows)],
        [*_tables(rows)],
        charts([partial(recovery_figure.recovery, rows)], study),
        [_listed(rows), _NOTE, *_open(rows)],
    )


def answers(results: Results, studies: list[Study]) -> Iterator[str]:
    """Which strategies recover, in each experiment that has such events."""
    for study in studies:
        rows = ranked(results, study.name)
        if not rows.empty:
            yield f"{study.name}: {sentence(rows)}" if len(studies) > 1 else sentence(rows)


def ranked(results: Results, experiment: str) -> pd.DataFrame:
    """Rows of `bad_hour_effects` with a column ``label``, the soonest strategy first.

    Strategies are ordered by the longest of their times until the lag is gone; events stay in the
    order of their names.
    """
    rows = results.at(experiment)["bad_hour_effects"]
    rows = rows.assign(label=[label(row) for row in rows.to_dict("records")])
    worst = rows.groupby("label")["lag_gone_after_s"].max().astype(float)
    order = rows["label"].map(worst).fillna(0.0)
    return rows.assign(worst=order).sort_values(["worst", "label", "event"], kind="stable")


def sentence(rows: pd.DataFrame) -> str:
    """Which strategies recover from all events, and which do not."""
    timed = rows.dropna(subset="recovered")
    if timed.empty:
        return "All events hold to the end, so none has a time until its lag is gone."
    kept = timed["recovered"] == timed["seeds"]
    lost = timed[~kept]
    names = list(dict.fromkeys(timed["label"]))
    never = list(dict.fromkeys(lost["label"]))
    recovering = timed[~timed["label"].isin(never)]
    parts = [f"{len(names) - len(never)} of {len(names)} strategies recover from every event"]
    if not recovering.empty:
        soonest = recovering.iloc[0]["label"]
        latest = recovering.iloc[-1]["label"]
        parts.append(f"soonest {_gone(recovering, soonest)}")
        if latest != soonest:
            parts.append(f"latest {_gone(recovering, latest)}")
    words = ": ".join((parts[0], ", ".join(parts[1:]))) if parts[1:] else parts[0]
    failed = [f"{name} does not from {_failures(lost, name)}" for name in never]
    return "; ".join((words, *failed)) + "."


def _gone(rows: pd.DataFrame, name: str) -> str:
    """A strategy with the longest of its median times, and the event after which."""
    own = rows[rows["label"] == name]
    row = own.loc[own["lag_gone_after_s"].astype(float).idxmax()]
    gone = numbers.duration(float(row["lag_gone_after_s"]))
    return f"{name}, after a median of {gone} ({row['event']})"


def _failures(lost: pd.DataFrame, name: str) -> str:
    own = lost[lost["label"] == name]
    listed = [
        f"{row['event']} ({int(row['recovered'])} of {int(row['seeds'])} seeds do)"
        for row in own.to_dict("records")
    ]
    return numbers.listing(listed)


def _listed(rows: pd.DataFrame) -> str:
    events = list(dict.fromkeys(rows["event"]))
    return f"Events: {', '.join(events)}; {int(rows['seeds'].max())} seeds each."


def _open(rows: pd.DataFrame) -> Iterator[str]:
    gone = rows["lag_gone_after_s"].astype(float)
    if gone.map(math.isinf).any():
        yield "∞: not before the end of the simulation, in half of the seeds or more."
    for event in dict.fromkeys(rows.loc[gone.isna(), "event"]):
        yield f"{event} holds to the end: late events are those until then."


def _tables(rows: pd.DataFrame) -> Iterator[Table]:
    heads = _heads(rows)
    for quantity in _QUANTITIES:
        fields = [
            Field(head, event, partial(_cell, event, quantity), terminal=not quantity.folded)
            for event, head in heads.items()
            if rows.loc[rows["event"] == event, quantity.column].notna().any()
        ]
        named = [
            Row(str(name), {str(row["event"]): row for row in own.to_dict("records")})
            for name, own in rows.groupby("label", sort=False)
        ]
        title = "" if quantity.folded else quantity.title
        folded = quantity.title if quantity.folded else ""
        yield Table(title, "Strategy", fields, named, compact=not quantity.folded, folded=folded)


def _heads(rows: pd.DataFrame) -> Mapping[str, str]:
    """Column heads by event: its kind, and what distinguishes several of a kind."""
    heads = {}
    for kind, own in rows.drop_duplicates("event").sort_values("event").groupby("kind"):
        parts = {str(event): _SEPARATORS.split(str(event)) for event in own["event"]}
        shared = set.intersection(*map(set, parts.values()))
        for event, each in parts.items():
            differs = " ".join(part for part in each if part not in shared)
            heads[event] = f"{kind}:\n{differs}" if differs else str(kind)
    return heads


def _cell(event: str, quantity: _Quantity, values: Values) -> Cell:
    row: Mapping[str, Any] = values[event]
    value, low, high = (
        math.nan if row[name] is None else float(row[name])
        for name in (quantity.column, f"{quantity.column}_low", f"{quantity.column}_high")
    )
    ends = [*dict.fromkeys((quantity.write(low), quantity.write(high)))]
    below = () if math.isnan(low) or len(ends) == 1 else (" to ".join(ends),)
    return Cell(quantity.write(value), below)
