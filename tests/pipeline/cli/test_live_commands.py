"""Commands on live runs: integrity once more, what dead runs have left, and one run at a time."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from live.kafka import topics
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.live.faults import run_faults
from pipeline.experiments.live.faults.live_faults import FAULTS
from pipeline.experiments.live.faults.run_faults import FaultResult
from pipeline.experiments.live.running import live_folders, live_streams
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import context, one_live_run_lock
from pipeline.warehouse.runs.context import RunContext
from tests.pipeline.cli.command import Home, call
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.unit


def begun(home: Home, run_id: str, preset: str = "live-smoke") -> RunContext:
    """A run of this process that has begun, and left nothing yet."""
    ctx = RunContext(
        run_id,
        resolve(preset, None, [], []),
        Paths(home.warehouse),
        context.this_process(),
        datetime.now(UTC),
    )
    ctx.save()
    return ctx


@pytest.fixture
def evidence(home: Home) -> Path:
    """Folder of the evidence of strategy MWF in run ``r1``, whose broker was perfect."""
    ctx = begun(home, "r1")
    (experiment,) = ctx.config.live
    for stream_id in live_streams.names(experiment):
        for strategy in experiment.strategies:
            place = live_folders.of_run(ctx).of_strategy(experiment.name, stream_id, strategy)
            settings = synthetic_folders.settings_for(place, partitions=8, iterations=6)
            synthetic_folders.make(place, strategy, settings=settings)
    return live_folders.of_run(ctx).of_strategy("smoke", "smoke-d25-uniform-r0001", "MWF")


@pytest.mark.slow
def test_a_run_is_verified_from_its_evidence(home: Home, evidence: Path) -> None:
    result = call("live", "verify", "r1")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    heads = ["sent", "read", "lost", "twice", "unordered", "overlaps", "faults"]
    assert rows[0] == ["strategy", "stream", *heads]
    by_algorithm = {row[0]: row[2:] for row in rows if row and row[0] in ("MWF", "kd_5")}
    assert by_algorithm.keys() == {"MWF", "kd_5"}
    for sent, read, *counts in by_algorithm.values():
        assert sent == read != "0"
        assert counts == ["0"] * 5


@pytest.mark.slow
def test_a_run_with_lost_records_fails_the_command(home: Home, evidence: Path) -> None:
    next((evidence / "evidence").iterdir()).unlink()
    result = call("live", "verify", "r1")
    assert result.exit_code == 1
    where = "MWF on smoke-d25-uniform-r0001"
    said = f"Error: records were lost, repeated or reordered: {where}"
    assert result.stderr.splitlines()[0] == said
    assert "kd_5" in result.stdout


def test_runs_that_are_not_live_cannot_be_verified(home: Home) -> None:
    begun(home, "simulated", "smoke")
    result = call("live", "verify", "simulated")
    assert (result.exit_code, result.stdout.strip()) == (2, "")
    assert result.stderr == "Error: `RUN_ID`: run simulated is not a live run\n"
    assert call("live", "verify", "../x").exit_code == 2


def test_nothing_is_left_to_clean(home: Home) -> None:
    result = call("live", "clean")
    assert (result.exit_code, result.stdout) == (0, "No dead live run has left anything.\n")


def test_what_a_dead_run_has_left_is_listed_and_then_removed(home: Home) -> None:
    left = begun(home, "dead").paths.state("dead") / "live"
    (left / "brokers").mkdir(parents=True)
    (left / "brokers" / "data").write_bytes(bytes(2**20))
    listed = f"dead:\n  folder {left} (1.0 MiB)\n"
    result = call("live", "clean", "--dry-run")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{listed}Nothing was removed (--dry-run).\n"
    assert left.is_dir()
    (row,) = json.loads(call("live", "clean", "--dry-run", "--json").stdout)
    entry = {"name": "dead", "processes": [], "topics": []}
    assert row == {**entry, "folder": str(left), "folder_bytes": 2**20}
    assert left.is_dir()
    result = call("live", "clean")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{listed}All of it was removed.\n"
    assert not left.exists()


def test_programs_are_told_what_was_removed(home: Home) -> None:
    left = begun(home, "dead").paths.state("dead") / "live"
    left.mkdir(parents=True)
    (row,) = json.loads(call("live", "clean", "--json").stdout)
    assert (row["name"], row["folder"]) == ("dead", str(left))
    assert not left.exists()
    assert json.loads(call("live", "clean", "--json").stdout) == []


def test_topics_of_a_dead_run_go_from_a_cluster(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(home, "dead")
    monkeypatch.setattr(topics, "runs", lambda *_: ["dead.1", "other.1"])
    deleted: list[tuple[str, str]] = []
    monkeypatch.setattr(topics, "delete", lambda where, run, _: deleted.append((where, run)))
    result = call("live", "clean", "--bootstrap", "b1:9092")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == ["dead:", "  topics gs.dead.1.*", "All of it was removed."]
    assert deleted == [("b1:9092", "dead.1")]


def test_faults_are_refused_while_another_live_run_is_at_work(home: Home) -> None:
    with one_live_run_lock.alone():
        result = call("live", "faults", "consumer-killed")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: another live run is running on this machine")


def test_other_live_runs_are_refused_while_faults_are_injected(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    def injected(names: Sequence[str], folder: Path) -> Iterator[FaultResult]:
        for name in names:
            with pytest.raises(InputError) as caught:
                one_live_run_lock.check()
            refused.append(str(caught.value))
            yield FaultResult(FAULTS[name], [], 1.25, "")

    monkeypatch.setattr(run_faults, "run", injected)
    result = call("live", "faults", "consumer-killed")
    assert result.exit_code == 0, result.output
    assert "answered after 1.25 s" in result.stdout
    assert "another live run is running" in refused[0]
    one_live_run_lock.check()


def test_manifests_on_a_full_disk_leave_no_file(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("live", "manifests", "orders", "--bootstrap", "b:9092", "--partitions", "4")
    rates = ("--capacity", "1MB", "--consumer-rate", "2MB", "--image", "own:1")
    file = home.root / "group.yaml"

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        # What is written reaches the disk late: at `fsync`, or when the file is closed.
        disk.setattr(os, "fsync", full)
        said = call(*words, *rates, "-o", file)
    assert said.exit_code == 1
    assert f"cannot write {file} (No space left on device)" in said.output
    assert list(home.root.glob("*.yaml")) == list(home.root.glob(".groupscale-*")) == []
    assert call(*words, *rates, "-o", file).exit_code == 0
    assert "kind: " in file.read_text()


def test_events_of_a_run_are_checked_before_it_begins(home: Home) -> None:
    own = ("--strategies", "asking:linear")
    result = call("live", "run", *own, "--event", "crash@5s", "--event", "limit@3s:5")
    assert (result.exit_code, result.stdout) == (2, "")
    said = result.stderr.partition(": `group_events`: ")
    assert said[0] == "Error: --event crash@5s --event limit@3s:5"
    assert said[2].startswith("limit@3s:5: limit is simulated only; choose one of")
    result = call("live", "run", "--event", "crash@5s")
    assert "`group_events` applies to groups that ask (got strategy" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--event", "nix@3s"), "--event nix@3s: `group_events`: nix@3s: the kind must be one of"),
        (("--nodes", "2"), "--nodes 2: `nodes` must be one of 1, 3 (got 2)"),
        (("--set", "nodes=2"), "--set nodes=2: `nodes` must be one of 1, 3 (got 2)"),
        (("--strategies", "foo"), "--strategies foo: `strategies`: unknown strategy 'foo'"),
        (("--speeds", "guessed"), "--speeds guessed: `speeds` must be one of"),
        (("--scale", "0.01", "--set", "capacity=1"), "--scale 0.01: `capacity` must be"),
    ],
)
def test_messages_name_the_option_that_was_written(
    home: Home, words: tuple[str, ...], message: str
) -> None:
    result = call("live", "run", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")
