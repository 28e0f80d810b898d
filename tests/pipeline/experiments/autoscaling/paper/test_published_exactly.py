"""Figures that follow from the published workloads alone come out exactly."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from algorithms.core.arrays import Floats
from algorithms.simulation import Result, simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.workloads import partition_splits
from pipeline.base.errors import InputError
from pipeline.inputs import traces
from pipeline.inputs.traces.published_workloads import (
    W1,
    W2,
    PublishedWorkload,
    missing_text,
    recognised,
)

pytestmark = pytest.mark.unit

VARIABLE = "GROUPSCALE_PUBLISHED_WORKLOADS"
"""Environment variable that names the folder with the authors' files, under any names."""

FOLDER = os.environ.get(VARIABLE)

ZERO_DELAYS = {"rebalance_s": 0.0}


@cache
def totals(folder: Path) -> dict[PublishedWorkload, Floats]:
    """Total rates of the published workloads among the files of a folder."""
    by_workload = {}
    for file in sorted(folder.iterdir()):
        try:
            trace = traces.load(file)
        except InputError:
            continue
        workload = recognised(trace.digest)
        if workload is not None:
            by_workload[workload] = trace.rates[:, 0]
    return by_workload


def rates_of(workload: PublishedWorkload, total: Floats, as_read: bool) -> Floats:
    """Rates of five partitions as the authors' programs send them.

    The total of each second is rounded up to an integer, which the paper does not mention.
    as_read: Whether the last sample is the one that the authors' reader takes.
    """
    rates = total.copy()
    if as_read and workload.last_as_read is not None:
        rates[-1] = workload.last_as_read
    return partition_splits.split(rates, 5, "equal", rounding="ceil")


def simulated(
    workload: PublishedWorkload, strategy: str, settings: dict[str, Any], as_read: bool = False
) -> Result:
    if FOLDER is None:
        pytest.skip(f"{VARIABLE} names no folder. {missing_text()}.")
    total = totals(Path(FOLDER)).get(workload)
    assert total is not None, f"{VARIABLE} has no file of {workload.name} ({workload.title})"
    return simulate(
        rates_of(workload, total, as_read),
        strategy,
        settings=PAPER_GROUP | settings,
    )


@pytest.mark.parametrize(
    ("workload", "as_read", "minutes"),
    [(W1, False, "32.717"), (W2, False, "414.183"), (W2, True, "414.117")],
)
def test_optimal(workload: PublishedWorkload, as_read: bool, minutes: str) -> None:
    result = simulated(workload, "optimal", ZERO_DELAYS, as_read)
    assert f"{result.replica_minutes:.3f}" == minutes
    assert result.sla_percent == 100.0


def test_linear() -> None:
    result = simulated(W1, "linear", {"heartbeat_s": 3.0, "cooldown_s": 10.0})
    assert f"{result.replica_minutes:.3f}" == "25.517"
    assert (result.n_up, result.n_down, result.n_reassign) == (6, 6, 0)


def test_overprovision() -> None:
    result = simulated(W1, "overprovision", {"initial_replicas": 5})
    assert result.replica_minutes == pytest.approx(50.0, abs=1e-9)
    assert set(result.replicas.tolist()) == {5}
