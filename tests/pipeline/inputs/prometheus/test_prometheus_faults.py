"""What an import does while Prometheus, or what is in its place, fails."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.inputs.prometheus import fake_prometheus
from tests.pipeline.inputs.prometheus.conftest import Imports
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus, Fault

pytestmark = [pytest.mark.unit, pytest.mark.slow]

GROUP = ("--group", "billing")
QUERIES = 3
"""Queries of an import with a group: end offsets, committed offsets, members."""

ATTEMPTS = 5
GOOD = b'{"status": "success", "data": {"resultType": "matrix", "result": []}}'
HERE = (("Location", "/elsewhere"),)


@pytest.fixture
def other() -> Iterator[FakePrometheus]:
    """A server at another address, which has no API."""
    with fake_prometheus.served(FakePrometheus([])) as served:
        served.prefix = "/none"
        yield served


@pytest.mark.parametrize(
    "fault",
    [
        Fault(503),
        Fault(500, b"", "text/plain"),
        Fault(429),
        Fault(body=GOOD, cut=True),
        Fault(body=GOOD[:-3]),
        Fault(body=GOOD, pause_s=0.02),
    ],
)
def test_what_passes_is_tried_again(
    fault: Fault, prometheus: FakePrometheus, imports: Imports, tmp_path: Path
) -> None:
    prometheus.faults = [fault, None, fault, fault]
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 0, done.output
    assert len(prometheus.ranges) == QUERIES + 3
    assert done.output.count("; retrying in 0.0 s") == 3
    assert [file.name for file in tmp_path.iterdir() if file.name[0] in ".t"] == ["t.csv"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(503), "answers with 503 Service Unavailable: too busy"),
        (Fault(body=GOOD, cut=True), "has sent an answer that is cut short"),
        (Fault(body=GOOD, pause_s=0.05), "has not ended an answer in 0.5 s"),
    ],
)
def test_what_stays_ends_the_import(
    fault: Fault, words: str, prometheus: FakePrometheus, imports: Imports, tmp_path: Path
) -> None:
    prometheus.faults = [None, *[fault] * ATTEMPTS]
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 1
    (line,) = [one for one in done.output.splitlines() if one.startswith("Error: ")]
    assert words in line
    assert f"; 1 of {QUERIES} pages are kept in {tmp_path}/t.csv.pages: the same command" in line
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (Fault(422), 1, "refuses the query: 422 Unprocessable Entity: too busy"),
        (Fault(400, b'{"error": "bad\\u001b[31m"}'), 1, "refuses the query: 400 Bad Request: bad"),
        (Fault(401, b"no", "text/plain"), 2, "refuses the login (401 Unauthorized: no)"),
        (Fault(403), 2, "set --prometheus-auth FILE"),
        (Fault(404, b"", "text/html"), 2, "no API of Prometheus is there"),
        (
            Fault(200, b"<html>", "text/html"),
            2,
            "is there (200 OK, text/html)",
        ),
        (Fault(302, b"", "text/html", HERE), 2, "no API of Prometheus is there (404 Not Found"),
        (Fault(body=b"[1]"), 1, "cut short"),
        (Fault(body=b'{"status": "success", "data": 5}'), 1, "has not answered with a matrix"),
        (Fault(body=b" " * 10**6 + GOOD), 1, "at most 1,000,000 bytes (got more); choose fewer"),
    ],
)
def test_what_is_wrong_is_not_tried_again(
    fault: Fault,
    status: int,
    words: str,
    prometheus: FakePrometheus,
    imports: Imports,
    tmp_path: Path,
) -> None:
    prometheus.faults = [fault] * ATTEMPTS
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == status, done.output
    (line,) = [one for one in done.output.splitlines() if one.startswith("Error: ")]
    assert words in line
    assert "\x1b" not in done.output
    assert ("cut short" in words) == (len(prometheus.faults) == 0)


def test_nobody_is_there(imports: Imports, prometheus: FakePrometheus, tmp_path: Path) -> None:
    prometheus.url = "http://127.0.0.1:1"
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 1
    assert "Error: Prometheus at http://127.0.0.1:1 refuses connections\n" in done.output


def login(folder: Path, text: str) -> Path:
    file = folder / "login"
    file.write_text(text)
    file.chmod(0o600)
    return file


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("reader:hunter2", "Basic " + base64.b64encode(b"reader:hunter2").decode()),
        ("hunter2", "Bearer hunter2"),
    ],
)
def test_a_login_goes_to_the_server_and_nowhere_else(
    text: str,
    header: str,
    prometheus: FakePrometheus,
    other: FakePrometheus,
    imports: Imports,
    tmp_path: Path,
) -> None:
    there = (("Location", f"{other.url.replace('127.0.0.1', 'localhost')}/x"),)
    prometheus.faults = [None, Fault(307, b"", headers=there), Fault(307, b"", headers=there)]
    done = imports(tmp_path / "t.csv", *GROUP, "--prometheus-auth", login(tmp_path, text))
    assert done.exit_code == 2
    assert {asked.headers.get("Authorization") for asked in prometheus.asked} == {header}
    (asked,) = other.asked
    assert "Authorization" not in asked.headers
    stored = [file for file in (tmp_path / "t.csv.pages").iterdir()]
    assert stored
    for told in (done.output, *(file.read_text() for file in stored)):
        assert "hunter2" not in told
        assert header.split()[1] not in told


def test_a_redirect_on_the_same_host_is_followed(
    prometheus: FakePrometheus, imports: Imports, tmp_path: Path
) -> None:
    prometheus.faults = [Fault(301, b"", headers=(("Location", "/elsewhere"),))]
    done = imports(tmp_path / "t.csv", *GROUP, "--prometheus-auth", login(tmp_path, "a:b"))
    assert "no API of Prometheus is there" in done.output
    last = prometheus.asked[-1]
    assert last.path == "/elsewhere"
    assert last.headers["Authorization"].startswith("Basic ")


def test_redirects_end(prometheus: FakePrometheus, imports: Imports, tmp_path: Path) -> None:
    prometheus.prefix = "/none"
    here = (("Location", f"{prometheus.url}/none/api/v1/query_range?x"),)
    loop = Fault(302, b"", headers=here)
    prometheus.prefix, prometheus.faults = "", [loop] * 9
    prometheus.faults = [Fault(302, b"", headers=(("Location", "/api/v1/query_range"),))] * 9
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 1
    assert "redirects more than 3 times" in done.output


def test_the_rest_is_fetched_by_the_same_command(
    prometheus: FakePrometheus, imports: Imports, tmp_path: Path
) -> None:
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    step = ("--step", "1s")
    assert imports(whole, *GROUP, *step).exit_code == 0
    pages = len(prometheus.ranges)
    assert pages == QUERIES * 2
    prometheus.faults = [None] * 4 + [Fault(503)] * ATTEMPTS
    assert imports(resumed, *GROUP, *step).exit_code == 1
    folder = tmp_path / "resumed.json.pages"
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert len(before) == 4
    asked = len(prometheus.ranges)
    done = imports(resumed, *GROUP, *step)
    assert done.exit_code == 0, done.output
    assert len(prometheus.ranges) - asked == pages - 4
    assert resumed.read_bytes() == whole.read_bytes()
    assert not folder.exists()


def test_a_damaged_page_is_fetched_again(
    prometheus: FakePrometheus, imports: Imports, tmp_path: Path
) -> None:
    prometheus.faults = [None, *[Fault(503)] * ATTEMPTS]
    assert imports(tmp_path / "t.csv", *GROUP).exit_code == 1
    (page,) = (tmp_path / "t.csv.pages").iterdir()
    page.write_text(page.read_text()[:100])
    assert imports(tmp_path / "t.csv", *GROUP).exit_code == 0
    assert len(prometheus.ranges) == 1 + ATTEMPTS + QUERIES
