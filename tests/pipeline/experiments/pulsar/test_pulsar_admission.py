"""What is refused before a run on Pulsar begins."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from live.kafka import broker_jars, reserved_ports
from live.pulsar import pulsar_jars
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.pulsar.running import pulsar_admission
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import live_needs, one_live_run_lock

pytestmark = pytest.mark.unit

CONFIG = resolve("pulsar-smoke", None, [], [])


@pytest.fixture(autouse=True)
def ample(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Java, memory and disk space, and no other live run."""
    monkeypatch.setattr(broker_jars, "java_program", lambda server: Path("java"))
    monkeypatch.setattr(pulsar_jars, "check", lambda: None)
    monkeypatch.setattr(live_needs.shutil, "disk_usage", lambda place: SimpleNamespace(free=2**39))
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 64.0)
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path_factory.mktemp("state")))


def refusal(tmp_path: Path) -> str:
    with pytest.raises(InputError) as caught:
        pulsar_admission.check(CONFIG, Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []
    return str(caught.value)


def test_an_ample_machine_is_admitted(tmp_path: Path) -> None:
    pulsar_admission.check(CONFIG, Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []


def test_memory_and_disk_must_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 2.0)
    assert "needs about 2.5 GiB of memory, but 2.0 GiB are available" in refusal(tmp_path)
    monkeypatch.setattr(live_needs.shutil, "disk_usage", lambda place: SimpleNamespace(free=2**29))
    assert "needs about 2.0 GiB of disk space" in refusal(tmp_path)
    assert "choose another folder with --warehouse" in refusal(tmp_path)


def test_another_live_run_is_waited_for(tmp_path: Path) -> None:
    with one_live_run_lock.alone():
        assert "another live run is running" in refusal(tmp_path)


def test_java_is_asked_for_by_the_name_of_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(server: str) -> Path:
        raise InputError(f"{server} needs Java")

    monkeypatch.setattr(broker_jars, "java_program", missing)
    assert refusal(tmp_path) == "Pulsar needs Java"


def test_each_experiment_must_end_before_its_task_is_stopped() -> None:
    (experiment,) = CONFIG.pulsar
    needed = pulsar_admission.needed_s(experiment)
    pulsar_admission.check_time(CONFIG, needed)
    with pytest.raises(InputError, match=f"in experiment '{experiment.name}'"):
        pulsar_admission.check_time(CONFIG, needed - 1.0)


def test_each_start_counts() -> None:
    """One Pulsar, and three runs of 36 s that each start functions, loop and load."""
    (experiment,) = CONFIG.pulsar
    one_run = 120.0 + 120.0 + 120.0 + 36.0
    until_all_is_out, until_both_have_ended = 60.0, 120.0
    assert pulsar_admission.needed_s(experiment) == (
        240.0 + 3 * (one_run + until_all_is_out + until_both_have_ended)
    )


def test_a_message_names_the_settings_of_the_time() -> None:
    changes = resolve("pulsar-changes", None, [], [])
    with pytest.raises(InputError, match=r"^`slot_s` × resizings × runs: .* fewer resizings, "):
        pulsar_admission.check_time(changes, 60.0)
    with pytest.raises(InputError, match=r"^`piece_s` × load_levels × runs: .* fewer policies, "):
        pulsar_admission.check_time(CONFIG, 60.0)


def test_without_free_ports_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(reserved_ports, "_bound", none_left)
    assert refusal(tmp_path).startswith("Pulsar needs 3 free ports of 127.0.0.1")


@pytest.mark.parametrize("guarantee", ["effectively_once", "manual", "ATLEAST_ONCE"])
def test_other_guarantees_are_refused(guarantee: str) -> None:
    with pytest.raises(InputError, match=r"`guarantee` must be one of atleast_once, atmost_once"):
        resolve("pulsar-smoke", None, [f"guarantee={guarantee}"], [])
