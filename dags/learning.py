"""DAG `learning`: trains agents that scale brokers and judges them once, on demand."""

from __future__ import annotations

from airflow.sdk import dag

from dags import run_tasks
from pipeline.config.presets import LEARNING, PRESETS
from pipeline.orchestration.params import params


# Without a schedule, a trigger always means that it should run: do not create it paused.
@dag(
    dag_id="learning",
    schedule=None,
    params=params(LEARNING),
    is_paused_upon_creation=False,
    doc_md=f"{__doc__}\n{run_tasks.__doc__}",
    **run_tasks.SETTINGS,
)
def learning() -> None:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate."""
    run_tasks.pipeline(PRESETS[LEARNING].family)


ON_DEMAND = learning()
