"""Which runs' rows are removed, and when: a policy on the rows of `runs`, without any I/O.

Rows of single iterations take up nearly all of a warehouse; scores, latency and fronts are
compared over months. So the former are removed earlier than the latter.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import schemas
from pipeline.base.errors import InputError
from schemas.tables.common.runs import PUBLISHED

BULKY = tuple(name for name, table in schemas.TABLES.items() if table.audit)
"""Tables with rows per iteration: too large to be checked row by row."""

MOST_RUNS = 100_000


class Run(NamedTuple):
    """The fields of a run that the policy needs."""

    run_id: str
    preset: str
    status: str
    created_at: datetime


@dataclass(frozen=True)
class Policy:
    """Which rows are kept."""

    bulky_runs: int = 14
    """Newest published runs of each preset whose rows per iteration are kept."""
    runs: int = 400
    """Newest published runs of each preset that are kept at all."""
    unpublished: timedelta = timedelta(days=7)
    """Age after which runs that failed or were killed are removed."""
    idle: timedelta = timedelta(days=90)
    """Age of a configuration's last run after which its baseline is treated like other runs."""


class Removal(NamedTuple):
    """Ids of runs whose rows are removed."""

    bulky: tuple[str, ...]
    whole: tuple[str, ...]


def policy() -> Policy:
    """The policy set by the environment.

    ``GROUPSCALE_KEEP_BULKY`` and ``GROUPSCALE_KEEP_RUNS`` are numbers of runs per preset.

    Raises InputError if a value is not a valid number of runs.
    """
    default = Policy()
    return Policy(
        _number("GROUPSCALE_KEEP_BULKY", default.bulky_runs),
        _number("GROUPSCALE_KEEP_RUNS", default.runs),
    )


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, str(default))
    if not text.isdecimal() or not 1 <= int(text) <= MOST_RUNS:
        raise InputError(
            f"`{name}` must be an integer between 1 and {MOST_RUNS:,} (got {text!r}); "
            f"unset it to use {default}"
        )
    return int(text)


def removal(
    runs: Iterable[Run],
    chosen: Policy,
    now: datetime,
    kept: Collection[str] = (),
) -> Removal:
    """Rows of these runs that the policy removes.

    The newest published run of a preset is never removed.

    kept: Ids of runs that keep all rows: baselines. They count among the newest like other runs.
    Returns: Ids in ascending order; those in ``whole`` are not in ``bulky``.
    """
    listed = list(runs)
    published = [run for run in listed if run.status == PUBLISHED]
    whole = {run.run_id for run in listed if _given_up(run, chosen, now)}
    bulky: set[str] = set()
    for preset in {run.preset for run in published}:
        mine = [run for run in published if run.preset == preset]
        newest = sorted(mine, key=lambda run: (run.created_at, run.run_id), reverse=True)
        whole |= _ids(newest[max(1, chosen.runs) :])
        bulky |= _ids(newest[max(1, chosen.bulky_runs) :])
    bulky -= whole
    return Removal(tuple(sorted(bulky.difference(kept))), tuple(sorted(whole.difference(kept))))


class Going(NamedTuple):
    """Description of the rows of a run that the policy removes."""

    run: Run
    what: str
    why: str


def explained(runs: Iterable[Run], removed: Removal, chosen: Policy, now: datetime) -> list[Going]:
    """For each run that loses rows, what is deleted and why, oldest first."""
    ordered = sorted(runs, key=lambda run: (run.created_at, run.run_id))
    return [
        _explained(run, run.run_id in removed.whole, chosen, now)
        for run in ordered
        if run.run_id in (*removed.whole, *removed.bulky)
    ]


def _explained(run: Run, whole: bool, chosen: Policy, now: datetime) -> Going:
    what = "all rows" if whole else f"rows per iteration ({', '.join(BULKY)})"
    if run.status != PUBLISHED:
        return Going(run, what, f"{run.status}, {(now - run.created_at).days} days old")
    newest = max(1, chosen.runs if whole else chosen.bulky_runs)
    return Going(run, what, f"not among the {newest:,} newest of its preset")


def _given_up(run: Run, chosen: Policy, now: datetime) -> bool:
    return run.status != PUBLISHED and now - run.created_at > chosen.unpublished


def _ids(runs: Sequence[Run]) -> set[str]:
    return {run.run_id for run in runs}
