"""`make mlflow`: no access without the password, and with it only to artifacts."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode

import pytest

from pipeline.base.errors import StageError
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.reporting.tracking import client as tracking
from pipeline.reporting.tracking import retry
from tests.faults.faulty_servers import free_port
from tests.pipeline.experiments.assignment import report_cases
from tools import environment
from tools.layout import Layout, here
from tools.services import credentials, health, serve

pytestmark = [pytest.mark.services, pytest.mark.slow]

SERVE = """
import sys
from pathlib import Path
from tools import environment
from tools.layout import Layout, here
from tools.services import serve
place = Layout(here().root, Path(sys.argv[1]))
serve.mlflow(place, environment.variables(place))
"""
SECRET = "of the owner alone"
START_SECONDS = 600.0


class Pages:
    """The pages of `make mlflow`, with a run of the command line and an experiment of another."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(here().root, folder / "state")
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.runs = f"sqlite:///{self.layout.mlflow / 'mlflow.db'}"
        self.login: dict[str, str] = {}
        self.tracked = ""
        self.secret = folder / "home" / "secret"
        self.secret.parent.mkdir(mode=0o700)
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)

    def ask(
        self, path: str, content: object = None, logged_in: bool = True, **headers: str
    ) -> tuple[int, str]:
        """Status and text of an answer."""
        said = {"Content-Type": "application/json", **headers}
        if logged_in:
            word = base64.b64encode(":".join(self.login.values()).encode()).decode()
            said["Authorization"] = f"Basic {word}"
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        page = f"{self.base}/{path}"
        request = urllib.request.Request(page, data if content is not None else None, said)
        try:
            return 200, health.get(request).decode()
        except HTTPError as error:
            return error.code, error.read().decode()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    made = Pages(tmp_path_factory.mktemp("pages"))
    made.layout.mlflow.mkdir(parents=True)
    results = report_cases.small()
    report = tmp_path_factory.mktemp("report") / "report.html"
    report.write_text("a report")
    made.tracked = tracking.log_run(tracked(results), report.parent, made.runs)
    client = tracking.connect(made.runs)
    # What the server refuses may be in its database all the same.
    for name, place in (("direct", made.secret.parent), ("linked", made.secret.parent.parent)):
        home = client.create_experiment(name, place.as_uri())
        run = client.create_run(home)
        artifacts = Path(run.info.artifact_uri.removeprefix("file://"))
        artifacts.parent.mkdir(parents=True)
        artifacts.symlink_to(made.secret.parent)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(made.layout.elsewhere)],
        env=environment.variables(made.layout)
        | {"MLFLOW_TRACKING_URI": made.runs, "MLFLOW_PORT": str(made.port)},
        cwd=here().root,
    )
    try:
        until = time.monotonic() + START_SECONDS
        while serve._get(f"{made.base}/health") is None:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.5)
        made.login = credentials.for_mlflow_client(credentials.ensure(made.layout))
        yield made
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "graphql",
        "get-artifact?path=x&run_id=x",
        "api/2.0/mlflow/experiments/search?max_results=5",
        "api/2.0/mlflow-artifacts/artifacts/x",
        "ajax-api/3.0/mlflow/assistant/config",
    ],
)
def test_who_has_no_password_sees_nothing(pages: Pages, path: str) -> None:
    assert pages.ask(path, logged_in=False)[0] == 401
    wrong = base64.b64encode(b"admin:password1234").decode()
    assert pages.ask(path, logged_in=False, Authorization=f"Basic {wrong}")[0] == 401
    made = pages.ask(
        f"api/2.0/mlflow/experiments/create?{path}", {"name": "theirs"}, logged_in=False
    )
    assert made[0] == 401


@pytest.mark.parametrize("api", ["api", "ajax-api"])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("field", ["artifact_location", "artifactLocation"])
def test_no_experiment_gets_a_folder_of_the_owner(
    pages: Pages, api: str, twice: bool, field: str
) -> None:
    asked: object = {"name": "theirs", field: str(pages.secret.parent)}
    path = f"{api}/2.0/mlflow/experiments/create"
    status, said = pages.ask(path, json.dumps(asked) if twice else asked)
    assert status == 403
    assert "must begin with mlflow-artifacts:" in json.loads(said)["message"]
    assert "theirs" not in names(pages)


def names(pages: Pages) -> list[str]:
    answer = json.loads(pages.ask("api/2.0/mlflow/experiments/search?max_results=99")[1])
    return [home["name"] for home in answer["experiments"]]


