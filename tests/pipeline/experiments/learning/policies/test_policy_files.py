"""Policies as files: what is written is read again, and what is damaged or foreign is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from algorithms.learning.broker_model import METRICS
from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.base.errors import InputError
from pipeline.experiments.learning.evaluation import policy_evaluation
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content, policy_weights
from pipeline.warehouse.storage.reader import Source
from tests.pipeline.experiments.learning.broker_policy_rows import AGENT, row, weights

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
    for array, expected in zip(policy.weights, weights(), strict=True):
        np.testing.assert_array_equal(array, expected)
    assert written.name == "e-dqn-weighted-batch_5-0001.json"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 1}, "`format_version`"),
        ({"format_version": True}, "`format_version`"),
        ({"environment": "group"}, "`environment` must be brokers "),
        ({"agent": "ppo"}, "`agent`"),
        ({"reward": "speed"}, "`reward`"),
        ({"layers": [37, 5, 3]}, "`layers`"),
        ({"digest": "0"}, "`digest`"),
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


@pytest.mark.parametrize("key", [*policy_content.KEYS, policy_content.FILE_DIGEST])
def test_a_change_of_any_field_is_noticed(written: Path, key: str) -> None:
    content = json.loads(written.read_text())
    content[key] = _other(content[key])
    written.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"`file_digest`|`format_version`"):
        policy_files.read(written)


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, dict):
        return value | {"gamma": 0.5}
    if isinstance(value, list):
        return [*value[:-1], value[-1] + 1]
    return "double_dqn" if isinstance(value, str) else value + 1


def test_a_policy_that_is_nested_deeply_is_refused(written: Path) -> None:
    text = written.read_text()
    for depth in (900, 5_000, 100_000):
        nested = "[" * depth + "]" * depth
        written.write_text(text.rstrip().removesuffix("}") + f', "more": {nested}}}')
        with pytest.raises(InputError, match=f"^{written}: ") as caught:
            policy_files.read(written)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seeds", [0, -1, 2**63, 10**30])
def test_a_number_of_seeds_that_no_run_has_is_refused(seeds: int) -> None:
    with pytest.raises(InputError, match=r"^`--seeds` must be 1 to"):
        list(policy_files.stored(cast(Source, None), "r1", seeds))


def test_a_field_that_is_added_is_noticed(written: Path) -> None:
    written.write_text(json.dumps(json.loads(written.read_text()) | {"note": "mine"}))
    with pytest.raises(InputError, match="`file_digest`"):
        policy_files.read(written)


def test_settings_say_what_networks_observe(tmp_path: Path) -> None:
    settings = json.loads(row()["settings"])
    assert settings["metrics"] == list(METRICS)
    assert len(settings["metric_ranges"]) == 10
    file = tmp_path / "p.json"
    other = json.dumps(settings | {"metrics": sorted(METRICS)})
    file.write_text(policy_content.text_of(row(settings=other)))
    with pytest.raises(InputError, match="`settings` has other metrics"):
        policy_files.read(file)


@pytest.mark.parametrize("setting", [{"gamma": 2.0}, {"load": -1.0}, {"hidden": "x"}])
def test_settings_out_of_bounds_are_refused(tmp_path: Path, setting: dict[str, object]) -> None:
    settings = json.dumps(json.loads(row()["settings"]) | setting)
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


@pytest.mark.parametrize(
    ("times", "rates", "loads"),
    [
        ((0, 60, 120), (1000, 2000, 3000), (1.0, 1.5, 2.0, 3.0)),
        ((0, 40, 120, 160), (1000, 2000, 3000, 4000), (1.0, 2.0, 2.0, 3.0, 4.0)),
        # A silence of more than 120 s is left out, as of traces for groups.
        ((0, 40, 80, 400), (1000, 2000, 3000, 4000), (1.0, 2.0, 3.0, 4.0)),
    ],
)
def test_measurements_hold_until_the_next_one(
    tmp_path: Path, times: Sequence[int], rates: Sequence[int], loads: Sequence[float]
) -> None:
    trace = tmp_path / "t.csv"
    lines = [f"{at},{rate}" for at, rate in zip(times, rates, strict=True)]
    trace.write_text("\n".join(["timestamp,rate", *lines]) + "\n")
    np.testing.assert_allclose(policy_evaluation.loads_of(trace, 1000.0), loads)


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


def test_a_load_on_which_nothing_can_be_decided_is_refused(written: Path, tmp_path: Path) -> None:
    settings = json.dumps(
        json.loads(row()["settings"]) | {"weight_of_brokers": 0.0, "spread": 0.01}
    )
    written.write_text(policy_content.text_of(row(settings=settings)))
    trace = tmp_path / "t.csv"
    trace.write_text("\n".join(["timestamp,partition,rate", *(f"{40 * k},0,1" for k in range(6))]))
    with pytest.raises(InputError, match=r"t\.csv: the best return .* must be above") as caught:
        policy_evaluation.evaluate(policy_files.read(written), trace, None, 7)
    assert "\n" not in str(caught.value)
