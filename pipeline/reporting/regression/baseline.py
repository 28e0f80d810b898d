"""Which run another one is compared with: a rule on the history, without any I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from pipeline.reporting.regression.baseline_candidates import History, Promotion, Recorded


class Baseline(NamedTuple):
    """A run that others are compared with, and the time since when it counts as a baseline."""

    run: Recorded
    since: datetime


def choose(
    history: History, setup: str, seed: int | None = None, but: Collection[str] = ()
) -> Baseline | None:
    """The current baseline of a configuration; None if no run of it qualifies.

    It is the newest of two kinds of runs: promoted ones, at the time of their promotion, and
    published ones in which nothing had moved, at the time at which they began. So a value that has
    moved stays moved, night after night, until it is promoted or moves back. Among runs that are
    not older than the last promotion, one of the same seed comes first: on the same streams results
    must be equal to the last bit, on others only within their scatter.

    A run in which nothing had moved was compared with a baseline that was chosen after it began. A
    run may be published much later, and must not replace one that was promoted in between.

    seed: Root seed of the run that is to be compared; None for any.
    but: Runs that are excluded, such as the one that is to be compared.
    """
    fit = [item for item in _fit(history) if item.run.setup == setup]
    candidates = [item for item in fit if item.run.run_id not in but]
    promoted = accepted(history)
    last = max((item.since for item in candidates if item.run.run_id in promoted), default=None)

    def rank(item: Baseline) -> tuple[bool, datetime, str]:
        counts = last is None or item.since >= last
        return counts and item.run.seed == seed, item.since, item.run.run_id

    return max(candidates, key=rank, default=None)


def accepted(history: History) -> dict[str, Promotion]:
    """The promotion that counts for each promoted run: its last.

    A promotion from before the run began refers to rows that a later run of the id has replaced. A
    run that is published again, such as after a later task was cleared, stays promoted.
    """
    by_run: dict[str, Promotion] = {}
    for promotion in sorted(history.promotions, key=lambda item: item.promoted_at):
        run = history.runs.get(promotion.run_id)
        if run and run.published_at and run.created_at <= promotion.promoted_at:
            by_run[promotion.run_id] = promotion
    return by_run


def present(history: History, since: datetime) -> set[str]:
    """The baselines that the next runs will be compared with, of any seed and of those that recur.

    since: Configurations without a run since then are no longer in use.
    """
    begun = Counter(
        (run.setup, run.seed) for run in history.runs.values() if run.created_at >= since
    )
    again = {key for key, times in begun.items() if times > 1}
    chosen = (
        choose(history, setup, seed) for setup, seed in again | {(key[0], None) for key in begun}
    )
    return {item.run.run_id for item in chosen if item is not None}


def _fit(history: History) -> Iterator[Baseline]:
    promoted = accepted(history)
    for run in history.runs.values():
        if run.run_id in promoted:
            yield Baseline(run, promoted[run.run_id].promoted_at)
        elif run.published_at and not run.moved:
            yield Baseline(run, run.created_at)
