"""Number of tasks for work on whole streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.warehouse.spark import session

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

IDS_PER_TASK = 64_000_000
"""Maximum consumer ids per task, which give a file of some ten to a hundred MB."""


def spread(work: Work) -> int:
    """A few tasks per core, so that all end together; more where a task would get too large."""
    few = 4 * session.cores(work.spark)
    tasks = max(few, -(-work.config.n_ids(work.units) // IDS_PER_TASK))
    return max(1, min(work.config.n_streams(work.units), tasks))
