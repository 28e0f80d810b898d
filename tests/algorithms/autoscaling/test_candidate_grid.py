"""Candidates among which one is recommended."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling import candidate_grid, registry
from algorithms.autoscaling.candidate_grid import compared
from algorithms.autoscaling.candidates import Candidate, sweep
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.simulation.group_settings import check_settings, group_of

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.mark.parametrize("mu", [0.5, 200.0, 1e7])
def test_every_candidate_starts(mu: float) -> None:
    """KEDA's whole sweep is in, some of those that are not slow; `constant` is all its numbers."""
    every = compared(6, mu, 0.5)
    assert len(set(every)) == len(every)
    assert every[0] == Candidate("constant")
    for name in COMPARED:
        swept = set(sweep(name, 6, mu, 0.5))
        if name == "keda_hpa":
            assert swept <= set(every)
        elif name == "shadow_hedge":
            assert not swept & set(every)
        elif name != "constant":
            assert 2 <= len(swept & set(every)) <= 5
    for each in every:
        strategy = registry.get(each.strategy)
        settings = check_settings(
            {"mu": mu, **each.settings}, 6, strategy.decision_s, strategy.observe
        )
        rates = np.full(6, 0.2 * mu)
        group = group_of(settings, rates, means=rates)
        assert strategy.start(group, **each.arguments).partitions == 6


def test_thresholds_of_keda_follow_what_a_consumer_serves_in_time() -> None:
    """A replica at 10,000 events/s may have 5,000 events of lag, at 10 events/s 5."""
    for mu, least, most in ((10_000.0, 100, 25_000), (10.0, 1, 25)):
        extra = set(compared(2, mu, 0.5)) - set(sweep("keda_hpa", 2, mu, 0.5))
        thresholds = [
            dict(each.parameters)["threshold"] for each in extra if each.strategy == "keda_hpa"
        ]
        assert (min(thresholds), max(thresholds)) == (least, most)
    windows = {
        dict(each.parameters)["scale_down"].window_s
        for each in compared(2, 10.0, 0.5)
        if "scale_down" in dict(each.parameters)
    }
    assert windows == {candidate_grid._SHORT_WINDOW_S}
