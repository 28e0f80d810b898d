"""Rows of `broker_pauses`: how long producers waited while partitions moved, and otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from live.brokers.scaling_journal import BEGUN
from pipeline.experiments.brokers.evidence import scaling_rows
from pipeline.experiments.brokers.evidence.broker_evidence import Evidence, Records
from pipeline.experiments.brokers.evidence.scaling_rows import Scaled
from schemas.tables.brokers.broker_pauses import MOVING, STILL, WHOLE

Row = dict[str, Any]
Window = tuple[int, int]
"""Begin and end, ns."""

_QUANTILES = {"p50": 50, "p99": 99, "max": 100}


def rows(evidence: Evidence) -> Iterator[Row]:
    """Rows of each scaling, window and kind of producers."""
    still = {e["number"]: e for e in evidence.pauses if e["kind"] == "still"}
    for one in scaling_rows.scaled(evidence):
        entry = still[one.number]
        for period, window in windows(one, (entry["begin_ns"], entry["end_ns"])).items():
            for kind, sent in evidence.sent.items():
                yield {
                    "scaling": one.number,
                    "period": period,
                    "producers": kind,
                    "begins_s": (window[0] - evidence.began_ns) * 1e-9,
                    "seconds": (window[1] - window[0]) * 1e-9,
                    **waited(sent, window),
                }


def windows(one: Scaled, still: Window) -> dict[str, Window]:
    """Windows of a scaling; the one without a change is the end of it, as long as the move."""
    moving = one.moving_ns
    length = min(moving[1] - moving[0], still[1] - still[0])
    return {
        STILL: (still[1] - length, still[1]),
        MOVING: moving,
        WHOLE: (one.first[BEGUN]["at_ns"], one.end["at_ns"]),
    }


def waited(sent: Records, window: Window) -> Row:
    """Waits of records due in a window, and gaps between acknowledgements in it."""
    begin, end = window
    due = sent[(sent["due_ns"] >= begin) & (sent["due_ns"] < end)]
    names = [f"{what}_{name}_s" for what in ("wait", "gap") for name in _QUANTILES]
    if not due.size:
        return {"records": 0, **dict.fromkeys(names)}
    values = [
        float(np.percentile(sample, percent)) * 1e-9
        for sample in (due["done_ns"] - due["due_ns"], gaps(sent, window))
        for percent in _QUANTILES.values()
    ]
    return {"records": len(due), **dict(zip(names, values, strict=True))}


def gaps(sent: Records, window: Window) -> np.ndarray:
    """Times between acknowledgements of each partition; the window's ends count as one, ns."""
    begin, end = window
    inside = sent[(sent["done_ns"] > begin) & (sent["done_ns"] < end)]
    found = []
    for partition in np.unique(sent["partition"]):
        times = np.sort(inside["done_ns"][inside["partition"] == partition])
        found.append(np.diff(np.concatenate(([begin], times, [end]))))
    return np.concatenate(found)
