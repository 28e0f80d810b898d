"""MLflow that is down, hangs or returns errors: runs wait, then fail, and lose nothing."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.base.errors import InputError, StageError, ValidationFailed
from pipeline.base.paths import Paths
from pipeline.base.progress import Progress
from pipeline.engine import late_tracking
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.reporting.tracking import client as tracking
from pipeline.reporting.tracking import retry
from pipeline.reporting.tracking.content import Content, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from tests.e2e.run_tables import statuses
from tests.faults import faulty_servers
from tests.faults.breaking import RUN, WHOLE, assert_same_rows, copied, mark, wait_for
from tests.faults.conftest import Start
from tests.pipeline.experiments.assignment import report_cases


class Lines:
    """A stream that is no terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False


def results() -> Results:
    small = report_cases.small()
    return replace(small, run=dict(small.run) | {"run_id": "mine"})


def log(
    uri: str, monkeypatch: pytest.MonkeyPatch, seconds: int = 60, run: TrackedRun | None = None
) -> str:
    """Track a run as the stage does; return its progress output."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    monkeypatch.setenv(retry.PATIENCE, str(seconds))
    tracked_run, lines = run or tracked(results()), Lines()
    with Progress(stream=lines).step("track"):  # type: ignore[arg-type]
        retry.insist(lambda: tracking.log_run(tracked_run), "mine")
    return lines.text


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of these tests have the password, and wait a second for an answer."""
    for name, value in faulty_servers.LOGIN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")


