"""Airflow's web server refuses other sites, and lets programs, browsers and proxies through."""

from __future__ import annotations

import asyncio
import importlib

import pytest

from pipeline.base.errors import InputError
from pipeline.orchestration import web_origins

pytestmark = pytest.mark.airflow


async def served(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def status(app, method, **headers):
    """What an application answers to a request, asked as a server would."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    named = [(n.replace("_", "-").encode(), v.encode()) for n, v in headers.items()]
    scope = {"type": "http", "method": method, "path": "/", "headers": named}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"]


HOST = "127.0.0.1:8080"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (HOST, 200),
        ("localhost:9999", 200),
        ("bench.example.com", 200),
        ("airflow-api-server:8080", 200),
        ("pages.example.com", 200),
        ("evil.example:8080", 400),
        ("127.0.0.1.evil.example:8080", 400),
        ("www.bench.example.com", 400),
        ("", 400),
    ],
)
def test_the_server_goes_by_its_own_names_alone(monkeypatch, method, host, expected):
    from airflow.configuration import conf

    monkeypatch.setenv(web_origins.ALLOWED_HOSTS, "bench.example.com")
    addresses = {"base_url": "https://pages.example.com/a"}
    addresses["execution_api_server_url"] = "http://airflow-api-server:8080/execution/"
    monkeypatch.setattr(conf, "get", lambda section, key, fallback: addresses[key])
    assert status(web_origins.of_own_hosts(served), method, host=host) == expected


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("POST", {}, 200),  # a program
        ("POST", {"sec_fetch_site": "same-origin", "origin": f"http://{HOST}"}, 200),
        # Behind a proxy with TLS that asks by another name.
        ("POST", {"sec_fetch_site": "same-origin", "origin": "https://bench.example.com"}, 200),
        ("POST", {"origin": f"http://{HOST}"}, 200),
        ("POST", {"sec_fetch_site": "cross-site", "origin": "http://evil.example"}, 403),
        ("POST", {"sec_fetch_site": "same-site", "origin": "http://127.0.0.1:5000"}, 403),
        ("PATCH", {"origin": "http://127.0.0.1:5000"}, 403),
        ("DELETE", {"origin": "null"}, 403),
        # Browsers do not let the other page read the answer.
        ("GET", {"sec_fetch_site": "cross-site", "origin": "http://evil.example"}, 200),
    ],
)
def test_changes_come_from_its_own_pages_or_from_programs(method, headers, expected):
    assert status(web_origins.SameOrigin(served), method, host=HOST, **headers) == expected


def test_other_names_may_be_given():
    assert web_origins.allowed_hosts("") == ()
    assert web_origins.allowed_hosts("a.example, 10.0.0.7,") == ("a.example", "10.0.0.7")


@pytest.mark.parametrize("text", ["*", "*.example", "https://a.example", "a.example:443", "a b"])
def test_what_is_no_host_is_said(text):
    with pytest.raises(InputError, match=r"`GROUPSCALE_ALLOWED_HOSTS` .*without scheme"):
        web_origins.allowed_hosts(text)


def test_airflow_finds_both_checks():
    plugin = importlib.import_module("tools.airflow_plugins.groupscale_pages").GroupscalePages
    middlewares = [entry["middleware"] for entry in plugin.fastapi_root_middlewares]
    assert middlewares == [web_origins.of_own_hosts, web_origins.SameOrigin]
