"""What the DAGs of all families that run on demand have in common."""

import json
import re
from itertools import pairwise

import pytest

from pipeline.config.presets import PRESETS
from pipeline.stages import stages_in
from tests.pipeline.family_cases import CASES

pytestmark = pytest.mark.airflow

SETTINGS = {name: case.setting for name, case in CASES.items()}
"""A setting of each family that no other has."""


@pytest.fixture(params=sorted(SETTINGS))
def family(request):
    """Name of a family."""
    return request.param


@pytest.fixture
def dag(bag, family):
    """The DAG of the family."""
    from pipeline.orchestration.tasks import dag_of

    assert bag.import_errors == {}
    return bag.dags[dag_of(family)]


def steps_of(family):
    """Tasks in order: stages that fill the same tables are one step, each check is another."""
    steps, before = [], ()
    for stage in stages_in(family):
        if stage.writes and stage.writes == before:
            steps[-1 - len(before)].add(stage.name)
        else:
            steps += [{stage.name}, *({f"check_{table}"} for table in stage.writes)]
        before = stage.writes
    return [{"begin"}, *steps, {"conclude"}, {"gate"}]


def test_it_has_the_tasks_of_its_family_one_after_another(dag, family):
    """`test_benchmark` has a whole picture of such edges."""
    edges = {name: set(after) for step, after in pairwise(steps_of(family)) for name in step}
    for stage in stages_in(family):
        if stage.mapped:
            edges["begin"].add(stage.name)  # which lists the units
            edges[stage.name].add("conclude")  # which waits for all of them
    found = {task.task_id: task.downstream_task_ids for task in dag.tasks}
    assert found == {**edges, "gate": set()}


def test_it_runs_on_demand_in_the_pool_and_once_at_a_time(dag):
    assert dag.schedule is None
    assert not dag.catchup
    assert dag.max_active_runs == 1
    assert len({task.pool for task in dag.tasks}) == 1


def test_settings_are_those_of_its_family(dag, family):
    pattern = dag.params.get_param("set").schema["items"]["pattern"]
    assert [name for name, setting in SETTINGS.items() if re.match(pattern, setting)] == [family]


def test_presets_are_those_of_its_family(dag, family):
    dag.params.validate()
    json.dumps(dag.params.dump())
    own = [preset.name for preset in PRESETS.values() if preset.family == family]
    assert set(dag.params.get_param("preset").schema["enum"]) == {*own, None}
    assert dag.params["preset"] == own[0]