@pytest.mark.parametrize(
    ("kind", "said"), [("refuses", "refuses connections"), ("hangs", "does not answer")]
)
def test_a_server_that_is_gone_is_waited_for_as_long_as_is_said(
    kind: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.monotonic()
    with faulty_servers.silent() as silent:
        uri = silent if kind == "hangs" else f"http://127.0.0.1:{faulty_servers.free_port()}"
        with pytest.raises(retry.Unreachable) as caught:
            log(uri, monkeypatch, seconds=4)
    assert 4 <= time.monotonic() - started < 4 + 5
    assert str(caught.value).startswith(f"MLflow at {uri} {said}")
    assert f"`MLFLOW_TRACKING_URI={uri} groupscale track mine --publish`" in str(caught.value)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Port of a real tracking server."""
    port = faulty_servers.free_port()
    with faulty_servers.mlflow(tmp_path_factory.mktemp("server"), port):
        yield port


def test_a_server_that_recovers(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_servers.ill(server) as sick:
        cure = threading.Timer(3, lambda: setattr(sick, "ill", False))
        cure.start()
        said = log(sick.uri, monkeypatch)
        assert sick.refused >= 2
        assert re.search(rf"MLflow at {sick.uri} .*server errors.* 1 s", said)
        assert "track" in said.splitlines()[-1]
        assert "done" in said.splitlines()[-1]
        runs = list(tracking._tracked(tracking.connect(), "mine"))
    assert len(runs) == 13
    assert {run.info.status for run in runs} == {"FINISHED"}


def test_a_server_that_falls_ill_half_way(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tracked(results())

    def stumbling(parent: str) -> Iterator[Content]:
        for place, child in enumerate(run.children(parent)):
            if place == 5 and not sick.refused:
                sick.ill = True
                threading.Timer(2, lambda: setattr(sick, "ill", False)).start()
            yield child

    with faulty_servers.ill(server) as sick:
        sick.ill = False
        log(sick.uri, monkeypatch, run=replace(run, children=stumbling))
        assert sick.refused
        runs = list(tracking._tracked(tracking.connect(), "mine"))
    assert len(runs) == 13


def test_what_the_server_does_not_want_is_not_tried_again(
    server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.monotonic()
    with pytest.raises(StageError, match="track mine --publish"):
        log(f"http://127.0.0.1:{server}/nowhere", monkeypatch)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("password", ["", "of-another-server"])
def test_a_server_that_does_not_know_the_password_is_not_asked_again(
    server: int, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv(retry.PASSWORD, password)
    started = time.monotonic()
    with pytest.raises(StageError, match=f"password: set {retry.USER} and {retry.PASSWORD}"):
        log(f"http://127.0.0.1:{server}", monkeypatch)
    assert time.monotonic() - started < 20


@pytest.fixture(scope="module")
def failed(start: Start, whole: Path, shared: Path) -> Path:
    """Warehouse of a run that failed because of MLflow."""
    gone = f"http://127.0.0.1:{faulty_servers.free_port()}"
    place = shared / "untracked"
    words = (*RUN, "--run-id", "late", "--warehouse", str(place))
    process = start(*words, MLFLOW_TRACKING_URI=gone, GROUPSCALE_MLFLOW_PATIENCE="5")
    assert process.end() == 1, process.said
    assert f"MLflow at {gone} refuses connections; retrying" in process.said
    assert f"Error: MLflow at {gone} refuses connections after " in process.said
    assert f"`MLFLOW_TRACKING_URI={gone} groupscale track late --publish`" in process.said
    assert statuses(place) == {"late": "failed"}
    assert_same_rows(place, "late", whole)
    return place


def test_a_complete_run_is_tracked_and_published_later(
    start: Start, failed: Path, whole: Path, tmp_path: Path
) -> None:
    place = copied(failed, tmp_path / "warehouse")
    process = start("track", "late", "--warehouse", str(place))
    assert process.end() == 0, process.said
    assert "Run late is failed, not published" in process.said
    assert statuses(place) == {"late": "failed"}
    assert (place / "reports" / "late" / "report.html").exists()
    assert len(list(tracking._tracked(tracking.connect(), "late"))) > 1

    process = start("track", "late", "--publish", "--warehouse", str(place))
    assert process.end() == 0, process.said
    assert f"Run late is published in {place}" in process.said
    assert "Run late has no baseline " in process.said
    assert statuses(place) == {"late": "published"}
    assert_same_rows(place, "late", whole)


def test_a_run_that_no_longer_passes_its_checks_is_not_published(
    failed: Path, tmp_path: Path
) -> None:
    from deltalake import DeltaTable

    place = copied(failed, tmp_path / "warehouse")
    DeltaTable(str(place / "scores")).delete("algorithm = 'NF'")
    with pytest.raises(ValidationFailed, match="table scores"):
        late_tracking.track(Paths(place), "late", publish=True)
    assert statuses(place) == {"late": "failed"}


def test_a_run_that_is_not_complete_is_not_published(
    start: Start, whole: Path, tmp_path: Path
) -> None:
    place = tmp_path / "warehouse"
    process = start(*RUN, "--run-id", "half", "--warehouse", str(place))
    wait_for(mark(place, "half", "score").exists, process, "score")
    with pytest.raises(InputError, match="'half' is in use by a running run"):
        late_tracking.track(Paths(place), "half", publish=True)
    process.kill()
    with pytest.raises(InputError, match=r"extract_pareto.*--run-id half"):
        late_tracking.track(Paths(place), "half", publish=True)
    assert statuses(place) == {"half": "running"}


def test_a_published_run_is_tracked_from_its_tables_alone(whole: Path, tmp_path: Path) -> None:
    import shutil

    place = copied(whole, tmp_path / "warehouse")
    shutil.rmtree(place / ".state" / WHOLE)
    client = tracking.connect()
    before = {run.info.run_name: run.data for run in tracking._tracked(client, WHOLE)}
    assert late_tracking.track(Paths(place), WHOLE, publish=False) == "published"
    after = {run.info.run_name: run.data for run in tracking._tracked(client, WHOLE)}
    assert after.keys() == before.keys()
    for name in after:
        assert after[name].params == before[name].params
        timeless = [key for key in after[name].metrics if not key.startswith("seconds.")]
        assert {k: after[name].metrics[k] for k in timeless} == {
            k: before[name].metrics[k] for k in timeless
        }


def test_a_run_that_nobody_knows(whole: Path) -> None:
    with pytest.raises(InputError, match=r"run 'nobody' is not in "):
        late_tracking.track(Paths(whole), "nobody", publish=True)
    assert not (whole / ".state" / "nobody").exists()
