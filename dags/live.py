"""DAG `live`: runs strategies on a Kafka broker of its own once, on demand."""

from __future__ import annotations

from airflow.sdk import dag

from dags import run_tasks
from pipeline.config.presets import LIVE, PRESETS
from pipeline.orchestration.params import params


# Without a schedule, a trigger always means that it should run: do not create it paused.
@dag(
    dag_id="live",
    schedule=None,
    params=params(LIVE),
    is_paused_upon_creation=False,
    doc_md=f"{__doc__}\n{run_tasks.__doc__}",
    **run_tasks.SETTINGS,
)
def live() -> None:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate."""
    run_tasks.pipeline(PRESETS[LIVE].family)


ON_DEMAND = live()
