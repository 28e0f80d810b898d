"""Steps between decisions: what is measured and what is simulated in each."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from algorithms.simulation import simulate_application
from algorithms.simulation.application_graph import check_application
from pipeline.experiments.pulsar.evidence import step_evidence
from pipeline.experiments.pulsar.evidence.application_evidence import PASSED, SENT, Evidence
from pipeline.experiments.pulsar.evidence.change_rows import Change

pytestmark = pytest.mark.unit

CALL = ({"a": {"mu": 2.0, "cs": 0.0}}, [], {"a": [(5.0, 1.0)]})


def evidence() -> Evidence:
    """Events due at 0.5, 1.5, … s; two come out in the first 2 s, none in the next, three later."""
    due = [0.5 + number for number in range(5)]
    done = [1.0, 2.0, 4.5, 4.75, 5.0]
    sent = pd.DataFrame([(n, at, at, at) for n, at in enumerate(due)], columns=SENT)
    passed = pd.DataFrame(
        [(n, "a", "a", 0, 1.0, at - 0.5, at, True) for n, at in enumerate(done)], columns=PASSED
    )
    return Evidence(sent, passed, [], True)


def test_steps_have_both_sides() -> None:
    settings = {"decision_s": 2.0, "spacing": "constant", "receiver_queue": 1}
    simulated = simulate_application(*CALL, "constant", None, settings)
    changes = [Change("a", 3.0, 1, 3, 0.1)]
    rows = list(step_evidence.rows(evidence(), check_application(*CALL), changes, simulated))
    assert [(row["step"], row["begins_s"], row["seconds"]) for row in rows] == [
        (1, 0.0, 2.0),
        (2, 2.0, 2.0),
        (3, 4.0, 1.0),
    ]
    assert [row["events"] for row in rows] == [2, 0, 3]
    assert [row["rate"] for row in rows] == [1.0, 1.0, 1.0]
    # One more half of the second step with three instances.
    assert [row["instances"] for row in rows] == [1.0, 2.0, 3.0]
    assert rows[0]["mean_s"] == pytest.approx(0.5)
    assert rows[1]["mean_s"] is None
    assert rows[2]["mean_s"] == pytest.approx(math.fsum([2.0, 1.25, 0.5]) / 3)
    assert [row["simulated_instances"] for row in rows] == [1, 1, 1]
    assert [row["simulated_mean_s"] for row in rows] == pytest.approx([0.5] * 3)
    assert [row["simulated_rate"] for row in rows] == [1.0] * 3


def window(until_s: float, backlog: list[int], **more: object) -> dict[str, object]:
    return {"kind": "window", "until_s": until_s, "window": {"backlog": backlog}, **more}


def test_what_waits_is_measured_at_the_decision_that_ends_a_step() -> None:
    """Of two functions; one decision is late by more than a step, and its step has none."""
    call = (
        {"a": {"mu": 2.0, "cs": 0.0}, "b": {"mu": 2.0, "cs": 0.0}},
        [("a", "b")],
        {"a": [(10.0, 4.0)]},
    )
    settings = {"decision_s": 2.0, "spacing": "constant", "receiver_queue": 1}
    simulated = simulate_application(*call, "constant", None, settings)
    journal = [
        window(1.9999999, [3, 4], entries=[2, 1]),
        {"kind": "resized", "at_s": 2.5},
        # That of 4 s: the loop was busy until after 6 s.
        window(6.5, [5, 6], entries=[None, 3]),
        # Of a loop that did not note entries yet.
        window(8.001, [0, -1]),
        window(10.002, [9, 9], entries=[0, 0]),
    ]
    application = check_application(*call)
    found = evidence()._replace(journal=journal)
    rows = list(step_evidence.rows(found, application, [], simulated))
    assert [row["backlog"] for row in rows] == [7, None, 11, -1, 18]
    assert [row["msg_backlog"] for row in rows] == [3, None, None, None, 0]
    # Of 4 events/s, a passes 2/s on, and b all of them.
    left = [row["simulated_backlog"] for row in rows]
    assert left == simulated.backlogs[1:].sum(axis=1).tolist()
    assert np.diff(left).tolist() == pytest.approx([4.0] * 4, abs=1)
