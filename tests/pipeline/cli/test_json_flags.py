"""``--json``: accepted wherever something is listed, with the values that the table shows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.engine import maintenance
from pipeline.engine.retention_policy import Going, Removal, Run
from pipeline.experiments.learning.evaluation import group_evaluation, policy_evaluation
from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content
from pipeline.warehouse.storage import reader
from tests.pipeline.cli.command import Home, call

pytestmark = pytest.mark.unit

SIMULATE = ("simulate", "steady", "--strategy", "constant", "--set", "steps=50")
RECOMMEND = (
    *("recommend", "steady", "--mu", "200", "--slo", "95%@5s", "--strategy", "constant"),
    *("--set", "steps=600"),
)


@pytest.mark.parametrize("command", [SIMULATE, RECOMMEND])
def test_json_is_short_for_the_format(home: Home, command: tuple[str, ...]) -> None:
    short, long = (call(*command, *words) for words in (["--json"], ["--format", "json"]))
    assert short.exit_code == 0, short.output
    assert short.stdout == long.stdout == call(*command, "--json", "--format", "json").stdout
    assert json.loads(short.stdout)


@pytest.mark.parametrize("command", [SIMULATE, RECOMMEND, ("sql", "FROM runs")])
def test_another_format_contradicts_it(home: Home, command: tuple[str, ...]) -> None:
    done = call(*command, "--json", "--format", "table")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: --json contradicts --format table; leave out one\n"
    assert home.tree() == []


@pytest.mark.parametrize(("words", "does_list"), [([], False), (["--dry-run"], True)])
def test_what_retention_deletes(
    home: Home, monkeypatch: pytest.MonkeyPatch, words: list[str], does_list: bool
) -> None:
    run = Run("r1", "smoke", "published", datetime(2026, 1, 2, 3, 4, tzinfo=UTC))
    asked: list[bool] = []

    def removal(is_dry: bool) -> Removal:
        asked.append(is_dry)
        return Removal(bulky=(), whole=("r1",))

    monkeypatch.setattr(reader, "of", lambda _: None)
    monkeypatch.setattr(maintenance, "listing", lambda _: [run])
    monkeypatch.setattr(maintenance, "plan", lambda _: removal(True))
    monkeypatch.setattr(maintenance, "retain", lambda _: removal(False))
    monkeypatch.setattr(maintenance, "explained", lambda *_: [Going(run, "all rows", "old")])
    done = call("retain", *words, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == [
        {
            "run_id": "r1",
            "preset": "smoke",
            "created_at": "2026-01-02T03:04:00+00:00",
            "deleted": "all rows",
            "reason": "old",
        }
    ]
    assert asked == [does_list]


def test_what_a_policy_of_brokers_reaches(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    line = policy_evaluation.Line("optimum", -3.25, 1.0, 4.5, 0.25, 12.0)
    monkeypatch.setattr(policy_content, "read", lambda _: {"environment": "brokers"})
    monkeypatch.setattr(policy_files, "read", lambda _: None)
    monkeypatch.setattr(policy_evaluation, "evaluate", lambda *_: [line])
    _evaluated(home, line._asdict())


def test_what_a_policy_of_a_group_reaches(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    line = group_evaluation.Line("clairvoyant", 0.0, 2.125, 0.5, 7)
    monkeypatch.setattr(policy_content, "read", lambda _: {"environment": "group"})
    monkeypatch.setattr(group_evaluation, "evaluate", lambda *_: [line])
    _evaluated(home, line._asdict())


def _evaluated(home: Home, row: dict[str, object]) -> None:
    done = call("learn", "evaluate", Path("p.json"), "--trace", Path("t.csv"), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == [row]
    assert home.tree() == []
