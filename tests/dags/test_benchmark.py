"""The DAG `benchmark`: its tasks, its edges, its parameters."""

import json

import pytest

from pipeline.stages import STAGES

pytestmark = pytest.mark.airflow

EDGES = {
    "begin": {"generate_streams", "import_traces", "run_algorithms", "simulate_latency"},
    "generate_streams": {"check_streams"},
    "import_traces": {"check_streams"},
    "check_streams": {"check_measurements"},
    "check_measurements": {"run_algorithms"},
    "run_algorithms": {"check_assignments", "conclude"},
    "check_assignments": {"score"},
    "score": {"check_scores"},
    "check_scores": {"simulate_latency"},
    "simulate_latency": {"check_latency", "conclude"},
    "check_latency": {"extract_pareto"},
    "extract_pareto": {"check_pareto"},
    "check_pareto": {"compare"},
    "compare": {"check_differences"},
    "check_differences": {"track"},
    "track": {"report"},
    "report": {"conclude"},
    "conclude": {"gate"},
    "gate": set(),
}


def test_all_files_import(bag):
    assert bag.import_errors == {}
    assert "benchmark" in bag.dags


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


def test_a_check_runs_after_whichever_stage_was_not_skipped(benchmark):
    rules = {task.task_id: task.trigger_rule.value for task in benchmark.tasks}
    either = {"check_streams", "check_measurements"}
    assert {n for n, r in rules.items() if r == "none_failed_min_one_success"} == either
    assert {n for n, r in rules.items() if r == "all_done"} == {"conclude"}
    others = rules.keys() - either - {"conclude"}
    assert {rules[name] for name in others} == {"all_success"}


def test_tasks_are_tried_again_with_growing_pauses(benchmark):
    for task in benchmark.tasks:
        assert task.retries == 2
        assert task.retry_exponential_backoff > 1
        assert task.retry_delay < task.max_retry_delay


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


def test_settings_are_all_explained(benchmark):
    from pipeline.settings import EXPERIMENT_KEYS

    explained = benchmark.params.get_param("set").description
    assert [key for key in EXPERIMENT_KEYS if key not in explained] == []


def test_presets_can_be_chosen_or_left_to_a_file(benchmark):
    from pipeline.presets import PRESETS

    param = benchmark.params.get_param("preset")
    assert [param.resolve(name) for name in (*PRESETS, None)] == [*PRESETS, None]


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
    ],
)
def test_parameters_of_another_kind_are_refused(benchmark, name, value):
    from airflow.sdk.exceptions import ParamValidationError

    param = benchmark.params.get_param(name)
    with pytest.raises(ParamValidationError):
        param.resolve(value)


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
