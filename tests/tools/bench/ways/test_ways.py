"""What ways of deploying keep of a saving: arithmetic, a small workload, the page."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.autoscaling import strategies
from tools.bench.ways import kept_savings, ways_table
from tools.bench.ways.kept_savings import IDEAL, MU, PARTITIONS, WAYS, Costs, Workload

pytestmark = pytest.mark.unit


def costs(constant: float, ideal: float, way: float) -> Costs:
    return Costs("drawn 1", 30.0, constant, ideal, dict.fromkeys(WAYS, way))


def test_a_share_of_the_saving_is_kept() -> None:
    assert set(costs(10.0, 6.0, 7.0).kept.values()) == {0.75}


def test_a_way_that_does_not_keep_the_objective_keeps_nothing() -> None:
    assert set(costs(10.0, 6.0, math.inf).kept.values()) == {0.0}


@pytest.mark.parametrize(("constant", "ideal"), [(4.0, 4.0), (math.inf, 3.0), (5.0, math.inf)])
def test_without_a_saving_there_is_no_share(constant: float, ideal: float) -> None:
    assert costs(constant, ideal, 4.0).kept == {}


def test_workloads_are_the_same_each_time_and_differ() -> None:
    first, again = (list(kept_savings.workloads(4)) for _ in range(2))
    assert [each.name for each in first] == [each.name for each in again]
    assert all(np.array_equal(a.rates, b.rates) for a, b in zip(first, again, strict=True))
    assert len({each.name for each in first}) == 4
    assert not np.array_equal(first[0].rates, first[3].rates)


@pytest.mark.slow
def test_a_load_that_halves_is_cheaper_to_follow() -> None:
    """Ten replicas' worth for a quarter of an hour, then a fifth of it."""
    total = np.repeat([9.0 * MU, 1.8 * MU], 900)
    rates = np.outer(total, np.full(PARTITIONS, 1.0 / PARTITIONS))
    row = kept_savings.costs(Workload("step", rates), 30.0)
    assert row.ideal < row.constant
    assert all(row.ideal <= cost < row.constant for cost in row.ways.values())
    http, external = (row.ways[f"{form}:{IDEAL}"] for form in strategies.FORMS)
    assert http == external


def test_the_page_has_means_and_each_workload() -> None:
    rows = [costs(10.0, 6.0, 7.0), costs(8.0, 6.0, math.inf)._replace(workload="drawn 2")]
    text = ways_table.page(rows)
    assert text.startswith("# What each way of deploying keeps\n")
    assert f"| `{WAYS[0]}` | 38 % (0 to 75) | 2 |" in text
    assert "| drawn 2 | 8.00 | 6.00 | none keeps it |" in text
    assert f"`{IDEAL}`" in text
