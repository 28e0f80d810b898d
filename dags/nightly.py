"""DAG `nightly`: one run of the whole pipeline every night, then the upkeep of the tables.

It has a file of its own: a wrong setting of the night is an import error here, and leaves the DAG
`benchmark` alone.
"""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.sdk import chain, dag, task

from dags import run_tasks
from pipeline.orchestration import alerts, schedule
from pipeline.orchestration import tasks as steps
from pipeline.orchestration.params import params


@dag(
    dag_id="nightly",
    schedule=schedule.nightly_schedule(),
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    params=params(schedule.nightly_preset()),
    is_paused_upon_creation=True,
    deadline=alerts.deadline(),
    doc_md=f"{__doc__}\n{run_tasks.__doc__}",
    **run_tasks.SETTINGS,
)
def nightly() -> None:
    """The same every night, then the upkeep of the tables."""
    # A failed run leaves its end failed, and nothing to be tidied up.
    compacted = task(task_id="compact", **run_tasks.limit("upkeep"))(steps.compact)()
    retained = task(task_id="retain", **run_tasks.limit("upkeep"))(steps.retain)()
    chain(run_tasks.pipeline(), compacted, retained)


EVERY_NIGHT = nightly()
