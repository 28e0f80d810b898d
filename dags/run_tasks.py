"""Tasks of one run of the whole pipeline, shared by all DAGs.

Stages and the tables they write come from the registry in `pipeline.experiments.family_list`;
docs/stages.md lists them, and docs/nightly.md explains parameters. Each table has its own check
task, so a failure names the table. Mapped stages run once per unit (an experiment, or one of its
δ); you can clear and retry a single unit.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import TriggerRule, chain, task
from airflow.sdk.definitions.xcom_arg import XComArg

from pipeline.experiments.family_list import Stage, stages_in
from pipeline.orchestration import alerts, assets, pool, schedule, tasks

SETTINGS: dict[str, Any] = {
    "catchup": False,
    "max_active_runs": 1,
    # Every task has a Spark session that uses all cores. Tasks of the other DAG wait in the pool,
    # where their time limits do not run yet.
    "max_active_tasks": 1,
    "default_args": {
        "pool": pool.NAME,
        # With Airflow's default rule the last tasks have the lowest priority: a failed run would
        # only report its failure after the other DAG's run.
        "weight_rule": "absolute",
        "retries": 2,
        "retry_delay": timedelta(seconds=30),
        "retry_exponential_backoff": 2.0,
        "max_retry_delay": timedelta(minutes=10),
        "execution_timeout": schedule.time_limit("stage"),
    },
    # One message per DAG run, not per task.
    "on_failure_callback": alerts.AlertNotifier(),
    "tags": ["groupscale"],
}

FIRST: dict[str, Any] = {"priority_weight": 2}
"""For short tasks at the start and end of a run, which run before the tasks of other runs."""


def pipeline(family: str) -> XComArg:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate.

    family: Family of experiments whose stages the DAG has.
    Returns: The task `conclude`. Tasks that follow it do not wait for the gate.
    """
    begun = task(task_id="begin", **FIRST, **limit("begin"))(tasks.begin)(family)
    # The tables' assets change when a run is published, so consumers only see complete runs.
    end = task(
        task_id="conclude",
        trigger_rule=TriggerRule.ALL_DONE,
        outlets=assets.outlets(family),
        **FIRST,
        **limit("conclude"),
    )(tasks.conclude)()
    last = begun
    for item in stages_in(family):
        stage = _stage(item, begun)
        checks = [_check(table) for table in item.writes]
        chain(last, stage, *checks)
        last = checks[-1] if checks else stage
        if item.mapped:
            # If one unit fails, the others continue: `conclude` waits for them as well.
            stage >> end
    last >> end
    end >> task(task_id="gate", **FIRST, **limit("check"))(tasks.gate)()
    return end


def _stage(item: Stage, begun: XComArg) -> XComArg:
    about = {"doc_md": item.meaning, **limit("stage" if item.writes else "tell")}
    if not item.mapped:
        return task(task_id=item.name, **about)(tasks.stage)(item.name)
    label = "{{ task.op_kwargs['unit'] }}"
    mapped = task(task_id=item.name, map_index_template=label, **about)(tasks.stage)
    return mapped.partial(name=item.name).expand(unit=begun)


def _check(table: str) -> XComArg:
    return task(task_id=f"check_{table}", **limit("check"))(tasks.check)(table)


def limit(kind: str) -> dict[str, Any]:
    """The time limit of a task, by its kind."""
    return {"execution_timeout": schedule.time_limit(kind)}
