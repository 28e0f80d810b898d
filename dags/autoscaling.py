"""DAG `autoscaling`: runs the whole pipeline on autoscaling once, on demand."""

from __future__ import annotations

from airflow.sdk import dag

from dags import run_tasks
from pipeline.config.presets import AUTOSCALING, PRESETS
from pipeline.orchestration.params import params


# Without a schedule, a trigger always means that it should run: do not create it paused.
@dag(
    dag_id="autoscaling",
    schedule=None,
    params=params(AUTOSCALING),
    is_paused_upon_creation=False,
    doc_md=f"{__doc__}\n{run_tasks.__doc__}",
    **run_tasks.SETTINGS,
)
def autoscaling() -> None:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate."""
    run_tasks.pipeline(PRESETS[AUTOSCALING].family)


ON_DEMAND = autoscaling()
