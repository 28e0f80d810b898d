"""Predictions, verdicts and the page."""

from __future__ import annotations

from typing import Any

import pytest

from tools.bench.rebalances import first_values, rebalance_table
from tools.bench.rebalances.cells import CRASH, JOIN, LEAVE, centres, design
from tools.bench.rebalances.first_values import (
    AGREES,
    DIFFERS,
    KEPT,
    MOVED,
    OPEN,
    SETTLED,
    Prediction,
)

pytestmark = pytest.mark.unit

EAGER, COOPERATIVE, KIP_848 = centres()


def row(event: str, settled_s: float, load: float = 1.0) -> dict[str, Any]:
    return {
        "event": event,
        "load": load,
        "settled_s": settled_s,
        "first_s": settled_s - 0.5,
        "moved": {"0": 0.1, "1": 0.2},
        "kept": {"2": 0.1},
        "control_s": 0.02,
        "receivers": 1,
        "rounds": 1,
        "detected_s": 5.0 if event == CRASH else None,
    }


def test_predictions_are_those_of_the_model() -> None:
    eager = first_values.predictions(EAGER, JOIN, 1)
    assert {name: p.quantile(0.5) for name, p in eager.items()} == {
        SETTLED: pytest.approx(3.1),
        MOVED: 0.1,
        KEPT: 0.1,
    }
    cooperative = first_values.predictions(COOPERATIVE, JOIN, 1)
    assert cooperative[MOVED].quantile(0.5) == pytest.approx(3.2)
    assert first_values.predictions(COOPERATIVE, LEAVE, 1)[MOVED].quantile(0.5) == pytest.approx(
        3.1
    )
    incremental = first_values.predictions(KIP_848, JOIN, 1)
    assert incremental[MOVED].quantile(0.5) == pytest.approx(2.6)
    assert incremental[SETTLED].quantile(0.5) == pytest.approx(8.6)


def test_the_greatest_of_some_draws_has_its_quantiles() -> None:
    assert Prediction(1.0, 4.0, 2).quantile(0.25) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("low", "middle", "high", "verdict"),
    [(0.9, 1.09, 1.2, AGREES), (1.05, 1.2, 1.3, OPEN), (1.2, 1.3, 1.4, DIFFERS)],
)
def test_verdicts(low: float, middle: float, high: float, verdict: str) -> None:
    assert first_values.verdict(Prediction(1.0), middle, low, high) == verdict


def test_few_events_are_not_judged() -> None:
    assert first_values.judged(EAGER, [row(JOIN, 3.1)] * 5) == []
    judged = first_values.judged(EAGER, [row(JOIN, 3.1)] * 6)
    assert [each.quantity for each in judged] == [SETTLED, MOVED, KEPT]
    assert [each.verdict for each in judged] == [AGREES, DIFFERS, AGREES]


def test_the_page_names_client_load_and_what_is_missing() -> None:
    rows = [row(JOIN, 1.0 + number / 10, load=4.0) for number in range(20)]
    rows += [row(CRASH, 7.0), {"event": CRASH, "why": "not settled"}]
    text = rebalance_table.page({cell: rows if cell == EAGER else [] for cell in design()})
    assert text.startswith("# Rebalance times\n")
    label = "heartbeat 3 s, 5 members, 16 partitions"
    noticed, settled = "1.40 [1.00, 1.90] (0.69–2.21)", "1.90 [1.50, 2.40] (1.19–2.71)"
    assert f"| {label} | join | 20 | – | {noticed} | {settled} | 0.20" in text
    assert "| 4.0* |" in text
    assert f"| {label} | crash | 1 (1 without times) | 5.00 | 1.50 | 2.00 |" in text
    assert "confluent-kafka 2." in text
    assert "## kip848 (`uniform`, librdkafka)\n\nNot measured yet." in text
    assert "Not measured yet: heartbeat 0.5 s" in text
    assert f"| eager, {label} | join | settled | 3.10 |" in text
