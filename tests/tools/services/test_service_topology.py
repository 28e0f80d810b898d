"""Defaults of operators' settings are those of the pipeline and of `make up`."""

from __future__ import annotations

import pytest

from pipeline.engine import retention_policy
from pipeline.orchestration import schedule, web_origins
from pipeline.reporting.tracking import retry
from tools import environment
from tools.layout import Layout
from tools.services.service_topology import OPERATOR

pytestmark = pytest.mark.unit


def test_defaults_of_the_night_are_those_of_the_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OPERATOR:
        monkeypatch.delenv(name, raising=False)
    assert OPERATOR[schedule.SCHEDULE] == schedule.DEFAULT_SCHEDULE == schedule.nightly_schedule()
    assert OPERATOR[schedule.PRESET] == schedule.nightly_preset()
    assert float(OPERATOR[schedule.DEADLINE]) == schedule.DEFAULT_DEADLINE_HOURS
    unlimited = schedule.time_limit("stage")
    monkeypatch.setenv(schedule.FACTOR, OPERATOR[schedule.FACTOR])
    assert schedule.time_limit("stage") == unlimited
    assert int(OPERATOR["GROUPSCALE_KEEP_BULKY"]) == retention_policy.Policy().bulky_runs
    assert int(OPERATOR["GROUPSCALE_KEEP_RUNS"]) == retention_policy.Policy().runs
    assert int(OPERATOR[retry.PATIENCE]) == retry.DEFAULT
    read = {schedule.SCHEDULE, schedule.PRESET, schedule.DEADLINE, schedule.FACTOR}
    read |= {retry.PATIENCE, "GROUPSCALE_KEEP_BULKY", "GROUPSCALE_KEEP_RUNS"}
    read |= {web_origins.ALLOWED_HOSTS}
    assert read == {name for name in OPERATOR if name.startswith("GROUPSCALE_")}


def test_make_up_has_the_same_defaults(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment.variables(layout)
    defaults = {n: value for n, value in OPERATOR.items() if n.startswith("AIRFLOW__")}
    assert {name: env[name] for name in defaults} == defaults
    monkeypatch.setenv("AIRFLOW__CORE__PARALLELISM", "9")
    assert environment.variables(layout)["AIRFLOW__CORE__PARALLELISM"] == "9"
