"""Events drawn ahead are those of the simulator, and trees alone have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate_application
from algorithms.simulation.application_draws import drawn_events
from algorithms.simulation.application_graph import check_application

pytestmark = pytest.mark.unit

PIECES = [(40.0, 2.0), (30.0, 0.5), (20.0, 4.0)]

TREE: dict[str, Any] = {
    "functions": {
        "store": {"mu": 20.0, "cs": 1.0, "initial": 15},
        "shrink": {"mu": 10.0, "cs": 0.0, "initial": 15},
        "recognise": {"mu": 5.0, "cs": 0.5, "initial": 15},
    },
    "edges": [("images", "store"), ("images", "shrink"), ("shrink", "recognise")],
    "sources": {"images": PIECES},
}


@pytest.mark.parametrize("spacing", ["exponential", "constant"])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_simulator_sees_the_same_events(spacing: str, seed: int) -> None:
    """With instances for all events at once, a response is the sum of an event's service times."""
    settings = {"spacing": spacing, "seed": seed, "decision_s": 10.0}
    result = simulate_application(**TREE, policy="constant", settings=settings)
    events = drawn_events(check_application(**TREE), spacing == "exponential", seed)
    assert result.events.tolist() == [events.times.size] * 3
    by_name = dict(zip(result.functions, events.services.T, strict=True))
    for path in result.paths:
        expected = sum(by_name[name] for name in path.path)
        assert path.mean == pytest.approx(np.mean(expected))
        assert path.max == pytest.approx(np.max(expected))


def test_events_are_due_within_their_intervals() -> None:
    events = drawn_events(check_application(**TREE), False, 0)
    counts = np.histogram(events.times, [0.0, 40.0, 70.0, 90.0])[0]
    assert counts.tolist() == [80, 15, 80]
    assert (np.diff(events.times) > 0.0).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"edges": [*TREE["edges"], ("store", "recognise")]}, "edges must lead from one source"),
        (
            {"functions": TREE["functions"] | {"shrink": {"mu": 1.0, "selectivity": 2.0}}},
            "selectivity must be 1",
        ),
    ],
)
def test_what_is_no_tree_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        drawn_events(check_application(**(TREE | changes)), True, 0)
