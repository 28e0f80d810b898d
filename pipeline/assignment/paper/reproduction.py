"""Whether a run reproduces the paper's published figures.

Each published figure gets a verdict of `schemas.verdicts`. Where our streams have the paper's
setting, numbers are compared with the 95 % prediction interval for one further stream, and on the
authors' own recorded stream with the printed digits. A printed number stands for every value that
rounds to it; no interval is widened to fit.
"""

from __future__ import annotations

import pandas as pd

from pipeline.assignment import studies
from pipeline.assignment.paper.reproduce_latency import latency_verdicts
from pipeline.assignment.paper.reproduce_tradeoff import tradeoff_verdicts
from pipeline.report.figure_verdict import Verdict
from pipeline.runs.run_results import Results
from schemas.verdicts import ALL, NOT_COMPARABLE


def all_verdicts(results: Results) -> list[Verdict]:
    """Return the verdict on every published figure, in the paper's order."""
    return [*latency_verdicts(results), *tradeoff_verdicts(results)]


def applies(results: Results) -> bool:
    """Whether the paper's figures say anything about a run: not about somebody's own trace."""
    recorded = all(studies.is_recorded(results, name) for name in results.experiments)
    return not recorded or any(one.verdict != NOT_COMPARABLE for one in all_verdicts(results))


def verdicts(results: Results) -> pd.DataFrame:
    """Return the verdicts as a frame, one row per published figure.

    Columns are the fields of `Verdict`; ``figure``, ``published``, ``ours`` and ``verdict``
    are words, ``low`` and ``high`` numbers in ``unit``.
    """
    return pd.DataFrame(all_verdicts(results), columns=list(Verdict._fields))


def tally(found: list[Verdict]) -> dict[str, int]:
    """Number of figures by verdict."""
    return {kind: sum(v.verdict == kind for v in found) for kind in ALL}
