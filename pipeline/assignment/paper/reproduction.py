"""Whether the paper's published figures come out.

Each published figure gets one of four verdicts. ``reproduced`` and ``not reproduced`` where
our streams have the paper's setting: numbers against the 95 % prediction interval for one
further stream (on the authors' own recorded stream: exactly), statements as they are.
``no interval`` where there are too few streams for one, ``not comparable`` where the setting
or the algorithms differ. A printed number stands for every value that is
printed so; no interval is widened to fit.
"""

from __future__ import annotations

import pandas as pd

from pipeline.assignment.paper.reproduce_latency import latency_verdicts
from pipeline.assignment.paper.reproduce_tradeoff import tradeoff_verdicts
from pipeline.assignment.paper.verdict import (
    NO_INTERVAL,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    REPRODUCED,
    Verdict,
)
from pipeline.runs.run_results import ReportFrames

VERDICTS = (REPRODUCED, NOT_REPRODUCED, NO_INTERVAL, NOT_COMPARABLE)

__all__ = ["VERDICTS", "all_verdicts", "tally", "verdicts"]


def all_verdicts(frames: ReportFrames) -> list[Verdict]:
    """Return the verdict on every published figure, in the paper's order."""
    return [*latency_verdicts(frames), *tradeoff_verdicts(frames)]


def verdicts(frames: ReportFrames) -> pd.DataFrame:
    """Return the verdicts as a frame, one row per published figure.

    Columns are the fields of `Verdict`; ``figure``, ``published``, ``ours`` and ``verdict``
    are words, ``low`` and ``high`` numbers in ``unit``.
    """
    return pd.DataFrame(all_verdicts(frames), columns=list(Verdict._fields))


def tally(found: list[Verdict]) -> dict[str, int]:
    """Number of figures by verdict."""
    return {kind: sum(v.verdict == kind for v in found) for kind in VERDICTS}
