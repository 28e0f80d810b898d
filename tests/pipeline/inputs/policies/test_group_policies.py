"""Policies of groups as files: read as they were written, and refused if foreign or damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling.trained import group_inputs
from pipeline.base.errors import InputError
from pipeline.inputs.policies import group_policies, policy_weights
from tests.algorithms.autoscaling.trained_policies import random_policy
from tests.pipeline.inputs.policies import group_policy_rows

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("action", ["target", "delta", "residual"])
def test_a_policy_is_read_as_it_was_written(tmp_path: Path, action: str) -> None:
    policy = group_policies.read(group_policy_rows.write(tmp_path, action=action))
    assert (policy.action, policy.partitions) == (action, 5)
    for ours, theirs in zip(policy.weights, random_policy(action).policy.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def with_settings(**changes: Any) -> str:
    return json.dumps(json.loads(group_policy_rows.row()["settings"]) | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 1}, "`format_version`"),
        ({"environment": "brokers"}, "`environment`"),
        ({"environment": "threads"}, "`environment`"),
        ({"agent": "ppo"}, "`agent`"),
        ({"digest": "0"}, "`digest`"),
        ({"weights": "%"}, "`weights` is not Base64"),
        ({"layers": [24, 16, 16]}, "`weights`"),
        ({"layers": [24, 16.5, 16, 3]}, "`layers` must be numbers of units"),
        ({"layers": None}, "`layers` must be numbers of units"),
        ({"settings": "{}"}, "`settings` has other names"),
        ({"settings": "7"}, "`settings` has other names"),
        ({"settings": with_settings(partitions=6)}, "6 partitions .* must have 27 inputs"),
        ({"settings": with_settings(partitions="x")}, "partitions"),
        ({"settings": with_settings(action="target")}, "must have 24 inputs and 5 outputs"),
        ({"settings": with_settings(action=["delta"])}, "action must be one of"),
        ({"settings": with_settings(inputs={})}, "`settings`"),
        (group_policy_rows.damaged(random_policy("delta").policy.weights), "not finite"),
    ],
)
def test_foreign_and_damaged_policies_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        group_policies.read(group_policy_rows.write(tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('"action": "delta"', '"action": "residual"'),
        ('"agent": "dqn"', '"agent": "double_dqn"'),
        ('"reward": "late"', '"reward": "count"'),
        ('"variant": "action=delta"', '"variant": "base"'),
        ('"seed": 1', '"seed": 2'),
        ('"run_id": "r1"', '"run_id": "r2"'),
    ],
)
def test_a_change_of_a_field_is_noticed(tmp_path: Path, text: str, other: str) -> None:
    file = group_policy_rows.write(tmp_path)
    assert text in file.read_text()
    file.write_text(file.read_text().replace(text, other))
    with pytest.raises(InputError, match="`file_digest`"):
        group_policies.read(file)


def test_a_change_of_what_networks_observe_is_a_new_version() -> None:
    """Change `policy_weights.VERSION` together with this."""
    assert policy_weights.VERSION == 2
    assert group_inputs.scaling() == {
        "kept_s": 60,
        "means_s": [5, 15, 60],
        "peaks_s": [10, 60],
        "trend_s": 5,
        "surplus": 1.1,
        "recent_peak_s": 10,
        "rate_unit": 2.0,
        "trend_unit": 0.25,
        "lag_unit": 0.5,
    }
