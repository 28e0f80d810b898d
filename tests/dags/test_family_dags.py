"""What the DAGs of all families that run on demand have in common."""

import json
import re

import pytest

from pipeline.config.presets import PRESETS
from pipeline.stages import FAMILIES, stages_in

pytestmark = pytest.mark.airflow

SETTINGS = {"autoscaling": "arrivals=even", "live": "iteration_seconds=2", "learning": "replay=50"}
"""A setting of each family that no other has."""


@pytest.fixture(params=sorted(SETTINGS))
def family(request):
    """Name of a family, which is that of its DAG."""
    return request.param


@pytest.fixture
def dag(bag, family):
    """The DAG of the family."""
    assert bag.import_errors == {}
    return bag.dags[family]


def test_every_family_but_the_nightly_one_is_here():
    assert SETTINGS.keys() == {family.name for family in FAMILIES} - {"assignment"}


def test_it_has_the_stages_and_checks_of_its_family_and_no_other(dag, family):
    stages = stages_in(family)
    checks = {f"check_{table}" for stage in stages for table in stage.writes}
    own = {stage.name for stage in stages}
    assert dag.task_dict.keys() == own | checks | {"begin", "conclude", "gate"}


def test_it_runs_on_demand_in_the_pool_and_once_at_a_time(dag):
    assert dag.schedule is None
    assert not dag.catchup
    assert dag.max_active_runs == 1
    assert len({task.pool for task in dag.tasks}) == 1


def test_settings_are_those_of_its_family(dag, family):
    pattern = dag.params.get_param("set").schema["items"]["pattern"]
    assert re.match(pattern, SETTINGS[family])
    assert not any(re.match(pattern, SETTINGS[other]) for other in SETTINGS if other != family)
    assert not re.match(pattern, "deltas=5")


def test_presets_are_those_of_its_family(dag, family):
    dag.params.validate()
    json.dumps(dag.params.dump())
    assert dag.params["preset"] == family
    presets = set(dag.params.get_param("preset").schema["enum"])
    assert presets - {None} == {p.name for p in PRESETS.values() if p.family == family}
