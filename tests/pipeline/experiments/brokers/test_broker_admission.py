"""What is refused before brokers are started."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from algorithms.learning import measured_latencies
from live.broker_metrics import cpu_caps
from live.brokers import tool_jars
from live.kafka import broker_jars, small_disks
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.brokers.running import broker_admission
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import live_needs, one_live_run_lock
from tests.live.brokers.deciding import measured_row_cases

pytestmark = pytest.mark.unit


def smoke(*settings: str) -> RunConfig:
    """The small preset with some settings."""
    return resolve("brokers-smoke", None, list(settings), [])


@pytest.fixture(autouse=True)
def ample(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Java, Kafka's tools and memory, and no other live run."""
    monkeypatch.setattr(broker_jars, "java_program", lambda server: Path("java"))
    monkeypatch.setattr(tool_jars, "ensure", lambda java: None)
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 64.0)
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path_factory.mktemp("state")))


def refusal(tmp_path: Path, *settings: str) -> str:
    with pytest.raises(InputError) as caught:
        broker_admission.check(smoke(*settings), Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []
    return str(caught.value)


def test_an_ample_machine_is_admitted(tmp_path: Path) -> None:
    broker_admission.check(smoke(), Paths(tmp_path / "warehouse"), "r")
    assert list(tmp_path.iterdir()) == []


def test_memory_for_all_brokers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five brokers and their controller at 0.4 GiB, and 1.5 GiB for the rest."""
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 3.8)
    assert "needs about 3.9 GiB of memory, but 3.8 GiB are available" in refusal(tmp_path)
    monkeypatch.setattr(live_needs.machine, "available_gib", lambda: 4.0)
    broker_admission.check(smoke(), Paths(tmp_path / "warehouse"), "r")


def test_three_kraft_controllers_need_memory_as_well() -> None:
    one, three = (
        broker_admission.needs(smoke(f"kraft_controllers={n}")).memory_gib for n in (1, 3)
    )
    assert three - one == pytest.approx(2 * broker_admission.NODE_GIB)


def test_another_live_run_is_waited_for(tmp_path: Path) -> None:
    with one_live_run_lock.alone():
        assert "another live run is running" in refusal(tmp_path)


@pytest.fixture
def unmountable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who may not mount small disks."""

    def refuse(*words: object, **_: object) -> SimpleNamespace:
        return SimpleNamespace(returncode=32, stderr="mount: must be superuser\n")

    monkeypatch.setattr(small_disks.subprocess, "run", refuse)


@pytest.mark.usefixtures("unmountable")
def test_a_full_disk_needs_a_file_system_of_its_own(tmp_path: Path) -> None:
    broker_admission.check(smoke("faults=killed"), Paths(tmp_path / "warehouse"), "r")
    message = refusal(tmp_path, "faults=killed,disk-full")
    assert message == (
        "`faults`: disk-full and disk-stays-full need a file system of a broker's own (cannot "
        "mount a small disk: mount: must be superuser); run as root, or choose killed, cancelled, "
        "controller, kraft-controller-killed"
    )


def test_a_small_disk_is_memory() -> None:
    plain, full = (
        broker_admission.needs(smoke(f"faults={name}")).memory_gib
        for name in ("killed", "disk-stays-full")
    )
    assert full - plain == pytest.approx((16 + 1024) / 1024)


def test_logs_grow_with_what_is_preloaded() -> None:
    """Three replicas of each byte, twice while they move."""
    before, after = (
        broker_admission.needs(smoke(f"preload_mib={size}")).disk_gib for size in (0, 1024)
    )
    assert after - before >= 2.0 * 3.0


def policy(*settings: str) -> RunConfig:
    """The small preset with decisions."""
    return resolve("brokers-policy-smoke", None, ["records_per_s=1000", *settings], [])


@pytest.fixture
def capped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that can cap processors."""
    monkeypatch.setattr(cpu_caps, "hierarchy", lambda: None)


@pytest.mark.usefixtures("capped")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((), "experiment 'policy': `decided_by` dqn needs measured rows: no metrics of 3 to 5"),
        (("learns=true", "decided_by=dqn,optimal"), "`decided_by` optimal needs measured rows"),
    ],
)
def test_without_measured_rows_it_is_refused(
    settings: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured_latencies, "ROWS", ())
    with pytest.raises(InputError) as caught:
        broker_admission.check(policy(*settings), Paths(tmp_path / "warehouse"), "r")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    # Agents that learn on the cluster, and the rule, do without.
    without = policy("learns=true"), policy("decided_by=threshold")
    for config in without:
        broker_admission.check(config, Paths(tmp_path / "warehouse"), "r")


@pytest.mark.usefixtures("capped")
def test_rows_of_the_load_and_numbers_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured_latencies, "ROWS", measured_row_cases.rows())
    broker_admission.check(policy(), Paths(tmp_path / "warehouse"), "r")
    with pytest.raises(InputError, match=r"load must be one of 0\.25 of 4,000 records/s \(got 1\)"):
        broker_admission.check(policy("records_per_s=4000"), Paths(tmp_path / "warehouse"), "r")


@pytest.mark.usefixtures("capped", "unmountable")
def test_faults_do_not_count_where_something_decides(tmp_path: Path) -> None:
    plain, faulty = (policy("decided_by=threshold", *more) for more in ((), ("faults=disk-full",)))
    broker_admission.check(faulty, Paths(tmp_path / "warehouse"), "r")
    assert broker_admission.needs(faulty) == broker_admission.needs(plain)


def test_quotas_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_caps, "SELF", tmp_path / "none")
    with pytest.raises(InputError, match="cannot cap processors"):
        broker_admission.check(policy(), Paths(tmp_path / "warehouse"), "r")


def test_each_experiment_must_end_before_its_task_is_stopped() -> None:
    (experiment,) = smoke().brokers
    needed = broker_admission.needed_s(experiment)
    broker_admission.check_time(smoke(), needed)
    with pytest.raises(InputError, match=f"in experiment '{experiment.name}'"):
        broker_admission.check_time(smoke(), needed - 1.0)
