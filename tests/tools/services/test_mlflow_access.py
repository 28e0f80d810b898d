"""Requests that MLflow's server refuses; `tests/services/test_mlflow.py` tests a real one."""

from types import SimpleNamespace

import pytest

from pipeline.base.process import tried_versions
from tools.services import mlflow_access, mlflow_internals

pytestmark = pytest.mark.unit

CREATE = "/api/2.0/mlflow/experiments/create"


@pytest.fixture
def refusal(monkeypatch):
    """Function that returns why a request is refused."""

    def ask(path, origin="", location="", method="GET", **args):
        monkeypatch.setattr(mlflow_internals, "artifact_location", lambda: location)
        headers = {"Origin": origin} if origin else {}
        request = SimpleNamespace(
            path=path, headers=headers, host="127.0.0.1:5000", method=method, args=args
        )
        return mlflow_access._refusal(request)

    return ask


@pytest.mark.parametrize("path", [CREATE, "/ajax-api/2.0/mlflow/experiments/create"])
@pytest.mark.parametrize("location", ["", "mlflow-artifacts:/mine", "mlflow-artifacts:"])
def test_an_experiment_may_leave_its_artifacts_to_the_server(refusal, path, location):
    assert refusal(path, location=location) is None


@pytest.mark.parametrize(
    "location",
    [
        "/home/owner",
        "file:///home/owner",
        "s3://bucket/mine",
        "runs:/1/x",
        "mlflow-artifacts:/../../home/owner",
        "mlflow-artifacts:/%2e%2e/%252e%252e/home",
        "MLFLOW-ARTIFACTS:/mine",
    ],
)
def test_it_has_them_nowhere_else(refusal, location):
    said = refusal(CREATE, location=location)
    assert said.startswith("artifact_location must begin with mlflow-artifacts:")
    assert repr(location) in said


def test_with_another_mlflow_nobody_creates_an_experiment(refusal, monkeypatch):
    """What MLflow would read in the request is not known."""
    monkeypatch.setattr(tried_versions, "version", lambda package: "99.0")
    tried_versions.is_tried.cache_clear()
    try:
        said = refusal(CREATE)
    finally:
        tried_versions.is_tried.cache_clear()
    assert said.startswith("artifact_location cannot be checked with mlflow 99.0")


@pytest.mark.parametrize(
    "path",
    [
        "/ajax-api/3.0/mlflow/assistant/message",
        "/gateway/mlflow/v1/models",
        "/api/3.0/mlflow/gateway/secrets/create",
        "/ajax-api/2.0/mlflow/gateway-proxy",
        "/api/2.0/mlflow/webhooks",
        "/ajax-api/3.0/jobs/",
        "/ajax-api/3.0/mlflow/scorer/invoke",
        "/ajax-api/2.0/mlflow/runs/create-promptlab-run",
    ],
)
def test_it_runs_nothing_and_asks_nobody(refusal, path):
    assert str(refusal(path)).startswith(f"{path} is disabled")


PROXY = "/ajax-api/2.0/mlflow/gateway-proxy"


def test_it_lists_models_for_its_own_pages(refusal):
    assert refusal(PROXY, gateway_path="api/2.0/endpoints/") is None
    other = refusal(PROXY, "http://127.0.0.1:4040", gateway_path="api/2.0/endpoints/")
    assert "page of another program" in other


@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("POST", PROXY, "api/2.0/endpoints/"),
        ("GET", PROXY, "api/2.0/endpoints/one"),
        ("GET", PROXY, "gateway/one/invocations"),
        ("GET", f"{PROXY}/", "api/2.0/endpoints/"),
    ],
)
def test_it_passes_nothing_on_to_models(refusal, method, path, asked):
    assert "is disabled" in refusal(path, method=method, gateway_path=asked)


@pytest.mark.parametrize(
    "path",
    [
        "/api/2.0/mlflow/runs/create",
        "/get-artifact",
        "/api/2.0/mlflow-artifacts/artifacts/1/gateway/x",
        "/ajax-api/3.0/mlflow/server-info",
    ],
)
def test_it_keeps_runs(refusal, path):
    assert refusal(path) is None


@pytest.mark.parametrize(
    ("origin", "refused"),
    [
        ("", False),
        ("http://127.0.0.1:5000", False),
        ("http://127.0.0.1:4040", True),
        ("http://localhost:5000", True),
        ("http://[::1]:80", True),
        # MLflow itself handles other hosts that the operator allows.
        ("https://mlflow.example", False),
    ],
)
def test_pages_of_other_programs_of_this_machine_are_not_answered(refusal, origin, refused):
    assert (refusal("/graphql", origin=origin) is not None) is refused
