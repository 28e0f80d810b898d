"""The tasks that both DAGs have: one run of the whole pipeline.

Stages and the tables they write come from the registry in `pipeline.stages`. Each table is
checked by a task of its own, so that what fails is seen by name; mapped stages run once per
unit (experiment, δ), and one unit can be cleared and tried again alone.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import TriggerRule, chain, task
from airflow.sdk.definitions.xcom_arg import XComArg

from pipeline.orchestration import alerts, assets, pool, schedule, tasks
from pipeline.stages import Stage

SETTINGS: dict[str, Any] = {
    "catchup": False,
    "max_active_runs": 1,
    # Every task has a Spark session that takes all cores. Those of the other DAG wait in the pool:
    # at work, they would wait for a core inside their own time limits.
    "max_active_tasks": 1,
    "default_args": {
        "pool": pool.NAME,
        # Airflow's own rule puts the last tasks last: a run that has failed would wait with
        # saying so until the other DAG's is at its end.
        "weight_rule": "absolute",
        "retries": 2,
        "retry_delay": timedelta(seconds=30),
        "retry_exponential_backoff": 2.0,
        "max_retry_delay": timedelta(minutes=10),
        "execution_timeout": schedule.time_limit("stage"),
    },
    # One message for a DAG run, not one for each of its tasks.
    "on_failure_callback": alerts.AlertNotifier(),
    "tags": ["groupscale"],
}

FIRST: dict[str, Any] = {"priority_weight": 2}
"""For what is short, and tells how a run begins and ends: it goes before the work of others."""


def pipeline() -> XComArg:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate.

    Returns
    -------
    XComArg
        The task `conclude`, after which tasks can follow that the gate does not hold up.
    """
    begun = task(task_id="begin", **FIRST, **limit("begin"))(tasks.begin)()
    # The tables' assets change when a run is published, so that nobody starts on less.
    end = task(
        task_id="conclude",
        trigger_rule=TriggerRule.ALL_DONE,
        outlets=assets.outlets(),
        **FIRST,
        **limit("conclude"),
    )(tasks.conclude)()
    last = begun
    for group in tasks.alternatives():
        stages = [_stage(item, begun) for item in group]
        checks = [_check(table, one_is_skipped=len(group) > 1) for table in group[0].writes]
        chain(last, stages, *checks)
        last = checks[-1] if checks else stages[0]
        if group[0].mapped:
            # One unit's failure leaves the others at work: the end waits for them as well.
            stages[0] >> end
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


def _check(table: str, one_is_skipped: bool) -> XComArg:
    rule = TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS if one_is_skipped else TriggerRule.ALL_SUCCESS
    return task(task_id=f"check_{table}", trigger_rule=rule, **limit("check"))(tasks.check)(table)


def limit(kind: str) -> dict[str, Any]:
    """The time limit of a task, by its kind."""
    return {"execution_timeout": schedule.time_limit(kind)}
