"""The reference application: its graph, its rates, and what its parameters change."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate_application
from algorithms.workloads.image_application import LOADS, image_application

pytestmark = pytest.mark.unit


def test_paths_and_rates() -> None:
    workload = image_application()
    result = simulate_application(*workload, "constant")
    assert [responses.path for responses in result.paths] == [("store",), ("shrink", "recognise")]
    assert result.times[-1] == 3600.0
    assert [rate for _, rate in workload.sources["images"]] == [1.0, 3.0, 6.0, 9.0, 5.0, 2.0]
    # Every image goes to all three functions.
    assert len(set(result.events.tolist())) == 1


def test_only_recognition_needs_more_than_one_instance() -> None:
    functions, _, sources = image_application()
    most = max(rate for _, rate in sources["images"])
    assert most < functions["store"]["mu"] < 25.0 * most
    assert most < functions["shrink"]["mu"]
    assert most > functions["recognise"]["mu"]


def test_the_time_of_recognition_scales_everything() -> None:
    """Five times faster at the same loads: the rates of the group's workload."""
    workload = image_application(recognise_s=0.1, interval_s=60.0)
    assert workload.functions["recognise"]["mu"] == 10.0
    assert [rate for _, rate in workload.sources["images"]] == [load * 10.0 for load in LOADS]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"recognise_s": 0.0}, r"recognise_s must be finite and above 0 s \(got 0.0\)"),
        ({"interval_s": float("nan")}, "interval_s must be finite and above 0 s"),
        ({"loads": []}, r"loads must be one or more .*\(got \[\]\)"),
        ({"loads": [1.0, -1.0]}, r"loads must be one or more finite numbers of at least 0"),
    ],
)
def test_wrong_parameters(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        image_application(**arguments)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_the_published_policies(seed: int) -> None:
    """More instances, shorter responses: threshold, DS2, queueing, the last near its bound of 1 s.

    Published from a cluster: 3.5, 4.5 and 5 instances with means of 23, 2.7 and 1.03 s. Only the
    order is compared, as the rates there are unknown.
    """
    results = [
        simulate_application(
            *image_application(), policy, settings={"seed": seed, "receiver_queue": 0}
        )
        for policy in ("threshold", "ds2", "queueing")
    ]
    instances = [result.mean_instances for result in results]
    means = [result.paths[1].mean or 0.0 for result in results]
    assert instances == sorted(instances)
    assert means == sorted(means, reverse=True)
    assert means[2] == pytest.approx(1.0, abs=0.2)
