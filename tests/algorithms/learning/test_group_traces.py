"""Traces of agents on groups: no part overlaps another, and each follows from its seed."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import group_traces
from algorithms.learning.group_traces import TEST, VALIDATION

pytestmark = pytest.mark.unit

TRACES = group_traces.generated(400, 200.0, 7)


def test_ten_traces_at_least_are_judged_on() -> None:
    assert len({trace.name for trace in TRACES}) == len(TRACES) >= 10
    assert all(len(trace.part(TEST)) for trace in TRACES)


def test_parts_split_a_trace_by_time() -> None:
    for trace in TRACES:
        parts = [trace.part(name) for name in ("training", VALIDATION, TEST)]
        np.testing.assert_array_equal(np.concatenate(parts), trace.rates)
        lengths = [240, 80, 80] if trace.by_time else [0, 0, 400]
        assert [len(part) for part in parts] == lengths


def test_agents_never_get_what_they_are_judged_on() -> None:
    """Another test part of a trace, or other traces, change nothing that agents get."""
    changed = tuple(
        trace._replace(rates=np.concatenate([trace.rates[:320], np.full(80, 999.0)]))
        if trace.by_time
        else trace._replace(rates=trace.rates + 1.0)
        for trace in TRACES
    )
    ours, theirs = group_traces.parts_of(TRACES), group_traces.parts_of(changed)
    assert len(ours.training) == len(ours.validation) == 3
    for before, after in zip((*ours[0], *ours[1]), (*theirs[0], *theirs[1]), strict=True):
        np.testing.assert_array_equal(before, after)


def test_rates_are_counts_that_follow_from_the_root_seed() -> None:
    again, other = (group_traces.generated(400, 200.0, root) for root in (7, 8))
    for trace, same, different in zip(TRACES, again, other, strict=True):
        np.testing.assert_array_equal(trace.rates, same.rates)
        assert (trace.rates != different.rates).any()
        assert (trace.rates % 1.0 == 0.0).all()


def test_the_families_differ_with_the_same_profile() -> None:
    by_name = {trace.name: trace.rates for trace in TRACES}
    assert (by_name["bursts-1"] > 150).tolist() != (by_name["bursts-2"] > 150).tolist()


@pytest.mark.parametrize(
    "arguments", [(99, 200.0, 1), (100, 0.0, 1), (100, np.inf, 1), (100, 1.0, -1)]
)
def test_wrong_arguments_are_refused(arguments: tuple[int, float, int]) -> None:
    with pytest.raises(InvalidParameterError):
        group_traces.generated(*arguments)
