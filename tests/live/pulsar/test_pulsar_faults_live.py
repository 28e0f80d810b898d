"""Faults of applications on a real Pulsar: what it has acknowledged comes out, counted."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from live.kafka import java_classes
from live.pulsar import functions_admin, pulsar_jars, scaled_application
from live.pulsar.function_settings import (
    AT_LEAST_ONCE,
    AT_MOST_ONCE,
    INTERRUPTIBLE,
    UNINTERRUPTIBLE,
)
from live.pulsar.functions_admin import FunctionsAdmin
from live.pulsar.real_application import RealApplication, specs_of
from live.pulsar.scaling_loop import Resizing
from live.pulsar.standalone import EXTENDED, PulsarFailed, Standalone
from pipeline.experiments.pulsar.evidence import application_evidence
from tests.live.pulsar import faulted_run
from tests.live.pulsar.faulted_run import FUNCTION

pytestmark = pytest.mark.live

FAILING = Path(__file__).with_name("java") / "FailingFunction.java"


@pytest.fixture(scope="module")
def pulsar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A Pulsar that tests leave as it is."""
    folder = tmp_path_factory.mktemp("pulsar")
    pulsar = Standalone(folder / "standalone", EXTENDED)
    pulsar.files = pulsar.files._replace(function=failing_jar(pulsar, folder))
    with pulsar:
        yield pulsar


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, a function or a loop takes long to start again."""
    monkeypatch.setattr(scaled_application, "DRAIN_S", 150.0)


def test_a_function_that_is_deleted_by_hand_runs_again(pulsar: Standalone, tmp_path: Path) -> None:
    folder, admin = tmp_path / "deleted", FunctionsAdmin(pulsar.admin_url, pulsar.token_file)
    with faulted_run.meanwhile(folder, 4.3, lambda: admin.delete(f"deleted-{FUNCTION}")):
        run = faulted_run.scaled(faulted_run.application(12.0, 8.0, 0.1))
        faulted_run.run(pulsar, run, folder)
    counts = faulted_run.counts(folder)
    print("deleted by hand:", counts)
    assert counts.acknowledged == 96
    assert counts.lost == 0
    assert len(faulted_run.entries(folder, "created")) == 1
    evidence = application_evidence.read(folder)
    assert evidence.drained
    assert evidence.passed["incarnation"].nunique() == 2


def test_a_loop_that_dies_between_plan_and_execution_is_continued(
    pulsar: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaled_application, "LOOP", "tests.live.pulsar.dying_loop")
    folder = tmp_path / "died"
    changes = (Resizing(3.0, FUNCTION, 2), Resizing(10.0, FUNCTION, 1))
    run = faulted_run.scaled(faulted_run.application(20.0, 8.0, 0.1), changes)
    faulted_run.run(pulsar, run, folder)
    counts = faulted_run.counts(folder)
    asked, resized, restarted = (
        faulted_run.entries(folder, kind) for kind in ("asked", "resized", "restarted")
    )
    print("loop killed twice:", counts, [round(entry["call_s"], 2) for entry in resized])
    assert (counts.acknowledged, counts.lost) == (160, 0)
    # The first request had not been sent: it is asked again. The second one had arrived.
    assert [(entry["before"], entry["after"]) for entry in asked] == [(1, 2), (1, 2), (2, 1)]
    assert [(entry["before"], entry["after"]) for entry in resized] == [(1, 2), (2, 1)]
    assert len(restarted) == 2
    passed = application_evidence.read(folder).passed
    # The instance that stayed was not restarted.
    assert passed.loc[passed["instance"] == 0, "incarnation"].nunique() == 1


def test_without_its_load_a_run_ends_and_what_was_acknowledged_comes_out(
    pulsar: Standalone, tmp_path: Path
) -> None:
    folder = tmp_path / "unloaded"
    what = faulted_run.application(20.0, 12.0, 0.1)

    def kill() -> None:
        faulted_run.process_of("live.pulsar.load_process").kill()

    run = faulted_run.scaled(what)
    with (
        faulted_run.meanwhile(folder, 5.0, kill),
        pytest.raises(PulsarFailed, match="the load ended early: ") as failed,
    ):
        faulted_run.run(pulsar, run, folder)
    assert "\n" not in str(failed.value)
    specs = specs_of(what, "unloaded-", run.work)
    assert FunctionsAdmin(pulsar.admin_url, pulsar.token_file).names() == []
    stored = faulted_run.acknowledged(folder)
    wanted = stored.difference(faulted_run.came_out(folder))
    with RealApplication(pulsar, specs, [1]):
        later = faulted_run.read_rest(pulsar, "unloaded-", wanted, 60.0)
    counts = faulted_run.counts(folder, later)
    print("load killed:", counts, "later:", len(later))
    assert wanted
    assert counts.acknowledged >= 20
    assert counts.lost == 0


def test_what_a_function_fails_is_delivered_again(
    pulsar: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions_admin, "CLASS", "groupscale.FailingFunction")
    folder = tmp_path / "failing"
    faulted_run.run(pulsar, faulted_run.scaled(faulted_run.application(8.0, 8.0, 0.1)), folder)
    counts = faulted_run.counts(folder)
    evidence = application_evidence.read(folder)
    done = evidence.passed.groupby("number")["done_s"].max()
    failed = [number for number in range(64) if number % 10 == 3 or number == 25]
    # Pulsar waits before it delivers again what a function has failed.
    waited = done[failed] - evidence.sent.set_index("number")["due_s"][failed]
    print("function that fails:", counts, waited.round(1).to_dict())
    assert (counts.acknowledged, counts.lost) == (64, 0)
    assert evidence.drained
    assert waited.min() > 1.0
    # The instance that died began again.
    assert evidence.passed["incarnation"].nunique() == 2


@pytest.mark.parametrize("guarantee", [AT_LEAST_ONCE, AT_MOST_ONCE])
@pytest.mark.parametrize("hold", [UNINTERRUPTIBLE, INTERRUPTIBLE])
def test_variants_of_guarantee_and_hold(
    pulsar: Standalone,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    guarantee: str,
    hold: str,
) -> None:
    if guarantee == AT_MOST_ONCE:
        # What is lost does not come out however long the run waits.
        monkeypatch.setattr(scaled_application, "DRAIN_S", 30.0)
    folder = tmp_path / f"{guarantee}{hold}".replace("_", "")
    changes = [Resizing(1.5 * n, FUNCTION, 1 + n % 2) for n in range(1, 7)]
    what = faulted_run.application(11.0, 6.0, 0.3, initial=2)
    run = faulted_run.scaled(what, changes, guarantee, hold)
    faulted_run.run(pulsar, run, folder)
    counts = faulted_run.counts(folder)
    print(guarantee, hold, counts)
    assert counts.acknowledged == 66
    if guarantee == AT_LEAST_ONCE:
        assert counts.lost == 0
    else:
        # Each of three stops can lose what the instance was processing.
        assert counts.lost <= 3
        assert counts.repeated == 0


def failing_jar(pulsar: Standalone, folder: Path) -> Path:
    """A JAR with our function, and the one that fails."""
    interfaces = pulsar.files.jars.glob("pulsar-functions-api-*")
    named = ":".join(map(str, (pulsar.files.function, *interfaces)))
    compiler = java_classes.compiler_of(pulsar.files.java, pulsar_jars.PURPOSE)
    made = folder / "made"
    command = [compiler, "--release", java_classes.RELEASE, "-cp", named, "-d", made, FAILING]
    subprocess.run(list(map(str, command)), check=True)
    jar = folder / "failing.jar"
    jar.write_bytes(pulsar.files.function.read_bytes())
    with zipfile.ZipFile(jar, "a") as archive:
        for file in made.rglob("*.class"):
            archive.write(file, str(file.relative_to(made)))
    return jar
