"""KEDA's own code asks a Prometheus that tests play, and evaluates formulas on its answer."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.live.scaler.keda.asking_keda import PROMETHEUS, Keda, Read, Trigger, Unusable
from tests.live.scaler.keda.test_limits_of_keda import serving

pytestmark = [pytest.mark.keda, pytest.mark.slow]

MOST_THRESHOLDS = 1500
STRICT = {"ignoreNullValues": "false"}


def vector(*values: str) -> str:
    """An answer with as many series."""
    result = [{"metric": {}, "value": [0, value]} for value in values]
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}})


def opened(keda: Keda, url: str, formula: str = "", **more: str) -> Trigger:
    metadata = {"serverAddress": url, "query": "sum(rate(x[2m]))", "threshold": "1", **more}
    return keda.open(PROMETHEUS, metadata, formula=formula)


def read(keda: Keda, body: str, **more: str) -> Read:
    with serving(lambda: body) as url:
        return opened(keda, url, **more).read()


def test_a_value_and_a_threshold_in_thousandths(keda: Keda) -> None:
    with serving(lambda: vector("1000")) as url:
        trigger = opened(keda, url, threshold="86.9565")
        assert trigger.read().value == 1000
        ((name, kind, target),) = trigger.specs().metrics
    assert (name, kind) == ("s0-prometheus", "AverageValue")
    # Rounded: of a large metric, this may be a replica less.
    assert target == pytest.approx(86.957, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((), "prometheus metrics 'prometheus' target may be lost, the result is empty"),
        (("NaN",), "prometheus query returns NaN"),
        (("+Inf",), "prometheus query returns +Inf"),
    ],
)
def test_no_value_is_0_unless_null_values_are_not_ignored(
    keda: Keda, values: tuple[str, ...], said: str
) -> None:
    assert read(keda, vector(*values)).value == 0
    assert read(keda, vector(*values), **STRICT).error == said


def test_two_series_are_an_error(keda: Keda) -> None:
    for more in ({}, STRICT):
        assert read(keda, vector("1", "2"), **more).error.endswith("returned multiple elements")


def table(count_of: Callable[[int], int], thresholds: int) -> str:
    """The count as a step function of m: another one above each of 100, 200, ..."""
    steps = reversed(range(1, thresholds + 1))
    return " : ".join([*(f"m > {100 * n} ? {count_of(n)}" for n in steps), f"{count_of(0)}"])


@pytest.mark.parametrize(("value", "count"), [("100", 1), ("100.001", 2), ("250", 3), ("351", 4)])
def test_a_table_of_thresholds(keda: Keda, value: str, count: int) -> None:
    with serving(lambda: vector(value)) as url:
        got = opened(keda, url, table(lambda n: n + 1, 3), **STRICT).read()
    assert got == Read([("composite-metric", count)], got.is_active, "")


def test_as_many_thresholds_as_we_write(keda: Keda) -> None:
    value = 0.0
    with serving(lambda: vector(f"{value}")) as url:
        trigger = opened(keda, url, table(lambda n: n + 1, MOST_THRESHOLDS), **STRICT)
        for count in (1, 2, 750, MOST_THRESHOLDS, MOST_THRESHOLDS + 1):
            value = 100.0 * count - 50
            assert trigger.read().value == count


def test_a_formula_with_another_name_is_refused(keda: Keda) -> None:
    with serving(lambda: vector("1")) as url, pytest.raises(Unusable, match="rate"):
        opened(keda, url, "rate > 1 ? 2 : 1")


def test_a_failed_query_leaves_the_formula_without_a_value(keda: Keda) -> None:
    with serving(lambda: vector()) as url:
        got = opened(keda, url, "m > 300 ? 5 : 2", **STRICT).read()
    assert (got.metrics, got.error != "") == ([], True)
