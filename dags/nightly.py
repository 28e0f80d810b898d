"""DAG `nightly`: runs the whole pipeline every night, then maintains the tables.

It has its own file, so an invalid nightly setting is an import error of this DAG only and does not
affect `benchmark`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.sdk import chain, dag, task

from dags import run_tasks
from pipeline.orchestration import alerts, schedule
from pipeline.orchestration import tasks as steps
from pipeline.orchestration.params import params
from pipeline.settings.presets import PRESETS

PRESET = PRESETS[schedule.nightly_preset()]
ABOUT = f"Preset {PRESET.name} ({PRESET.meaning}), then compaction and deletion of old runs."


@dag(
    dag_id="nightly",
    description=ABOUT,
    schedule=schedule.nightly_schedule(),
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    params=params(PRESET.name),
    is_paused_upon_creation=True,
    deadline=alerts.deadline(),
    doc_md=f"{ABOUT}\n\n{run_tasks.__doc__}",
    **run_tasks.SETTINGS,
)
def nightly() -> None:
    """Run the pipeline, then compact the tables and delete old runs."""
    # If the run fails, so does `conclude`, and there is nothing to compact or delete.
    compacted = task(task_id="compact", **run_tasks.limit("upkeep"))(steps.compact)()
    retained = task(task_id="retain", **run_tasks.limit("upkeep"))(steps.retain)()
    chain(run_tasks.pipeline(PRESET.family), compacted, retained)


EVERY_NIGHT = nightly()
