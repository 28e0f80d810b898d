"""Policies as files: what is written is read again, and what is damaged or foreign is refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.errors import InputError
from pipeline.learning import policy_evaluation, policy_files
from pipeline.policies import policy_content, policy_weights
from tests.pipeline.learning.broker_policy_rows import AGENT, row, weights

pytestmark = pytest.mark.unit


@pytest.fixture
def written(tmp_path: Path) -> Path:
    file = tmp_path / policy_files.file_name(row())
    file.write_text(policy_content.text_of(row()))
    return file


def test_what_is_written_is_read_again(written: Path) -> None:
    policy = policy_files.read(written)
    assert policy.settings == (BrokerSettings(), AGENT)
    assert policy.name == "dqn, weighted, batch=5, seed 1"
    for found, expected in zip(policy.weights, weights(), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert written.name == "e-dqn-weighted-batch_5-0001.json"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "`format_version` must be 1 "),
        ({"format_version": True}, "`format_version` must be 1 "),
        ({"environment": "group"}, "`environment` must be brokers "),
        ({"agent": "ppo"}, "`agent` must be dqn or double_dqn "),
        ({"reward": "speed"}, "`reward` must be "),
        ({"layers": [37, 5, 3]}, "`layers` must be 37-4-3"),
        ({"digest": "0"}, "`weights` does not match `digest`"),
        ({"weights": "%"}, "`weights` is not Base64"),
        ({"settings": "{}"}, "`settings` has other names"),
    ],
)
def test_foreign_and_damaged_policies_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    file = tmp_path / "p.json"
    file.write_text(policy_content.text_of(row(**changes)))
    with pytest.raises(InputError, match=message) as caught:
        policy_files.read(file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("setting", [{"gamma": 2.0}, {"load": -1.0}, {"hidden": "x"}])
def test_settings_out_of_bounds_are_refused(tmp_path: Path, setting: dict[str, object]) -> None:
    settings = json.dumps(asdict(BrokerSettings()) | asdict(AGENT) | setting)
    file = tmp_path / "p.json"
    file.write_text(policy_content.text_of(row(settings=settings)))
    with pytest.raises(InputError, match="`settings`: "):
        policy_files.read(file)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    broken = (np.full((37, 4), np.nan, np.float32), *weights()[1:])
    file = tmp_path / "p.json"
    file.write_text(policy_content.text_of(row(**policy_weights.packed(broken))))
    with pytest.raises(InputError, match="not finite"):
        policy_files.read(file)


def test_a_load_is_the_mean_of_each_interval(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    lines = [f"{t},{p},{1000 + t + 500 * p}" for t in range(0, 120, 20) for p in (0, 1)]
    trace.write_text("\n".join(["timestamp,partition,rate", *lines]) + "\n")
    loads = policy_evaluation.loads_of(trace, 1000.0)
    np.testing.assert_allclose(loads, [2.52, 2.6, 2.68])


def test_a_policy_is_listed_beside_rules_and_never_above_the_optimum(
    written: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "t.csv"
    rows = [f"{40 * k},0,{4000 + 500 * (k % 3)}" for k in range(6)]
    trace.write_text("\n".join(["timestamp,partition,rate", *rows]) + "\n")
    lines = policy_evaluation.evaluate(policy_files.read(written), trace, None, 7)
    names = [line.name for line in lines]
    assert names[:2] == ["dqn, weighted, batch=5, seed 1", "optimal"]
    assert lines == policy_evaluation.evaluate(policy_files.read(written), trace, None, 7)
    # The optimum is one in expectation; 64 episodes scatter a little.
    assert max(line.total_reward for line in lines) <= lines[1].total_reward + 0.1