@pytest.mark.parametrize("name", ["direct", "linked"])
def test_artifacts_elsewhere_are_neither_read_nor_written(pages: Pages, name: str) -> None:
    client = tracking.connect(pages.runs)
    home = client.get_experiment_by_name(name)
    (run,) = client.search_runs([home.experiment_id])
    which = {"run_id": run.info.run_id, "run_uuid": run.info.run_id, "path": "secret"}
    for path in ("get-artifact", "ajax-api/2.0/mlflow/artifacts/list"):
        status, said = pages.ask(f"{path}?{urlencode(which)}")
        assert status == 403
        assert SECRET not in said
        assert "its own folder" in said
    sent = pages.ask(f"ajax-api/2.0/mlflow/upload-artifact?{urlencode(which)}", b"another")
    assert sent[0] == 403
    assert pages.secret.read_text() == SECRET


def test_runs_of_the_command_line_are_shown_with_their_artifacts(pages: Pages) -> None:
    shown = pages.ask(f"get-artifact?path=report.html&run_id={pages.tracked}")
    assert shown == (200, "a report")
    listed = pages.ask(f"ajax-api/2.0/mlflow/artifacts/list?run_id={pages.tracked}")
    assert "report.html" in listed[1]


def test_models_are_listed_as_none_and_nothing_is_passed_on(pages: Pages) -> None:
    """MLflow's pages ask for the list by themselves, and show a notice if that is refused."""
    proxy = "ajax-api/2.0/mlflow/gateway-proxy"
    listing = {"gateway_path": "api/2.0/endpoints/"}
    status, said = pages.ask(f"{proxy}?{urlencode(listing)}")
    assert (status, json.loads(said)) == (200, {"endpoints": []})
    assert pages.ask(f"{proxy}?{urlencode(listing)}", logged_in=False)[0] == 401
    sent = listing | {"gateway_path": "gateway/one/invocations"}
    for refused in (pages.ask(f"{proxy}?{urlencode(sent)}"), pages.ask(proxy, sent)):
        assert refused[0] == 403
        assert "gateway-proxy is disabled" in refused[1]


@pytest.mark.parametrize(
    "headers", [{"Host": "rebound.example"}, {"Origin": "http://127.0.0.1:4040"}]
)
def test_pages_of_others_are_not_answered(pages: Pages, headers: dict[str, str]) -> None:
    assert pages.ask("api/2.0/mlflow/experiments/search?max_results=9", **headers)[0] == 403


def test_secrets_are_in_private_files_alone(pages: Pages) -> None:
    import psutil

    password = pages.login[retry.PASSWORD]
    holds = [file for file in pages.layout.state.rglob("*") if file.is_file()]
    files = [file for file in holds if password.encode() in file.read_bytes()]
    assert {f.name for f in files} == {"secrets.json", "mlflow-password", "users.ini"}
    private = [*files, pages.layout.mlflow / "users.db"]
    assert {file.stat().st_mode & 0o777 for file in private} == {0o600}
    lines = [
        " ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])
    ]
    assert [line for line in lines if password in line] == []


def test_a_run_is_tracked_with_the_password(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in pages.login.items():
        monkeypatch.setenv(name, value)
    results = report_cases.small()
    results = replace(results, run=dict(results.run) | {"run_id": "through", "preset": "served"})
    report = pages.layout.state / "report"
    report.mkdir()
    (report / "report.html").write_text("another")
    run = tracking.log_run(tracked(results), report, pages.base)
    assert list((pages.layout.mlflow / "artifacts").rglob(f"{run}/artifacts/report.html"))
    assert pages.ask(f"get-artifact?path=report.html&run_id={run}") == (200, "another")


@pytest.mark.parametrize("password", [None, "wrong-password"])
def test_without_it_a_run_is_not_tracked_and_waits_for_nothing(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, password: str | None
) -> None:
    monkeypatch.setenv(retry.ENV, pages.base)
    if password:
        monkeypatch.setenv(retry.USER, "admin")
        monkeypatch.setenv(retry.PASSWORD, password)
    results, began = report_cases.small(), time.monotonic()
    with pytest.raises(StageError) as caught:
        retry.insist(lambda: tracking.log_run(tracked(results)), "mine")
    assert time.monotonic() - began < 20
    assert str(caught.value).startswith(f"MLflow at {pages.base} ")
    assert f"set {retry.USER} and {retry.PASSWORD}" in str(caught.value)
    assert os.environ[retry.ENV] == pages.base
