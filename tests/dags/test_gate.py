"""The last task: a DAG run fails where a value has moved from the baseline."""

import re
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.airflow


@pytest.fixture
def compared(monkeypatch, runner):
    """Function that sets what the gate finds."""
    from pipeline.reporting.regression import outcome

    outcomes = {}
    monkeypatch.setattr(outcome, "recorded", lambda source, run_id: outcomes[run_id])
    return lambda **message: outcomes.update(r1=outcome.Outcome("r1", **message))


MOVED = {
    "experiment": "tradeoff",
    "delta": 5.0,
    "algorithm": "MWF",
    "metric": "cbs",
    "value": 0.12,
    "baseline_value": 0.11,
    "low": None,
    "high": None,
    "expected": "equal",
    "verdict": "moved",
}


def test_the_gate_fails_the_dag_run_with_names_and_both_values(context, outcome, compared):
    from airflow.sdk.exceptions import AirflowFailException

    from pipeline.orchestration import dag_run, tasks

    context["ti"].xcoms["run_id"] = "r1"
    # As `conclude` left it: the run stays published.
    dag_run.leave_outcome(dag_run.PUBLISHED, "r1")
    compared(baseline_run_id="r0", rows=[MOVED])
    words = "tradeoff δ=5 MWF cbs: 0.12, baseline 0.11 (must be equal)"
    with pytest.raises(AirflowFailException, match=re.escape(words)):
        tasks.gate()
    assert outcome() == {"status": 0, "message": "r1"}
    assert words in context["ti"].xcoms["cause"]
    assert words in context["terminal"].getvalue()
    assert "Run r1 is published, but 1 value has moved" in context["terminal"].getvalue()


def test_the_gate_opens_for_a_run_that_was_promoted_since(context, compared):
    from pipeline.orchestration import tasks

    context["ti"].xcoms["run_id"] = "r1"
    compared(baseline_run_id="r0", rows=[MOVED], promotion=SimpleNamespace())
    tasks.gate()


def test_the_gate_says_that_a_family_is_not_compared(context, compared, monkeypatch):
    from pipeline.engine import steps
    from pipeline.orchestration import tasks

    context["ti"].xcoms["run_id"] = "r1"
    compared(baseline_run_id=None)
    attach = steps.attach

    def live(*arguments):
        ctx = attach(*arguments)
        ctx.config.by_family = {"live": ("tradeoff",)}
        return ctx

    monkeypatch.setattr(steps, "attach", live)
    tasks.gate()
    assert "Runs of the family live are not compared." in context["terminal"].getvalue()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"baseline_run_id": None}, "has no baseline "),
        (
            {"baseline_run_id": "r0", "rows": [MOVED | {"verdict": "same"}]},
            "compared with r0: 1 same",
        ),
    ],
)
def test_the_gate_opens_where_nothing_has_moved(context, compared, message, said):
    from pipeline.orchestration import tasks

    context["ti"].xcoms["run_id"] = "r1"
    compared(**message)
    tasks.gate()
    assert said in context["terminal"].getvalue()
