"""DAGs `benchmark`, one run of the whole pipeline on demand, and `nightly`, one every night.

Stages and the tables they write come from the registry in `pipeline.stages`. Each table is
checked by a task of its own, so that what fails is seen by name; mapped stages run once per
unit (experiment, δ), and one unit can be cleared and tried again alone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import Param, TriggerRule, chain, dag, task
from airflow.sdk.definitions.xcom_arg import XComArg

from pipeline import airflow as steps
from pipeline.presets import DEFAULT, PRESETS
from pipeline.stages import Stage


def _preset(default: str) -> Param:
    return Param(
        default,
        type=["null", "string"],
        enum=[*PRESETS, None],
        title="Preset",
        description="; ".join(f"{preset.name}: {preset.meaning}" for preset in PRESETS.values())
        + ". Empty: what the configuration file says.",
    )


PARAMS = {
    "preset": _preset(DEFAULT),
    "set": Param(
        [],
        type="array",
        items={"type": "string"},
        title="Settings",
        description="KEY=VALUE, one per line, for every experiment: partitions, iterations, "
        "deltas, replicates, initial_rates, capacity, consumer_capacity, algorithms, "
        "iteration_seconds, rebalance_seconds, clip. Example: deltas=5,10",
    ),
    "seed": Param(
        None,
        type=["null", "integer"],
        minimum=0,
        title="Root seed",
        description="Streams follow from it; the same seed gives the same tables.",
    ),
    "traces": Param(
        [],
        type="array",
        items={"type": "string"},
        title="Recorded traces",
        description="Absolute paths of CSV, Parquet or JSON files, one per line; they take the "
        "place of generated streams.",
    ),
    "config": Param(
        None,
        type=["null", "string"],
        title="Configuration file",
        description="Absolute path of a YAML or JSON file with settings and experiments.",
    ),
    "warehouse": Param(
        None,
        type=["null", "string"],
        title="Warehouse",
        description="Folder of the Delta tables; empty: GROUPSCALE_WAREHOUSE.",
    ),
    "run_id": Param(
        None,
        type=["null", "string"],
        title="Run id",
        description="Empty: a new one. The rows of an earlier run of this id are replaced.",
    ),
}

NIGHTLY = {**PARAMS, "preset": _preset("nightly")}

SETTINGS: dict[str, Any] = {
    "catchup": False,
    "max_active_runs": 1,
    # Every task has a Spark session that takes all cores.
    "max_active_tasks": 1,
    "default_args": {
        "retries": 2,
        "retry_delay": timedelta(seconds=30),
        "retry_exponential_backoff": 2.0,
        "max_retry_delay": timedelta(minutes=10),
    },
    "tags": ["groupscale"],
    "doc_md": __doc__,
}


# The first has no schedule: whoever triggers it wants it to run.
@dag(
    dag_id="benchmark",
    schedule=None,
    params=PARAMS,
    is_paused_upon_creation=False,
    **SETTINGS,
)
def benchmark() -> None:
    """Begin, the stages with the checks of their tables, conclude, and the regression gate."""
    _pipeline()


@dag(
    dag_id="nightly",
    schedule="0 1 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    params=NIGHTLY,
    is_paused_upon_creation=True,
    **SETTINGS,
)
def nightly() -> None:
    """The same every night, then the upkeep of the tables."""
    # A failed run leaves its end failed, and nothing to be tidied up.
    compacted = task(task_id="compact")(steps.compact)()
    retained = task(task_id="retain")(steps.retain)()
    chain(_pipeline(), compacted, retained)


def _pipeline() -> XComArg:
    begun = task(task_id="begin")(steps.begin)()
    end = task(task_id="conclude", trigger_rule=TriggerRule.ALL_DONE)(steps.conclude)()
    last = begun
    for group in steps.alternatives():
        stages = [_stage(item, begun) for item in group]
        checks = [_check(table, one_is_skipped=len(group) > 1) for table in group[0].writes]
        chain(last, stages, *checks)
        last = checks[-1] if checks else stages[0]
        if group[0].mapped:
            # One unit's failure leaves the others at work: the end waits for them as well.
            stages[0] >> end
    last >> end
    end >> task(task_id="gate")(steps.gate)()
    return end


def _stage(item: Stage, begun: XComArg) -> XComArg:
    if not item.mapped:
        return task(task_id=item.name, doc_md=item.meaning)(steps.stage)(item.name)
    label = "{{ task.op_kwargs['unit'] }}"
    mapped = task(task_id=item.name, doc_md=item.meaning, map_index_template=label)(steps.stage)
    return mapped.partial(name=item.name).expand(unit=begun)


def _check(table: str, one_is_skipped: bool) -> XComArg:
    rule = TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS if one_is_skipped else TriggerRule.ALL_SUCCESS
    return task(task_id=f"check_{table}", trigger_rule=rule)(steps.check)(table)


ON_DEMAND, EVERY_NIGHT = benchmark(), nightly()
