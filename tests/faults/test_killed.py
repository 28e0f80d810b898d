"""SIGKILL in every step of a run: run again, it ends as an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from zlib import crc32

import pytest

from pipeline.engine import local
from pipeline.experiments.family_list import stages_in, stages_of
from pipeline.reporting.tracking import client
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from tests.e2e.conftest import settings
from tests.e2e.run_tables import statuses
from tests.faults.breaking import RUN, WHOLE, assert_same_rows, mark, wait_for
from tests.faults.conftest import Start

OTHERS = {"begin": 4.0, "conclude": 0.3}
"""Steps that no timing is kept of, with seconds that they take at least."""


def _steps() -> list[str]:
    steps = ["begin"]
    for item in stages_in("assignment"):
        steps += [item.name, *(f"check_{table}" for table in item.writes)]
    return [*steps, "conclude"]


@pytest.fixture(scope="module")
def broken(shared: Path) -> Path:
    return shared / "broken"


def seconds(whole: Path, step: str) -> float:
    """How long a step of the undisturbed run took."""
    lines = (whole / ".state" / WHOLE / "timings.jsonl").read_text().splitlines()
    taken = {entry["stage"]: entry["seconds"] for entry in map(json.loads, lines)}
    return float(taken[step] if step in taken else OTHERS[step])


def kill_in(step: str, start: Start, words: tuple[str, ...], at_work: Path, after: float) -> None:
    """Start a run and kill it some seconds after a step began, surely before its end."""
    for share in (1, 0.5, 0.1, 0):
        process = start(*words)
        wait_for(at_work.exists, process, step)
        time.sleep(after * share)
        process.kill()
        if at_work.exists():
            return
    raise AssertionError(f"{step} always ends before it can be killed")


@pytest.mark.parametrize("step", _steps())
def test_killed_and_run_again(
    step: str, start: Start, whole: Path, broken: Path, tiny: RunConfig
) -> None:
    words = (*RUN, "--run-id", step, "--warehouse", str(broken))
    # A moment of its own for each step, anywhere in the first half of it.
    after = seconds(whole, step) * (crc32(step.encode()) % 50) / 100
    kill_in(step, start, words, mark(broken, step, step), after)
    if (broken / "runs").is_dir():
        # One that dies as it publishes may have done so.
        left = {"running", "published"} if step == "conclude" else {"running", None}
        assert statuses(broken).get(step) in left

    ctx = local.run_all(tiny, broken, step)
    assert not list(mark(broken, step, step).parent.glob("*"))
    assert statuses(broken)[step] == "published"
    assert_same_rows(broken, step, whole)
    assert tracked(ctx.run_id) == tracked(WHOLE)


def test_killed_three_times_and_run_again(
    start: Start, whole: Path, broken: Path, tiny: RunConfig
) -> None:
    """The same run, each time in the middle of what the time before has left; then on one core."""
    words = (*RUN, "--run-id", "thrice", "--warehouse", str(broken))
    seed = random.randrange(2**32)
    chosen = random.Random(seed).sample([item.name for item in stages_of(tiny)], 3)
    print(f"seed {seed}: killed in {chosen}")
    for step in chosen:
        kill_in(step, start, words, mark(broken, "thrice", step), 0.5 * seconds(whole, step))
        assert statuses(broken)["thrice"] == "running"
    last = start(*words, GROUPSCALE_SPARK_MASTER="local[1]")
    assert last.end() == 0, last.said
    assert statuses(broken)["thrice"] == "published"
    assert_same_rows(broken, "thrice", whole)


def tracked(run_id: str) -> int:
    """Number of MLflow runs of a run."""
    return len(list(client._tracked(client.connect(), run_id)))


def test_earlier_runs_are_untouched(whole: Path, broken: Path) -> None:
    by_run = statuses(broken)
    assert set(by_run.values()) == {"published"}
    for run_id in by_run:
        assert_same_rows(broken, run_id, whole)


def test_killed_while_traces_are_written(start: Start, shared: Path) -> None:
    trace = shared / "load.csv"
    lines = [f"{k},{40 + k % 7},{90 - k % 11}" for k in range(1, 30)]
    trace.write_text("\n".join(["iteration,a,b", *lines]))
    chosen = ("algorithms=MWF,NF,kd_2", "bound_iterations=2")
    config = resolve(None, None, [*chosen], [trace])
    ours, theirs = shared / "traces", shared / "whole-traces"
    words = ("run", "--trace", str(trace), *settings(*chosen), "--run-id", "t")
    at_work = mark(ours, "t", "write_streams")
    kill_in("write_streams", start, (*words, "--warehouse", str(ours)), at_work, 0.2)
    assert statuses(ours) == {"t": "running"}
    local.run_all(config, ours, "t")
    local.run_all(config, theirs, "t")
    assert statuses(ours) == {"t": "published"}
    assert_same_rows(ours, "t", theirs, "t")


def test_the_jvm_does_not_go_on_without_its_parent(
    start: Start, whole: Path, broken: Path, tiny: RunConfig
) -> None:
    words = (*RUN, "--run-id", "orphans", "--warehouse", str(broken))
    process = start(*words)
    wait_for(mark(broken, "orphans", "run_algorithms").exists, process, "run_algorithms")
    os.kill(process.popen.pid, signal.SIGKILL)
    process.popen.wait()
    # At once, while its JVM may still be executing its last command.
    local.run_all(tiny, broken, "orphans")
    deadline = time.monotonic() + 30
    while process.members():
        assert time.monotonic() < deadline, f"still alive: {process.members()}"
        time.sleep(0.1)
    assert statuses(broken)["orphans"] == "published"
    assert_same_rows(broken, "orphans", whole)
