"""`learn evaluate` on a policy of a group: next to all rules, from the clairvoyant plan on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.experiments.learning.evaluation import group_evaluation
from pipeline.settings.group_fields import RULES
from tests.pipeline.inputs.policies import group_policy_rows
from tests.pipeline.settings.test_learning_experiment import recorded

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def test_a_policy_is_listed_with_all_rules_and_never_below_the_plan(tmp_path: Path) -> None:
    policy = group_policy_rows.write(tmp_path, action="residual")
    lines = group_evaluation.evaluate(policy, recorded(tmp_path))
    assert {line.name for line in lines} == {"clairvoyant", f"dqn:{policy}", *RULES}
    assert [line.regret for line in lines] == sorted(line.regret for line in lines)
    assert lines[0].regret == pytest.approx(0.0)
    by_name = {line.name: line for line in lines}
    # One replica is there all the time. Of a burst of 100 to 106 events it serves 99.5 in time.
    bursts = [100 + second % 7 for second in range(200)]
    late = sum(burst - 99.5 for burst in bursts)
    assert by_name["constant"].replicas == 1.0
    assert by_name["constant"].late_percent == pytest.approx(100.0 * late / sum(bursts))
