"""How soon partitions of consumers that died were started elsewhere, from the events of a run."""

from __future__ import annotations

import math

import pandas as pd

from pipeline.base.paths import Paths
from pipeline.warehouse.storage import reader
from schemas.tables.live import live_rules

ENDS = ("exited", "lost")
"""Faults by which the controller knows of the end of a consumer, whichever comes first."""

ANSWERED_S = 2.0
"""Time within which a death must be answered, s."""

_COLUMNS = ("event", "time_s", "component", "kind", "consumer", "incarnation", "partition")


def answers(events: pd.DataFrame) -> list[float]:
    """Time of each death until the partitions were all started by another process, s.

    events: Rows of `live_events` of some runs.
    Returns: One per consumer that died with partitions; +inf if they never were all started again.
    """
    seconds: list[float] = []
    for _, own in events.groupby(list(live_rules.GROUP), sort=True):
        ordered = own.sort_values("event", kind="stable")
        ends = ordered[(ordered["component"] == "fault") & ordered["kind"].isin(ENDS)]
        started = ordered[(ordered["component"] == "consumer") & (ordered["kind"] == "started")]
        for _, end in ends.drop_duplicates(["consumer", "incarnation"]).iterrows():
            seconds += _answer(started, end)
    return seconds


def longest_answer(paths: Paths, run_id: str) -> float | None:
    """Seconds of the last answer to a death: +inf if one has none, None without a death."""
    columns = (*live_rules.GROUP, *_COLUMNS)
    events = reader.of(paths).rows("live_events", columns, run_id=[run_id]).to_pandas()
    return max(answers(events), default=None)


def _answer(started: pd.DataFrame, end: pd.Series) -> list[float]:
    """The time of one death; none if the consumer had no partitions."""
    before = started[started["event"] < end["event"]].drop_duplicates("partition", keep="last")
    is_its = (before["consumer"] == end["consumer"]) & (before["incarnation"] == end["incarnation"])
    orphans = set(before.loc[is_its, "partition"])
    after = started[started["event"] > end["event"]].drop_duplicates("partition")
    again = after[after["partition"].isin(orphans)]
    if not orphans:
        return []
    if len(again) < len(orphans):
        return [math.inf]
    return [float(again["time_s"].max() - end["time_s"])]
