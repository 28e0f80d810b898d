"""Sizes that no machine can hold are refused with the number, the limit and a remedy."""

from __future__ import annotations

import pytest

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.base.process import machine
from pipeline.engine import memory
from pipeline.settings.load import resolve
from pipeline.settings.presets import PAPERS as RECORDED
from pipeline.settings.presets import PRESETS

pytestmark = pytest.mark.unit


def test_a_hundred_thousand_replicates_of_a_night_have_scores_that_the_driver_holds() -> None:
    assert resolve("nightly", None, ["replicates=100000"], []).n_scores == 7_200_000


def test_more_scores_than_the_driver_holds_are_refused() -> None:
    size = limits.Size(partitions=8, iterations=1, algorithms=100, streams=100_000)
    limits.check_run([size])
    with pytest.raises(InputError, match=r"at most 10,000,000 .*10,000,100"):
        limits.check_run([size, limits.Size(8, 1, 100, 1)])


def test_traces_that_the_driver_cannot_hold_together_are_refused() -> None:
    largest = limits.Size(10_000, 2_500, 12, 1)
    limits.check_traces([largest] * 4)
    with pytest.raises(InputError, match="125,000,000"):
        limits.check_traces([largest] * 5)


LARGE = ["partitions=50000", "iterations=500", "replicates=4", "deltas=5"]


def test_streams_that_a_machine_cannot_hold_at_a_time_are_refused() -> None:
    """Two of them, of 9.1 GiB each, in addition to Spark."""
    (size,) = resolve("nightly", None, LARGE, []).sizes
    limits.check_memory([size], 2, 21.0)
    limits.check_memory([size], 1, 12.0)
    limits.check_memory([size._replace(streams=1)], 2, 12.0)
    with pytest.raises(InputError) as refused:
        limits.check_memory([size], 2, 16.0)
    for said in (
        "9.1 GiB per stream",
        "20.7 GiB",
        "this machine has 16.0 GiB",
        "fewer partitions, iterations",
        "local[1]",
        "a cluster",
    ):
        assert said in str(refused.value)


def test_one_stream_at_a_time_is_no_advice_where_one_does_not_fit() -> None:
    with pytest.raises(InputError) as refused:
        limits.check_memory([limits.Size(50_000, 500, 12, 4)], 2, 8.0)
    assert "local[1]" not in str(refused.value)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != RECORDED])
def test_presets_run_on_any_machine(name: str) -> None:
    limits.check_memory(resolve(name, None, [], []).sizes, 256, 1.0)


def test_a_recorded_trace_of_ten_thousand_partitions_runs_on_a_small_machine() -> None:
    trace, small = limits.Size(10_000, 500, 12, 1), limits.Size(100, 500, 12, 1)
    for sizes in ([trace], [trace] * 3, [small, trace, small]):
        limits.check_memory(sizes, 2, 7.6)


def test_a_large_trace_among_small_ones_counts_once() -> None:
    large, small = limits.Size(50_000, 500, 12, 1), limits.Size(100, 500, 12, 1)
    limits.check_memory([small, large, small], 2, 12.0)


@pytest.mark.parametrize(
    ("master", "cores"),
    [
        ("local", 1),
        ("local[3]", 3),
        ("local[4,2]", 4),
        ("yarn", None),
        ("spark://head:7077", None),
        ("local-cluster[2,1,1024]", None),
    ],
)
def test_cores_are_those_of_a_local_master(master: str, cores: int | None) -> None:
    assert memory.cores_of(master) == cores


def test_a_machine_is_asked_for_its_memory_only_where_spark_runs_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = resolve("nightly", None, LARGE, [])
    monkeypatch.setattr(machine, "memory_gib", lambda: 8.0)
    for name in ("GROUPSCALE_SPARK_CONF", "GROUPSCALE_SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GROUPSCALE_SPARK_MASTER", "local[2]")
    with pytest.raises(InputError, match=r"8\.0 GiB"):
        memory.check(config)
    monkeypatch.setenv("GROUPSCALE_SPARK_REMOTE", "sc://127.0.0.1:15002")
    with pytest.raises(InputError, match=r"8\.0 GiB"):
        memory.check(config)
    monkeypatch.setenv("GROUPSCALE_SPARK_REMOTE", "sc://spark-connect:15002")
    memory.check(config)
    monkeypatch.delenv("GROUPSCALE_SPARK_REMOTE")
    monkeypatch.setenv("GROUPSCALE_SPARK_CONF", '{"spark.master": "yarn"}')
    memory.check(config)


def test_this_machine_has_cores_and_memory() -> None:
    assert (memory.cores_of("local[*]") or 0) >= 1
    assert machine.memory_gib() > 0.5
