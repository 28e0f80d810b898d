"""The DAG `benchmark`: its tasks, its edges, its parameters."""

import json
import re
from copy import copy
from datetime import timedelta

import pytest

from pipeline.experiments.family_list import FAMILIES, stages_in
from pipeline.experiments.family_list import STAGES as ALL_STAGES
from pipeline.orchestration import dag_names
from tests.dags.expected_edges import edges_of

pytestmark = pytest.mark.airflow

STAGES = stages_in("assignment")
EDGES = edges_of("assignment")


def test_all_files_import(bag):
    assert bag.import_errors == {}
    assert bag.dags.keys() == set(dag_names.ALL)


def test_tasks_and_edges(benchmark):
    assert {task.task_id: task.downstream_task_ids for task in benchmark.tasks} == EDGES


def test_every_stage_and_every_table_has_its_task(benchmark):
    checks = {f"check_{table}" for stage in STAGES for table in stage.writes}
    stages = {stage.name for stage in STAGES}
    assert benchmark.task_dict.keys() == stages | checks | {"begin", "conclude", "gate"}


def test_stages_that_say_so_are_mapped_over_units(benchmark):
    mapped = {task.task_id for task in benchmark.tasks if task.is_mapped}
    assert mapped == {stage.name for stage in STAGES if stage.mapped}
    for name in mapped:
        assert "unit" in benchmark.get_task(name).map_index_template


def test_all_tasks_but_the_end_need_those_before(benchmark):
    rules = {task.task_id: task.trigger_rule.value for task in benchmark.tasks}
    assert rules.pop("conclude") == "all_done"
    assert set(rules.values()) == {"all_success"}


def test_tasks_are_tried_again_with_growing_pauses(benchmark):
    for task in benchmark.tasks:
        assert task.retries == 2
        assert task.retry_exponential_backoff > 1
        assert task.retry_delay < task.max_retry_delay


def test_every_task_has_a_time_limit(bag):
    for dag in bag.dags.values():
        limits = {task.task_id: task.execution_timeout for task in dag.tasks}
        assert all(limits.values())
        checks = {limit for name, limit in limits.items() if name.startswith("check_")}
        assert checks == {limits["gate"]}
        stages = [stage for stage in ALL_STAGES if stage.name in limits and stage.writes]
        assert stages
        assert all(limits["begin"] < limits["gate"] < limits[stage.name] for stage in stages)


def test_a_dag_run_that_fails_is_told_once(bag):
    from pipeline.orchestration.alerts import AlertNotifier

    for dag in bag.dags.values():
        assert isinstance(dag.on_failure_callback, AlertNotifier)
        assert not any(task.on_failure_callback for task in dag.tasks)


def test_it_runs_on_demand_and_once_at_a_time(benchmark):
    assert benchmark.schedule is None
    assert not benchmark.catchup
    assert benchmark.max_active_runs == 1


def test_parameters_are_explained_and_their_defaults_are_valid(benchmark):
    for name in benchmark.params:
        assert benchmark.params.get_param(name).description, name
        assert benchmark.params.get_param(name).schema["title"], name
    json.dumps(benchmark.params.dump())
    benchmark.params.validate()


def test_parameters_have_bounds_and_the_usual_ones_are_seen_at_once(benchmark):
    schemas = {name: benchmark.params.get_param(name).schema for name in benchmark.params}
    open_at_first = {name for name, schema in schemas.items() if "section" not in schema}
    assert open_at_first == {"preset", "set", "seed"}
    for name, schema in schemas.items():
        bounded = {**schema, **schema.get("items", {})}
        assert bounded.keys() & {"enum", "pattern", "maximum"}, name


def test_settings_are_all_explained(benchmark):
    from pipeline.settings.settings import KEYS

    explained = benchmark.params.get_param("set").description
    assert [key for key in KEYS["assignment"] if key not in explained] == []


