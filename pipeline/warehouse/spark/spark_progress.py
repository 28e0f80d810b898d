"""Spark's progress with the queries of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.base.progress import Look, Work
from pipeline.warehouse.spark import internals, remote_session, session

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession

GROUP = "spark.jobGroup.id"


def mark(spark: SparkSession, step: str) -> None:
    """Assign all jobs that this thread starts from now on to a step."""
    if remote_session.is_remote(spark):
        remote_session.mark(step)
    else:
        internals.context(spark).setLocalProperty(GROUP, step)


def of_step(step: str) -> Look:
    """Return a function that returns the progress of a step's largest running job.

    Spark learns of a query's later jobs only when the earlier ones are done, so a share of the
    whole step would jump back and forth.
    """

    def look() -> Work | None:
        spark = session.current()
        if spark is None:
            return None
        if remote_session.is_remote(spark):
            return remote_session.progress_of(step)
        tracker = internals.context(spark).statusTracker()
        jobs = (_work(tracker, job) for job in tracker.getJobIdsForGroup(step))
        return max(
            (job for job in jobs if job), key=lambda job: (job.total, job.part), default=None
        )

    return look


def _work(tracker: StatusTracker, job: int) -> Work | None:
    info = tracker.getJobInfo(job)
    if info is None or info.status != "RUNNING":
        return None
    infos = [tracker.getStageInfo(stage) for stage in info.stageIds]
    stages = [stage for stage in infos if stage is not None]
    total = sum(stage.numTasks for stage in stages)
    return Work(job, sum(stage.numCompletedTasks for stage in stages), total) if total else None
