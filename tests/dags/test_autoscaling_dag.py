"""The DAG `autoscaling`: its mapped tasks, its parameters, and the runs that it refuses."""

import re

import pytest

pytestmark = pytest.mark.airflow


@pytest.fixture
def scaling(bag):
    """The DAG `autoscaling`."""
    assert bag.import_errors == {}
    return bag.dags["autoscaling"]


def test_simulations_are_mapped_over_experiments(scaling):
    assert {task.task_id for task in scaling.tasks if task.is_mapped} == {"simulate_groups"}
    assert "unit" in scaling.get_task("simulate_groups").map_index_template


def test_the_benchmark_knows_no_setting_or_preset_of_it(scaling, benchmark):
    pattern = benchmark.params.get_param("set").schema["items"]["pattern"]
    assert re.match(pattern, "deltas=5")
    assert not re.match(pattern, "wsla_s=1")
    presets = [set(dag.params.get_param("preset").schema["enum"]) for dag in (scaling, benchmark)]
    assert presets[0] & presets[1] == {None}
    assert presets[1] >= {"paper", "smoke"}


@pytest.mark.parametrize(
    ("family", "preset", "text", "other"),
    [
        (
            "assignment",
            None,
            "family: autoscaling\nexperiments: {a: {partitions: 4, strategies: linear}}\n",
            "autoscaling",
        ),
        (
            "autoscaling",
            None,
            "experiments: {a: {partitions: 4, deltas: [5]}}\n",
            "assignment",
        ),
    ],
)
def test_a_configuration_of_the_other_family_is_refused(
    context, tmp_path, family, preset, text, other
):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import tasks

    file = tmp_path / "c.yaml"
    file.write_text(text)
    context["params"] |= {"preset": preset, "config": str(file)}
    with pytest.raises(AirflowFailException) as caught:
        tasks.begin(family)
    message = str(caught.value)
    assert family in message
    assert other in message
    assert not (tmp_path / "warehouse").exists()
