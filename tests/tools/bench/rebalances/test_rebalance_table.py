"""Predictions, verdicts and the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from algorithms.inference.intervals import Interval
from tools.bench.rebalances import event_rows, first_values, rebalance_table
from tools.bench.rebalances.cells import CRASH, JOIN, LEAVE, Cell, centres, design
from tools.bench.rebalances.first_values import (
    AGREES,
    DIFFERS,
    KEPT,
    MOVED,
    OPEN,
    ROUND,
    SETTLED,
    Prediction,
)

pytestmark = pytest.mark.unit

EAGER, COOPERATIVE, KIP_848 = centres()


def row(event: str, settled_s: float, load: float = 1.0) -> dict[str, Any]:
    return {
        "event": event,
        "client": "2.0.1",
        "load": load,
        "settled_s": settled_s,
        "first_s": settled_s - 0.5,
        "last_s": settled_s - 0.3,
        "moved": 2,
        "moved_s": 0.2,
        "kept_s": 0.1,
        "control_s": 0.02,
        "receivers": 1,
        "rounds": 1,
        "detected_s": 5.0 if event == CRASH else None,
    }


def middles(predictions: Mapping[str, Prediction]) -> dict[str, float]:
    return {name: round(each.quantile(0.5), 3) for name, each in predictions.items()}


def test_the_models_predictions() -> None:
    assert middles(first_values.model(EAGER, JOIN, 1)) == {
        SETTLED: 3.1,
        MOVED: 0.1,
        KEPT: 0.1,
        ROUND: 0.1,
    }
    assert middles(first_values.model(COOPERATIVE, JOIN, 1)) == {SETTLED: 6.2, MOVED: 3.2}
    assert middles(first_values.model(COOPERATIVE, LEAVE, 3)) == {SETTLED: 3.1, MOVED: 3.1}
    assert middles(first_values.model(KIP_848, JOIN, 1)) == {SETTLED: 8.6, MOVED: 2.6}


@pytest.mark.parametrize(
    ("cell", "event", "quantity", "expected"),
    [
        (EAGER, JOIN, SETTLED, lambda x: 0.1 + 3.0 * x[:, 0]),
        (EAGER, JOIN, KEPT, lambda x: 0.1 + 0.0 * x[:, 0]),
        (EAGER, LEAVE, MOVED, lambda x: 0.1 + 3.0 * x[:, 0]),
        (COOPERATIVE, JOIN, SETTLED, lambda x: 3.2 + 3.0 * x[:, 0]),
        (COOPERATIVE, JOIN, MOVED, lambda x: 3.2 + 0.0 * x[:, 0]),
        (COOPERATIVE, LEAVE, SETTLED, lambda x: 0.1 + 3.0 * x[:, 0]),
        (KIP_848, LEAVE, SETTLED, lambda x: 0.1 + 5.0 * x[:, :3].max(axis=1)),
        (KIP_848, JOIN, MOVED, lambda x: 5.1 - 5.0 * x[:, :3].min(axis=1)),
        (KIP_848, JOIN, SETTLED, lambda x: 5.1 + 0.0 * x[:, 0]),
    ],
)
def test_heartbeats_are_drawn(
    cell: Cell, event: str, quantity: str, expected: Callable[[Floats], Floats]
) -> None:
    """Classic members share a phase; of a KIP-848 group, three give up or receive a partition."""
    draws = np.random.default_rng(1).random((100_000, 4))
    prediction = first_values.drawn(cell, event, 3, 3)[quantity]
    for share in (0.1, 0.5, 0.9):
        value = float(np.quantile(expected(draws), share))
        assert prediction.quantile(share) == pytest.approx(value, abs=0.02)


def test_a_second_round_comes_a_second_later_at_least() -> None:
    short = COOPERATIVE._replace(heartbeat_s=0.5)
    assert middles(first_values.drawn(short, JOIN, 1, 3)) == {SETTLED: 1.45, MOVED: 1.2}
    assert middles(first_values.model(short, JOIN, 1)) == {SETTLED: 1.2, MOVED: 0.7}


@pytest.mark.parametrize(
    ("low", "middle", "high", "verdict"),
    [(0.9, 1.09, 1.2, AGREES), (1.05, 1.2, 1.3, OPEN), (1.2, 1.3, 1.4, DIFFERS)],
)
def test_verdicts(low: float, middle: float, high: float, verdict: str) -> None:
    assert first_values.verdict(Prediction(1.0), Interval(middle, low, high)) == verdict


def test_few_events_are_not_judged() -> None:
    assert first_values.judged(EAGER, [row(JOIN, 3.1)] * 5) == []
    judged = first_values.judged(EAGER, [row(JOIN, 3.1)] * 6)
    assert [each.quantity for each in judged] == [SETTLED, MOVED, KEPT, ROUND]
    assert [each.measured.mean for each in judged] == pytest.approx([3.1, 0.2, 0.1, 0.3])


def test_the_page_names_client_load_and_what_is_missing() -> None:
    rows = [row(JOIN, 1.0 + number / 10, load=4.0) for number in range(20)]
    rows += [
        row(JOIN, 9.0) | {"control_s": 0.3},
        row(CRASH, 7.0),
        event_rows.event_row(CRASH, "2.0.2", 9.0),
    ]
    text = rebalance_table.page({cell: rows if cell == EAGER else [] for cell in design()})
    assert text.startswith("# Rebalance times\n")
    label = "heartbeat 3 s, 5 members, 16 partitions"
    noticed, settled = "1.40 [1.00, 1.90] (0.69–2.21)", "1.90 [1.50, 2.40] (1.19–2.71)"
    begin = f"| {label} | confluent-kafka 2.0.1"
    assert f"{begin} | join | 20 of 21 | – | {noticed} | {settled} | 0.20" in text
    assert "| 4.0* |" in text
    assert f"{begin} | crash | 1 of 2 | 5.00 | 1.50 | 2.00 |" in text
    assert "confluent-kafka 2.0.1 and 2.0.2 (" in text
    assert "## kip848 (`uniform`, librdkafka)\n\nNot measured yet." in text
    assert "Not measured yet: heartbeat 0.5 s" in text
    judged = "1.90 [1.50, 2.40] | 3.10 | differs | 1.60 (0.40–2.80) | open |"
    assert f"| eager, {label} | join | settled | {judged}" in text
    assert f"| eager, {label} | join | round | 0.30 [0.30, 0.30] | 0.10 | differs |" in text
