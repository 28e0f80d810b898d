"""What the DAGs of all families that run on demand have in common."""

import json
import re

import pytest

from pipeline.settings.presets import PRESETS
from tests.dags.expected_edges import edges_of
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
    from pipeline.orchestration.dag_names import ON_DEMAND

    assert bag.import_errors == {}
    return bag.dags[ON_DEMAND[family]]


def test_it_has_the_tasks_of_its_family_one_after_another(dag, family):
    edges = {task.task_id: task.downstream_task_ids for task in dag.tasks}
    assert edges == edges_of(family)


def test_it_runs_on_demand_in_the_pool_and_once_at_a_time(dag):
    assert dag.schedule is None
    assert not dag.catchup
    assert dag.max_active_runs == 1
    assert len({task.pool for task in dag.tasks}) == 1


def test_it_says_what_it_runs(dag, family):
    default = dag.params["preset"]
    assert f"family {family};" in dag.description
    assert dag.description.endswith(f"preset {default}: {PRESETS[default].meaning}.")
    assert dag.doc_md.startswith(f"{dag.description}\n\n")


def test_all_dags_differ_in_what_they_say(bag):
    assert bag.dags["nightly"].description.startswith("Preset nightly (")
    texts = {text for dag in bag.dags.values() for text in (dag.description, dag.doc_md)}
    assert len(texts) == 2 * len(bag.dags)


def test_settings_are_those_of_its_family(dag, family):
    pattern = dag.params.get_param("set").schema["items"]["pattern"]
    assert [name for name, setting in SETTINGS.items() if re.match(pattern, setting)] == [family]


def test_presets_are_those_of_its_family(dag, family):
    dag.params.validate()
    json.dumps(dag.params.dump())
    own = [preset.name for preset in PRESETS.values() if preset.family == family]
    assert set(dag.params.get_param("preset").schema["enum"]) == {*own, None}
    assert dag.params["preset"] == own[0]
