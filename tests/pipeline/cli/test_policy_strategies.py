"""A policy's file as a strategy of the command line: used, or refused with nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pipeline.cli import learning_message_cases
from tests.pipeline.cli.command import Home, call
from tests.pipeline.inputs.policies import group_policy_rows

pytestmark = pytest.mark.unit

LOAD = ("steady", "--partitions", "5", "--set", "steps=60", "--set", "arrivals=burst")
GOAL = ("--mu", "200", "--slo", "10%@0.5s")


def test_recommend_considers_a_policy(home: Home) -> None:
    file = group_policy_rows.write(home.root, action="residual")
    considered = ("--strategy", f"constant,dqn:{file}")
    result = call("recommend", *LOAD, *GOAL, *considered, "--format", "json")
    assert result.exit_code == 0, result.output
    candidates = json.loads(result.stdout)["candidates"]
    judged = [one for one in candidates if one["strategy"] == "dqn"]
    # Once per set of consumer settings that is considered.
    assert len({json.dumps(one["consumers"]) for one in judged}) == len(judged) > 0
    assert {one["parameters"]["policy"] for one in judged} == {str(file)}
    assert all(one["cost_per_hour"]["value"] >= 1.0 for one in judged)
    text = call("recommend", *LOAD, *GOAL, *considered)
    assert text.exit_code == 0, text.output
    assert "dqn" in text.stdout
    assert home.tree() == []


CALLS = {**learning_message_cases.WITH_STRATEGY, "live": learning_message_cases.LIVE}


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize("name", learning_message_cases.STRATEGIES)
def test_damaged_and_foreign_policies_are_one_line_and_leave_nothing(
    home: Home, command: str, name: str
) -> None:
    file = home.root / "policy.json"
    file.write_text(learning_message_cases.STRATEGIES[name])
    output = home.root / "deploy"
    words = [word.replace("{t.json}", str(file)) for word in CALLS[command]]
    words += ["--output", str(output)] if command == "recommend" else []
    result = call(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert str(file) in result.stderr
    assert home.tree() == []
    assert not output.exists()


@pytest.mark.parametrize("seeds", ["0", "-1"])
def test_an_export_of_no_seeds_is_refused(home: Home, tmp_path: Path, seeds: str) -> None:
    folder = tmp_path / "policies"
    result = call("learn", "export", "r1", "--seeds", seeds, "--output", folder)
    assert result.exit_code == 2
    assert result.stderr.strip() == f"Error: `--seeds` must be 1 to {2**63 - 1} (got {seeds})"
    assert not folder.exists()
