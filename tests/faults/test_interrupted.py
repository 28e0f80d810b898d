"""Ctrl-C and SIGTERM: one message, the run is marked failed, and nothing is left of the process."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from pyspark import SparkContext

from pipeline.base.process import signals
from pipeline.engine import local
from pipeline.experiments.family_list import stages_in
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import lock
from pipeline.warehouse.runs.context import RunContext
from tests.e2e.run_tables import rows, statuses
from tests.faults.breaking import PATIENCE, RUN, Process, assert_same_rows, mark, wait_for
from tests.faults.conftest import Start

ENDS_WITHIN = 60


@pytest.fixture(scope="module")
def place(shared: Path) -> Path:
    return shared / "interrupted"


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files, whose name is short enough for sockets."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def assert_nothing_is_left(process: Process, temporary: Path) -> None:
    """No process a moment later, and no temporary file."""
    deadline = time.monotonic() + ENDS_WITHIN
    while process.members():
        assert time.monotonic() < deadline, f"still alive: {process.members()}"
        time.sleep(0.1)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("number", "to_all", "step", "status"),
    [
        (signal.SIGINT, True, "run_algorithms", 130),  # a terminal's Ctrl-C
        (signal.SIGTERM, False, "simulate_latency", 143),  # kill
        (signal.SIGTERM, True, "check_assignments", 143),  # timeout, systemd
    ],
)
def test_a_run_that_is_asked_to_end(
    start: Start, place: Path, temporary: Path, number: int, to_all: bool, step: str, status: int
) -> None:
    run_id = f"asked-{status}-{to_all}"
    words = (*RUN, "--run-id", run_id, "--warehouse", str(place))
    process = start(*words, TMPDIR=str(temporary))
    wait_for(mark(place, run_id, step).exists, process, step)
    began = time.monotonic()
    (os.killpg if to_all else os.kill)(process.popen.pid, number)
    assert process.end() == status, process.said
    assert time.monotonic() - began < ENDS_WITHIN
    name = signal.Signals(number).name
    said = f"Error: interrupted ({name}); run {run_id}: not published\n"
    assert process.said.endswith(said), process.said
    assert "Traceback" not in process.said
    assert statuses(place)[run_id] == "failed"
    assert list(rows(place, "runs", run_id)["error"]) == [f"interrupted ({name})"]
    assert_nothing_is_left(process, temporary)


def test_a_run_that_is_left_alone_leaves_nothing(
    start: Start, place: Path, temporary: Path
) -> None:
    words = (*RUN, "--run-id", "alone", "--warehouse", str(place))
    process = start(*words, TMPDIR=str(temporary))
    assert process.end() == 0, process.said
    assert_nothing_is_left(process, temporary)


@contextmanager
def ctrl_c(step: str) -> Iterator[None]:
    """Press Ctrl-C a moment after a step has begun."""
    begun, over = threading.Event(), threading.Event()
    at_work = RunContext.at_work

    def seen(ctx: RunContext, name: str) -> AbstractContextManager[None]:
        if name == step:
            begun.set()
        return at_work(ctx, name)

    def press() -> None:
        begun.wait(PATIENCE)
        if not over.wait(0.05):
            os.kill(os.getpid(), signal.SIGINT)

    before = [signal.getsignal(number) for number in (*signals.ENDING, signal.SIGHUP)]
    finger = threading.Thread(target=press, daemon=True)
    try:
        with pytest.MonkeyPatch.context() as patch, signals.taken():
            patch.setattr(RunContext, "at_work", seen)
            finger.start()
            yield
    finally:
        over.set()
        begun.set()
        finger.join()
        for number, handler in zip((*signals.ENDING, signal.SIGHUP), before, strict=True):
            signal.signal(number, handler)


def interrupted_in(step: str, config: RunConfig, place: Path, run_id: str) -> list[str]:
    """What is said of a run in which Ctrl-C comes in a step."""
    with pytest.raises(signals.Interrupted) as raised, ctrl_c(step):
        local.run_all(config, place, run_id)
    # The answer to an interrupted call is pending on this thread's connection to Java. A process
    # that ends needs it no more; this one runs again, on another connection.
    with suppress(AttributeError):
        del SparkContext._gateway._gateway_client.thread_connection.connection  # type: ignore[union-attr]
    return list(raised.value.__notes__)


STEPS = ["begin", *(item.name for item in stages_in("assignment"))]


def test_ctrl_c_in_every_stage_and_run_again(place: Path, whole: Path, tiny: RunConfig) -> None:
    """One run in one process, again and again, each time a stage further."""
    for step in STEPS:
        notes = interrupted_in(step, tiny, place, "often")
        begun = notes == ["run often: not published"]
        assert begun or (step == "begin" and notes == ["run often: not started"])
        assert not begun or statuses(place)["often"] == "failed", step
        assert place / ".state" / "often" not in lock._held
        assert not list(mark(place, "often", step).parent.glob("*")), step
    local.run_all(tiny, place, "often")
    assert statuses(place)["often"] == "published"
    assert_same_rows(place, "often", whole)


def test_ctrl_c_as_a_run_is_published(place: Path, whole: Path, tiny: RunConfig) -> None:
    notes = interrupted_in("conclude", tiny, place, "late")
    assert notes == ["run late is published"]
    assert statuses(place)["late"] == "published"
    assert_same_rows(place, "late", whole)
