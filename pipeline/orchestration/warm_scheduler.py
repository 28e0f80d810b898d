"""Airflow's scheduler with the packages of its tasks loaded.

``python -m pipeline.orchestration.warm_scheduler`` starts it; arguments are those of ``airflow
scheduler``. The local executor forks its workers from the scheduler, and these fork a process for
each task, so a task finds the packages imported and shares their memory. docs/operations.md
has the gain.
"""

from __future__ import annotations

import gc
import runpy
import sys
from importlib import import_module

from pipeline.base import paths
from pipeline.experiments.family_list import FAMILIES, stages_in

PACKAGES = (
    # Before Airflow, with whose log it would fill the scheduler's.
    "great_expectations",
    "pipeline.engine.steps",
    "pipeline.orchestration.tasks",
    "pyspark.sql.connect.session",
    "mlflow",
)


def modules() -> list[str]:
    """What tasks import: packages, and the modules of all stages, once each."""
    stages = [item.module for family in FAMILIES for item in stages_in(family.name)]
    return list(dict.fromkeys((*PACKAGES, *stages)))


def main() -> None:
    """Import everything, then become the scheduler."""
    paths.set_defaults()
    gc.disable()
    for name in modules():
        import_module(name)
    # Garbage collection in a task would copy the shared memory.
    gc.freeze()
    gc.enable()
    sys.argv = ["airflow", "scheduler", *sys.argv[1:]]
    runpy.run_module("airflow", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
