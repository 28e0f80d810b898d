"""The recording of the demo is the same in each form, and has what it promises."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.autoscaling.recommendation import todays_group
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.experiments.autoscaling.workloads.workload import EQUAL, Workload
from pipeline.inputs.demo import demo_forms, demo_load
from tests.pipeline.cli.command import Home, call

pytestmark = pytest.mark.unit

LOAD = demo_load.generate()


@pytest.fixture
def read(home: Home) -> dict[str, Workload]:
    read = {}
    for ending in demo_forms.FORMS:
        file = home.root / f"demo{ending}"
        assert call("demo-data", "-o", file).exit_code == 0
        read[ending] = recorded_workloads.load(file, partitions=None, split=EQUAL)
    return read


def test_all_forms_hold_the_same_load(read: dict[str, Workload]) -> None:
    """Offsets are whole events: a rate over a minute differs by at most 1/60 event/s."""
    for ending, workload in read.items():
        assert workload.topics == LOAD.topics
        assert workload.started_at == demo_load.STARTED_AT
        assert workload.step_s == demo_load.STEP_S
        limit = 0.0 if ending == ".csv" else 1.0 / demo_load.STEP_S + 1e-9
        assert np.abs(workload.rates - LOAD.rates).max() <= limit


def test_snapshots_show_the_group(read: dict[str, Workload]) -> None:
    """Members keep up: what they leave are commits, and none served more than it can."""
    group = read[".txt"].group
    assert group is not None
    assert todays_group.members_of(group) == demo_load.MEMBERS
    served = todays_group.served(group)
    assert served is not None
    assert served.rate <= demo_load.MU


def test_what_happens_in_it() -> None:
    labels = [label for topic in LOAD.topics for label in topic.labels]
    mean = LOAD.rates.mean(axis=0)
    assert labels[int(mean.argmax())] == "/".join(map(str, demo_load.HOT))
    assert mean.max() > 2.5 * mean.mean()
    total = LOAD.rates.sum(axis=1)
    assert np.flatnonzero(total == 0.0).tolist() == list(range(720, 725))
    first_night, second_night = total[120:240].mean(), total[1560:1680].mean()
    assert second_night > 2.0 * first_night


def test_a_form_that_is_not_known(home: Home) -> None:
    result = call("demo-data", "-o", home.root / "demo.parquet")
    assert result.exit_code == 2
    assert ".csv (rates), .json" in result.stderr
    assert home.tree() == []
