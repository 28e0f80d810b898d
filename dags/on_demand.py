"""DAGs that run the whole pipeline once, on demand: one for each family of experiments."""

from __future__ import annotations

from airflow.sdk import DAG, dag

from dags import run_tasks
from pipeline.orchestration.dag_names import ON_DEMAND
from pipeline.orchestration.params import params
from pipeline.settings.presets import PRESETS


def _on_demand(family: str, name: str) -> DAG:
    """Make the DAG of a family; its default preset is the family's first."""
    preset = next(item for item in PRESETS.values() if item.family == family)
    about = f"Experiments of family {family}; by default preset {preset.name}: {preset.meaning}."

    # Without a schedule, a trigger always means that it should run: do not create it paused.
    @dag(
        dag_id=name,
        description=about,
        schedule=None,
        params=params(preset.name),
        is_paused_upon_creation=False,
        doc_md=f"{about}\n\n{run_tasks.__doc__}",
        **run_tasks.SETTINGS,
    )
    def whole_pipeline() -> None:
        run_tasks.pipeline(family)

    return whole_pipeline()


# Airflow finds DAGs among a module's global names.
globals().update({name: _on_demand(family, name) for family, name in ON_DEMAND.items()})
