"""The result of comparing a run with its baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.reporting.regression import (
    baseline,
    baseline_candidates,
    compared_results,
    gate_rule,
)
from pipeline.reporting.regression.baseline_candidates import History, Promotion, Recorded
from pipeline.reporting.regression.gate_rule import Made
from pipeline.warehouse.runs.run_results import Results
from pipeline.warehouse.storage.reader import Source
from schemas.metrics import FRONTS

if TYPE_CHECKING:
    import pandas as pd

NONE, MOVED, NO_BASELINE = "none", "moved", "no baseline"


@dataclass(frozen=True)
class Outcome:
    """Differences of a run from another."""

    run_id: str
    baseline_run_id: str | None
    """The other run; None if there is none."""
    rows: Sequence[Mapping[str, Any]] = ()
    """Rows of `differences`, in the order of display."""
    promotion: Promotion | None = None
    """The run's own promotion, if it has been accepted since."""
    alike: bool = True
    """Whether both runs have the same configuration, apart from the seed."""
    without_rows: Sequence[str] = ()
    """Runs that would be the baseline but have no results."""

    @property
    def moved(self) -> list[Mapping[str, Any]]:
        """Rows of values that have moved."""
        return [row for row in self.rows if row["verdict"] == "moved"]

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows by verdict."""
        return dict(Counter(str(row["verdict"]) for row in self.rows))

    @property
    def is_red(self) -> bool:
        """Whether a value moved and the run is not accepted."""
        return bool(self.moved) and self.promotion is None

    @property
    def regression(self) -> str:
        """The verdict as one word."""
        if self.baseline_run_id is None:
            return NO_BASELINE
        return MOVED if self.moved else NONE


def of_frame(run_id: str, frame: pd.DataFrame) -> Outcome:
    """From a run's rows of `differences`."""
    rows = frame.to_dict("records")
    return Outcome(run_id, rows[0]["baseline_run_id"] if rows else None, rows)


def recorded(source: Source, run_id: str) -> Outcome:
    """Outcome when the run was made, and later acceptance. Raises InputError if unpublished."""
    history = baseline_candidates.read(source)
    history.published(run_id)
    rows = source.rows("differences", COLUMNS, run_id=[run_id]).to_pylist()
    rows.sort(key=gate_rule.place)
    other = rows[0]["baseline_run_id"] if rows else None
    return Outcome(run_id, other, rows, baseline.accepted(history).get(run_id))


COLUMNS = (
    *("baseline_run_id", "experiment", "delta", "algorithm", "metric"),
    *("value", "baseline_value", "low", "high", "expected", "verdict"),
)


def between(source: Source, run_id: str, other_id: str) -> Outcome:
    """Compare two runs. Raises InputError if one is not published, or both are the same."""
    history = baseline_candidates.read(source)
    own, other = history.published(run_id), history.published(other_id, "--with")
    mine, theirs = compared_results.read(source, [run_id, other_id])
    rows = _compared(own, other, mine, theirs)
    return Outcome(run_id, other_id, rows, alike=own.setup == other.setup)


def now(source: Source, run_id: str) -> Outcome:
    """Compare a run, published or not, with the current baseline of its configuration.

    A baseline without results is skipped: all values would be new, and none could have moved.
    """
    history: History = baseline_candidates.read(source)
    own, empty = history.runs[run_id], list[str]()
    while chosen := baseline.choose(history, own.setup, own.seed, but={run_id, *empty}):
        other = chosen.run
        mine, theirs = compared_results.read(source, [run_id, other.run_id])
        if any(len(theirs[table]) for table in FRONTS.values()):
            rows = _compared(own, other, mine, theirs)
            return Outcome(run_id, other.run_id, rows, without_rows=empty)
        empty.append(other.run_id)
    return Outcome(run_id, None, without_rows=empty)


def _compared(
    own: Recorded, other: Recorded, mine: Results, theirs: Results
) -> list[dict[str, Any]]:
    made, was = (Made(run.seed, run.code) for run in (own, other))
    rows = gate_rule.compare(mine, theirs, made, was)
    return [row | {"baseline_run_id": other.run_id} for row in rows]
