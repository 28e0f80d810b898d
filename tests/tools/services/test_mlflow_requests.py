"""Requests that would make MLflow's server fail are answered with what is wrong."""

import base64
import json

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from tools.services import mlflow_requests

pytestmark = pytest.mark.unit

SEARCH = "/api/2.0/mlflow/runs/search"


def made(path=SEARCH, **options):
    return Request(EnvironBuilder(path, **options).get_environ())


def basic(text):
    return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}


def token(content):
    return base64.b64encode(json.dumps(content).encode()).decode()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, True),
        (basic("admin:secret"), True),
        (basic("admin:"), True),
        (basic("admin:a:b"), True),
        ({"Authorization": "Bearer abc"}, False),
        ({"Authorization": "Digest username=admin"}, False),
        (basic("admin\0:secret"), False),
        (basic("admin:sec\0ret"), False),
    ],
)
def test_a_login_is_a_name_and_a_password(headers, expected):
    assert mlflow_requests.has_login(made(headers=headers)) is expected


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a\0b"},
        {"tags": [{"key": "k", "value": "\0"}]},
        {"deep": {"\0": 1}},
        {"page_token": "ä"},
        {"page_token": token([1])},
        {"page_token": token({"offset": -1})},
        {"page_token": token({"offset": 2**63})},
        {"page_token": token({"offset": [1]})},
    ],
)
def test_what_would_be_an_internal_error(body):
    assert mlflow_requests.problem(made(method="POST", json=body)) is not None


@pytest.mark.parametrize("query", [{"run_id": "a\0"}, {"page_token": token("x")}])
def test_the_same_in_an_address(query):
    assert mlflow_requests.problem(made(query_string=query)) is not None
    assert mlflow_requests.problem(made("/api/2.0/mlflow/\0")) is not None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "ä 1"},
        {"name": "the text \\u0000 is not the character"},
        {"page_token": ""},
        {"page_token": token({"offset": 100})},
        {"page_token": "not Base64: MLflow says so"},
        {"name": "page_token"},
        [],
    ],
)
def test_what_mlflow_answers_itself_passes(body):
    assert mlflow_requests.problem(made(method="POST", json=body)) is None


def test_other_bodies_are_not_read():
    for kind in ("application/octet-stream", "application/json"):
        request = made(method="POST", data=b'{"page_token": \\u0000', content_type=kind)
        assert mlflow_requests.problem(request) is None
