"""Servers that speak the API of Prometheus: Thanos, Mimir, VictoriaMetrics, Grafana Cloud."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.inputs import traces
from tests.pipeline.inputs.prometheus import known_group
from tests.pipeline.inputs.prometheus.conftest import Imports
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus, Fault

pytestmark = [pytest.mark.unit, pytest.mark.slow]

GROUP = ("--group", "billing")
ATTEMPTS = 5
ZIPPED = (("Content-Encoding", "gzip"),)
NOBODY = b"no org id\n"


def answer(*times: float, **more: object) -> bytes:
    values = [[time, str(int(time) % 10**6)] for time in times]
    series = {"metric": {"topic": "orders", "partition": "0"}, "values": values}
    data = {"resultType": "matrix", "result": [series]}
    return json.dumps({"status": "success", "data": data, **more}).encode()


def test_a_path_and_a_tenant_as_mimir_has_them(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.prefix = "/prometheus"
    prometheus.url += "/prometheus/"
    done = imports(tmp_path / "t.csv", *GROUP, "--tenant", "team-a|team-b")
    assert done.exit_code == 0, done.output
    assert {asked.headers["X-Scope-OrgID"] for asked in prometheus.asked} == {"team-a|team-b"}
    rates = traces.read(tmp_path / "t.csv").rates
    assert rates[0].tolist() == [float(rate) for rate in known_group.RATES]


def test_pages_of_another_tenant_do_not_count(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.faults = [None, *[Fault(503)] * ATTEMPTS]
    assert imports(tmp_path / "t.csv", *GROUP, "--tenant", "a").exit_code == 1
    before = len(prometheus.ranges)
    assert imports(tmp_path / "t.csv", *GROUP, "--tenant", "b").exit_code == 0
    assert len(prometheus.ranges) == before + 3


@pytest.mark.parametrize("tenant", ["", "a b", "a\nX: y", "ü", "a" * 151])
def test_no_tenant(tenant: str, imports: Imports, tmp_path: Path) -> None:
    done = imports(tmp_path / "t.csv", *GROUP, f"--tenant={tenant}")
    assert done.exit_code == 2
    assert done.output.startswith("Error: --tenant must be a name of up to 150 letters, digits")


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (Fault(401, NOBODY, "text/plain"), 2, "(401 Unauthorized: no org id); set --prom"),
        (Fault(422, b'{"error": "exceeds the limit"}'), 1, "422 Unprocessable Entity: exceeds the"),
        (Fault(400, b"sent HTTP to an HTTPS server", "text/plain"), 1, "400 Bad Request: sent"),
        (Fault(502, b"<html>Bad</html>", "text/html"), 1, "answers with 502 Bad Gateway; 0 of 3"),
        (Fault(429, b"slow\x1b down", "text/plain"), 1, "Requests: slow\ufffd down; 0 of"),
        (Fault(body=b"not gzip", headers=ZIPPED), 1, "cannot be decompressed; 0 of 3 pages"),
        (Fault(body=gzip.compress(answer())[:-20], headers=ZIPPED), 1, "is cut short; 0 of 3"),
        (Fault(body=gzip.compress(b" " * 10**7), headers=ZIPPED), 1, "at most 1,000,000 bytes"),
        (Fault(body=answer(known_group.BEGIN + 30)), 1, "samples that were not asked for"),
        (Fault(body=answer(known_group.BEGIN - 60)), 1, "samples that were not asked for"),
        (Fault(308, b"", headers=(("Location", "/login"),)), 2, "no API of Prometheus is there"),
    ],
)  # fmt: skip
def test_faults_end_with_a_message(
    fault: Fault, status: int, words: str, imports: Imports, prometheus: FakePrometheus,
    tmp_path: Path,
) -> None:  # fmt: skip
    prometheus.faults = [fault] * ATTEMPTS
    done = imports(tmp_path / "t.csv", *GROUP)
    (line,) = [one for one in done.output.splitlines() if one.startswith("Error: ")]
    assert (done.exit_code, words in line) == (status, True), line
    assert "Traceback" not in done.output
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize(("asked", "pause"), [("30", "0.2"), ("0", "0.0"), ("soon", "0.0")])
def test_a_server_says_when_to_come_again(
    asked: str, pause: str, imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.faults = [Fault(429, headers=(("Retry-After", asked),))]
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 0, done.output
    assert f"too busy; retrying in {pause} s" in done.output


@pytest.mark.parametrize("said", [{"isPartial": True}, {"warnings": ["store a is unavailable"]}])
def test_a_partial_answer_is_told_by_the_file(
    said: dict[str, Any], imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    prometheus.said = said
    done = imports(tmp_path / "t.csv", *GROUP)
    assert done.exit_code == 0, done.output
    (note,) = traces.read(tmp_path / "t.csv").warnings
    assert note.startswith("The answer is partial: some stores did not answer")
    assert note.split(":")[0] in done.output


def test_a_compressed_answer(imports: Imports, prometheus: FakePrometheus, tmp_path: Path) -> None:
    times = range(known_group.BEGIN, known_group.BEGIN + 7_201, 60)
    prometheus.faults = [Fault(body=gzip.compress(answer(*times)), headers=ZIPPED)]
    done = imports(tmp_path / "t.csv", "--topic", "orders", "--values", "offsets")
    assert done.exit_code == 0, done.output
    assert traces.read(tmp_path / "t.csv").rates.ravel().tolist() == [1.0] * 120


def test_an_answer_that_makes_no_trace_names_prometheus(
    imports: Imports, prometheus: FakePrometheus, tmp_path: Path
) -> None:
    """Not the file that it was in, which is gone."""
    prometheus.faults = [Fault(body=answer(known_group.BEGIN))]
    done = imports(tmp_path / "t.csv", "--topic", "orders", "--values", "offsets")
    assert done.exit_code == 2
    assert done.output.startswith(f"Error: prometheus:{prometheus.url}: offsets at two or more")
