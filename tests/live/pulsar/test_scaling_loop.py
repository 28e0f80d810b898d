"""A loop that is killed at any moment: its successor ends the plan, and asks for nothing twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from algorithms.simulation.application_graph import check_application
from live.pulsar import loop_journal, loop_process, pulsar_login
from live.pulsar.function_settings import AT_LEAST_ONCE, UNINTERRUPTIBLE
from live.pulsar.real_application import Work, specs_of
from live.pulsar.scaling_loop import MOST_CREATED, LoopTask, Resizing, ScalingLoop
from pipeline.base.errors import StageError
from tests.live.pulsar import pretended_pulsar
from tests.live.pulsar.pretended_pulsar import BEGAN_NS, Killed, Pulsar

pytestmark = pytest.mark.unit

APPLICATION = check_application(
    {"a": {"mu": 10.0}, "b": {"mu": 10.0}},
    [("images", "a"), ("a", "b")],
    {"images": [(20.0, 10.0), (20.0, 20.0)]},
)
SPECS = specs_of(APPLICATION, "", Work(1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0))
THRESHOLD = {"t_in": 5.0, "t_out": 25.0}


def task(
    policy: str = "threshold",
    arguments: Mapping[str, Any] = THRESHOLD,
    resizings: tuple[Resizing, ...] = (),
) -> LoopTask:
    """A loop of 40 s that decides eight times, unless there are resizings."""
    return LoopTask(
        APPLICATION, SPECS, Path("function.jar"), 5.0, 1.0, policy, arguments, resizings
    )


def run(pulsar: Pulsar, folder: Path, what: LoopTask) -> int:
    """Run loops in a folder until one gets to its end; returns how many were killed."""
    for killed in range(5):
        try:
            ScalingLoop(what, pulsar, folder).run(BEGAN_NS)  # type: ignore[arg-type]
        except Killed:
            continue
        return killed
    raise AssertionError("killed too often")


def entries(folder: Path, kind: str) -> list[loop_journal.Entry]:
    every = loop_journal.read(folder / loop_journal.FILE)
    return [entry for entry in every if entry["kind"] == kind]


CASES = {
    "threshold": task(),
    "ds2": task("ds2", {}),
    # Remembers its recommendations from decision to decision.
    "keda_hpa": task("keda_hpa", {}),
    "fixed": task("fixed", {}, tuple(Resizing(4.0 * n, "b", 1 + n % 2) for n in range(1, 6))),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "step"), [("threshold", 1), ("ds2", 1), ("fixed", 1), ("keda_hpa", 7)]
)
def test_a_loop_that_is_killed_anywhere_is_continued(
    case: str, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pretended_pulsar.pretend(monkeypatch, SPECS)
    run(whole, tmp_path, CASES[case])
    assert whole.requests
    deaths = 0
    for moment in range(1, 200, step):
        monkeypatch.undo()
        pulsar = pretended_pulsar.pretend(monkeypatch, SPECS)
        pulsar.dies_in = moment
        folder = tmp_path / str(moment)
        folder.mkdir()
        killed = run(pulsar, folder, CASES[case])
        assert pulsar.requests == whole.requests, moment
        resized = [(entry["function"], entry["after"]) for entry in entries(folder, "resized")]
        assert resized == whole.requests, moment
        deaths += killed
        if not killed:
            break
    # Before and after each request and each entry.
    assert step * deaths >= 4 * len(whole.requests)


@pytest.mark.slow
def test_a_successor_measures_what_its_predecessor_would_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pretended_pulsar.pretend(monkeypatch, SPECS)
    (tmp_path / "whole").mkdir()
    run(whole, tmp_path / "whole", task())
    monkeypatch.undo()
    pulsar = pretended_pulsar.pretend(monkeypatch, SPECS)
    pulsar.dies_in = 7
    assert run(pulsar, tmp_path, task()) == 1
    windows = [entry["window"] for entry in entries(tmp_path, "window")]
    others = [entry["window"] for entry in entries(tmp_path / "whole", "window")]
    assert len(windows) == len(others) == 8
    for window, other in zip(windows, others, strict=True):
        for name, values in window.items():
            assert values == pytest.approx(other[name]), name


def test_the_journal_has_what_waits_in_events_and_in_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(pretended_pulsar.pretend(monkeypatch, SPECS), tmp_path, task())
    windows = entries(tmp_path, "window")
    assert [entry["until_s"] for entry in windows] == pytest.approx(range(5, 45, 5))
    # 10/s, then 20/s from 20 s on; each function is 3 s behind.
    backlogs = [entry["window"]["backlog"] for entry in windows]
    assert backlogs[0] == [30, 20]
    assert backlogs[-1] == [60, 60]
    waiting = [entry["entries"] for entry in windows]
    # Pulsar refuses to say at 10 and 15 s, and the loop decides all the same.
    assert waiting[:3] == [[6, 4], [None, None], [None, None]]
    assert waiting[-1] == [12, 12]
    assert all(entry["decides"] for entry in windows[:-1])


def test_a_function_that_is_gone_is_created_with_its_instances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulsar = pretended_pulsar.pretend(monkeypatch, SPECS)
    sleep = pulsar.clock.sleep
    deleted = []

    def passing(seconds: float) -> None:
        sleep(seconds)
        if pulsar.clock.seconds > 12.0 and not deleted:
            deleted.append(pulsar.parallelism.pop("b"))

    monkeypatch.setattr(pulsar.clock, "sleep", passing)
    run(pulsar, tmp_path, task())
    assert pulsar.created == [("b", deleted[0])]
    assert [entry["function"] for entry in entries(tmp_path, "created")] == ["b"]
    assert loop_journal.recoveries(loop_journal.read(tmp_path / loop_journal.FILE)) == 1


def test_a_window_lasts_until_a_missing_function_is_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulsar = pretended_pulsar.pretend(monkeypatch, SPECS)
    sleep, running, missed = pulsar.clock.sleep, pulsar.running, []

    def passing(seconds: float) -> None:
        sleep(seconds)
        if pulsar.clock.seconds == 10.0 and not missed:
            missed.append(pulsar.parallelism.pop("b"))

    def starting(name: str) -> int:
        return running(name) if pulsar.clock.seconds >= 22.0 else 0

    monkeypatch.setattr(pulsar.clock, "sleep", passing)
    monkeypatch.setattr(pulsar, "running", starting)
    run(pulsar, tmp_path, task())
    assert missed
    windows = entries(tmp_path, "window")
    # It was to end at 10 s. Those of 15 and 20 s are part of it.
    assert [entry["until_s"] for entry in windows] == pytest.approx([5, 22, 25, 30, 35, 40])
    for entry, seconds in zip(windows, (5.0, 17.0, 3.0, 5.0, 5.0, 5.0), strict=True):
        assert entry["window"]["seconds"] == pytest.approx(seconds)
    rates = [entry["window"]["arrivals"][0] / entry["window"]["seconds"] for entry in windows]
    assert rates == pytest.approx([10, (220 + 20 - 50) / 17, 20, 20, 20, 20])


def test_a_function_that_is_deleted_again_and_again_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulsar = pretended_pulsar.pretend(monkeypatch, SPECS)
    sleep = pulsar.clock.sleep

    def passing(seconds: float) -> None:
        sleep(seconds)
        if seconds == 1.0:
            pulsar.parallelism.pop("b", None)

    monkeypatch.setattr(pulsar.clock, "sleep", passing)
    with pytest.raises(StageError, match=r"the function b is gone, .* 5 times; find out what"):
        run(pulsar, tmp_path, task())
    assert len(pulsar.created) == MOST_CREATED


def test_a_process_reads_the_task_that_was_written(tmp_path: Path) -> None:
    for what in CASES.values():
        loop_process.write(tmp_path, what, "http://127.0.0.1:9/admin", tmp_path / "token")
        read, *login = loop_process.read(tmp_path)
        assert login == ["http://127.0.0.1:9/admin", tmp_path / "token"]
        assert read.application == what.application
        assert list(read.specs) == list(what.specs)
        assert tuple(read.resizings) == tuple(what.resizings)
        assert (read.policy, read.arguments, read.decision_s) == (
            what.policy,
            what.arguments,
            what.decision_s,
        )


def test_a_pulsar_that_is_gone_ends_the_process_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulsar_login.write(tmp_path)
    token_file = pulsar_login.token_file(tmp_path)
    loop_process.write(tmp_path, task(), "http://127.0.0.1:9/admin", token_file)
    (tmp_path / loop_process.BEGAN).write_text('{"began_ns": 1}')
    assert loop_process.main(tmp_path) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: Pulsar does not answer GET v3/functions/public/default")
    assert said.count("\n") == 1
