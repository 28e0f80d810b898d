"""Recorded traces of agents on groups: judged on, apart from a published one that is split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.learning import kernels
from pipeline.experiments.learning.kernels import GroupPlan
from pipeline.experiments.learning.policies import recorded_groups
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import W1, W2, PublishedWorkload
from pipeline.settings.load import resolve
from tests.pipeline.settings.test_learning_experiment import recorded

pytestmark = pytest.mark.unit


def test_a_recording_is_only_judged_on(tmp_path: Path) -> None:
    config = resolve("learning-groups-smoke", None, [], [recorded(tmp_path)])
    (trace,) = recorded_groups.of(config.recorded)
    assert (trace.name, trace.by_time, len(trace.part("test"))) == ("trace-mine", False, 200)
    plans = kernels.plans(config.learning, config.seed, (trace,))
    (plan,) = plans.values()
    assert isinstance(plan, GroupPlan)
    assert [one.name for one in plan.traces()][-1] == "trace-mine"


@pytest.mark.parametrize(("workload", "by_time"), [(W1, False), (W2, True)])
def test_published_workloads_are_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workload: PublishedWorkload, by_time: bool
) -> None:
    """The files are not part of the project, so another one stands for each."""
    monkeypatch.setattr(published_workloads, "recognised", lambda digest: workload)
    config = resolve("learning-groups-smoke", None, [], [recorded(tmp_path)])
    (trace,) = recorded_groups.of(config.recorded)
    assert (trace.name, trace.by_time) == (workload.name, by_time)
    assert np.array_equal(trace.rates, np.ceil(trace.rates))
