"""The order of an application's functions, against the rule written plainly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_graph import check_application

pytestmark = pytest.mark.unit

Edges = set[tuple[int, int]]
SIZE = 7
EDGES = st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=12)


def plainly(edges: Edges) -> list[int] | None:
    """Again and again the first function that no waiting one feeds; None in a cycle."""
    ordered: list[int] = []
    for _ in range(SIZE):
        waiting = [one for one in range(SIZE) if one not in ordered]
        ready = [one for one in waiting if not any((other, one) in edges for other in waiting)]
        if not ready:
            return None
        ordered.append(ready[0])
    return ordered


@given(EDGES)
def test_functions_are_ordered_as_the_rule_says(edges: Edges) -> None:
    functions = {f"f{n}": {"mu": 1.0} for n in range(SIZE)}
    pairs = [(f"f{start}", f"f{end}") for start, end in edges]
    expected = plainly(edges)
    if expected is None:
        with pytest.raises(InvalidParameterError, match="edges must not have a cycle"):
            check_application(functions, pairs, {"f0": [(1.0, 1.0)]})
    else:
        application = check_application(functions, pairs, {"f0": [(1.0, 1.0)]})
        assert list(application.functions) == [f"f{n}" for n in expected]


def test_a_long_chain_is_ordered_without_looking_at_all_pairs() -> None:
    """With each function's place looked for among all others, this takes longer than a test may."""
    many = 4_000
    functions = {f"f{n}": {"mu": 1.0} for n in range(many)}
    pairs = [(f"f{n + 1}", f"f{n}") for n in range(many - 1)]
    application = check_application(functions, pairs, {f"f{many - 1}": [(1.0, 1e-3)]})
    assert list(application.functions) == list(functions)[::-1]
    assert len(application.paths[0]) == many