def test_presets_can_be_chosen_or_left_to_a_file(benchmark):
    from pipeline.settings.presets import PRESETS

    param = copy(benchmark.params.get_param("preset"))  # It keeps what it resolves.
    own = [name for name, preset in PRESETS.items() if preset.family == "assignment"]
    assert [param.resolve(name) for name in (*own, None)] == [*own, None]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("preset", "nope"),
        ("set", "seed=1"),
        ("set", [1]),
        ("seed", -1),
        ("seed", "seven"),
        ("traces", "a.csv"),
        ("warehouse", 5),
        ("run_id", 5),
        ("config", 5),
        ("set", ["deltas"]),
        ("set", ["flavour=5"]),
        ("seed", 2**63),
        ("traces", ["a.csv"]),
        ("config", "night.yaml"),
        ("warehouse", "warehouse"),
        ("run_id", "a b"),
        ("run_id", "../x"),
        ("run_id", "x" * 65),
    ],
)
def test_parameters_of_another_kind_are_refused(benchmark, name, value):
    from airflow.sdk.exceptions import ParamValidationError

    param = copy(benchmark.params.get_param(name))
    with pytest.raises(ParamValidationError):
        param.resolve(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("set", ["deltas=5,10", " clip = false", "seed=7"]),
        ("seed", 2**63 - 1),
        ("traces", ["/data/a b.csv"]),
        ("config", "/data/night.yaml"),
        ("warehouse", "/data"),
        ("run_id", "2026-11-21_first.try"),
    ],
)
def test_parameters_that_are_right_are_taken(benchmark, name, value):
    assert copy(benchmark.params.get_param(name)).resolve(value) == value


def test_it_can_be_stored(benchmark):
    from airflow.serialization.serialized_objects import DagSerialization

    stored = DagSerialization.serialize_dag(benchmark)
    json.dumps(stored)
    again = DagSerialization.deserialize_dag(stored)
    assert {task.task_id: set(task.downstream_task_ids) for task in again.tasks} == EDGES


def test_every_night_the_tables_are_tidied_up_after_the_run(bag, benchmark):
    nightly = bag.dags["nightly"]
    edges = {task.task_id: task.downstream_task_ids for task in nightly.tasks}
    upkeep = {"conclude": {"gate", "compact"}, "compact": {"retain"}, "retain": set()}
    # The gate holds up nothing; it is one of the last tasks, by which Airflow judges the run.
    assert edges == EDGES | upkeep
    # Airflow judges a run by its last tasks: these do not run after one that failed.
    assert {nightly.get_task(name).trigger_rule.value for name in ("compact", "retain")} == {
        "all_success"
    }


def test_the_night_is_one_run_without_a_past(bag):
    nightly = bag.dags["nightly"]
    assert nightly.params["preset"] == "nightly"
    assert (nightly.catchup, nightly.max_active_runs) == (False, 1)
    assert str(nightly.schedule) == "0 1 * * *"
    assert nightly.is_paused_upon_creation


def test_a_night_has_a_deadline_and_a_run_on_demand_has_none(bag):
    from airflow.sdk import DeadlineReference
    from airflow.serialization.serialized_objects import DagSerialization

    (alert,) = bag.dags["nightly"].deadline
    assert alert.interval == timedelta(hours=3)
    assert alert.reference == DeadlineReference.DAGRUN_QUEUED_AT
    assert alert.callback.path == "pipeline.orchestration.alerts.AlertNotifier"
    assert not bag.dags["benchmark"].deadline
    json.dumps(DagSerialization.serialize_dag(bag.dags["nightly"]))


@pytest.fixture
def parsed(monkeypatch):
    """Function that parses the DAGs with other settings of the environment."""
    from airflow.dag_processing.dagbag import DagBag

    from tools.layout import here

    def parse(**settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return DagBag(here().root / "dags")

    return parse


def test_schedule_preset_and_times_can_be_chosen(parsed):
    bag = parsed(
        GROUPSCALE_NIGHTLY_SCHEDULE="30 4 * * 6",
        GROUPSCALE_NIGHTLY_PRESET="smoke",
        GROUPSCALE_DEADLINE_HOURS="0",
        GROUPSCALE_TIME_LIMIT_FACTOR="3",
    )
    nightly = bag.dags["nightly"]
    assert str(nightly.schedule) == "30 4 * * 6"
    assert nightly.params["preset"] == "smoke"
    assert not nightly.deadline
    assert nightly.get_task("score").execution_timeout == timedelta(hours=12)


def test_a_wrong_schedule_is_an_import_error_that_says_so(parsed):
    from pipeline.orchestration.dag_names import ON_DEMAND

    bag = parsed(GROUPSCALE_NIGHTLY_SCHEDULE="at night")
    (error,) = bag.import_errors.values()
    assert re.search("GROUPSCALE_NIGHTLY_SCHEDULE .*'at night'", error)
    # What is run on demand has nothing to do with the night.
    assert bag.dags.keys() == {ON_DEMAND[family.name] for family in FAMILIES}
