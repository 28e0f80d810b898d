"""What is refused before a live run begins, and what a run is said to need."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from live.kafka import broker_jars, reserved_ports
from live.user_cluster import cluster_access
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.live.running import admission, live_streams
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import live_needs, one_live_run_lock

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def machine_at_rest(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java is there, and no other live run."""
    monkeypatch.setattr(broker_jars, "java_program", lambda server: Path("java"))
    monkeypatch.setattr(broker_jars, "ensure_ahead", lambda java: None)
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path_factory.mktemp("state")))


def smoke(*settings: str) -> RunConfig:
    return resolve("live-smoke", None, ["strategies=MWF,kd_2", *settings], [])


def test_a_run_is_refused_while_another_one_measures(tmp_path: Path) -> None:
    with one_live_run_lock.alone(), pytest.raises(InputError, match="another live run is running"):
        admission.check(smoke(), Paths(tmp_path / "warehouse"), "r")


def refusal(tmp_path: Path, *settings: str) -> str:
    with pytest.raises(InputError) as caught:
        admission.check(smoke(*settings), Paths(tmp_path / "warehouse"), "r")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_small_run_is_admitted_and_nothing_is_written(tmp_path: Path) -> None:
    admission.check(smoke(), Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []


def test_partitions_together_may_not_be_too_fast(tmp_path: Path) -> None:
    said = refusal(tmp_path, "partitions=8", "capacity=20000000", "consumer_rate=20000000")
    assert "at most 40,000,000 bytes/s (got " in said
    assert "smoke-d25-uniform-r0001" in said


def test_a_partition_may_not_be_faster_than_a_consumer(tmp_path: Path) -> None:
    settings = ("clip=false", "delta=100", "consumer_rate=200000", "iterations=40")
    said = refusal(tmp_path, *settings)
    assert said.startswith("`consumer_rate` must be at least the rate of every partition")
    assert "add clip=true" in said
    admission.check(smoke("delta=100", "consumer_rate=200000"), Paths(tmp_path), "r")


def test_a_group_may_not_be_too_large(tmp_path: Path) -> None:
    said = refusal(tmp_path, "partitions=100", "strategies=MWF")
    assert said.startswith("`strategies`: MWF needs ")
    assert "more than the 40" in said
    said = refusal(tmp_path, "partitions=60", "strategies=kd_41")
    assert "kd_41 needs 41 consumers" in said
    said = refusal(tmp_path, "partitions=60", "strategies=kd_38", "spare=3")
    assert "kd_38 needs 41 consumers" in said


def test_disk_and_memory_must_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_needs.shutil, "disk_usage", lambda place: SimpleNamespace(free=2**29))
    assert "GiB of disk space in" in refusal(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(broker_jars, "java_program", lambda server: Path("java"))
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 2.0)
    assert "GiB of memory, but 2.0 GiB are available on this machine" in refusal(tmp_path)


def test_each_experiment_must_end_before_its_task_is_stopped() -> None:
    config = smoke("iterations=10", "iteration_seconds=6")  # two runs of 60 s, and their starts
    admission.check_time(config, 140.0)
    with pytest.raises(InputError, match=r"may take 2 min \(got 2 min in experiment 'smoke'\)"):
        admission.check_time(config, 139.0)


def test_without_java_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(server: str) -> Path:
        raise InputError("Java 17 or later is required")

    monkeypatch.setattr(broker_jars, "java_program", missing)
    assert "Java 17" in refusal(tmp_path)


def test_kafkas_own_groups_need_no_simulation(tmp_path: Path) -> None:
    admission.check(smoke("strategies=keda,kafka_848_4"), Paths(tmp_path), "r")


def test_needs_grow_with_the_run() -> None:
    small, longer = admission.needs(smoke()), admission.needs(smoke("iterations=60"))
    assert small.seconds == 2 * (6 * 4 + admission.START_SECONDS)
    assert longer.disk_gib > 5 * small.disk_gib > 0
    assert longer.memory_gib == small.memory_gib
    assert "about 1 min on the broker" in str(small)
    assert admission.needs(smoke("nodes=3")).memory_gib == small.memory_gib + 1.0


def test_streams_are_those_of_assignment() -> None:
    """The same seed and δ give the same rates, whatever the family."""
    from pipeline.experiments.assignment.stages.assignment_streams import walks

    config = smoke("replicates=2", "seed=7")
    (experiment,) = config.live
    settings = ["partitions=8", "iterations=6", "deltas=25", "replicates=2", "capacity=200000"]
    other = resolve("smoke", None, [*settings, "consumer_capacity=240000"], []).experiments[0]
    mine = list(live_streams.streams(config, {}))
    theirs = list(walks(other, 7))
    assert [stream.seed for stream in mine] == [stream.seed for stream in theirs]
    assert [stream.stream_id for stream in mine] == live_streams.names(experiment)
    assert [stream.stream_id.removeprefix("smoke") for stream in mine] == [
        stream.stream_id.removeprefix(other.name) for stream in theirs
    ]
    (_, rates), _ = live_streams.with_rates(experiment, config)
    assert rates.shape == (6, 8)
    assert 0 <= rates.min() <= rates.max() <= 200_000


def test_a_cluster_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_java(server: str) -> Path:
        raise InputError("no Java")

    # Brokers that run already need no Java here.
    monkeypatch.setattr(broker_jars, "java_program", no_java)
    monkeypatch.setattr(cluster_access, "REACH_SECONDS", 0.5)
    said = refusal(tmp_path, "bootstrap=127.0.0.1:1")
    assert said.startswith("no Kafka broker answers at 127.0.0.1:1 within ")
    said = refusal(tmp_path, "bootstrap=127.0.0.1:1", f"client_file={tmp_path}/none.properties")
    assert "none.properties" in said
    assert list(tmp_path.iterdir()) == []


def test_brokers_of_others_need_nothing_here() -> None:
    own, others = admission.needs(smoke()), admission.needs(smoke("bootstrap=b:1"))
    assert others.memory_gib == own.memory_gib - admission.NODE_GIB
    assert others.disk_gib < own.disk_gib / 5


def test_without_free_ports_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(reserved_ports, "_bound", none_left)
    assert refusal(tmp_path, "nodes=3").startswith("Kafka needs 6 free ports of 127.0.0.1")
    assert list(tmp_path.iterdir()) == []
