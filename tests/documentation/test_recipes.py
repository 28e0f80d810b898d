"""Recipes for other programs work as they are pasted: curl, Kafka's tools, configuration files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pipeline.settings.load import resolve
from tests import guides
from tests.documentation.test_python_examples import is_python
from tests.pipeline.cli.command import call
from tools.layout import here

pytestmark = pytest.mark.unit

TOKEN = "token-of-admin"
DAYS = 172_800
LISTED = {
    ("README.md", "Deploy keda_hpa"): "an answer, as `make demo` prints it",
    ("docs/analyst.md", "INSTALL delta"): "test_python_examples.py",
    ("docs/applications.md", "family: applications"): "test_configurations_are_valid",
    ("docs/architecture.md", "dags/ "): "test_the_tree_names_every_room",
    ("docs/architecture.md", "export MLFLOW_TRACKING_URI"): "needs a browser, and takes pictures",
    ("docs/cluster.md", "export GROUPSCALE_SPARK_MASTER"): "test_exports.py",
    ("docs/configuration.md", "preset: paper"): "test_shell_examples.py",
    ("docs/configuration.md", "family: autoscaling"): "test_configurations_are_valid",
    ("docs/frontier.md", "migrated bytes"): "a formula",
    ("docs/live-consumer.md", "    kubectl create secret"): "needs a cluster",
    ("docs/mlflow.md", "params.experiment"): "tests/pipeline/reporting/tracking/test_client.py",
    ("docs/nightly.md", "airflow pools set"): "tests/dags/test_pool.py",
    ("docs/nightly.md", "export AIRFLOW__DAG"): "test_bundles_are_a_list",
    ("docs/operations.md", "export MLFLOW"): "tests/services/test_services.py",
    ("docs/operations.md", "token="): "test_nightly_is_unpaused_over_rest",
    ("docs/operations.md", "docker/new-env.sh"): "needs Docker",
    ("docs/operations.md", "docker buildx"): "needs Docker",
    ("docs/own-algorithm.md", "export GROUPSCALE_ALGORITHM"): "test_exports.py",
    ("docs/own-cluster.md", "bootstrap: localhost"): "test_the_page_has_a_file_that_is_read",
    ("docs/own-cluster.md", "security.protocol"): "test_client_properties.py",
    ("docs/traces.md", "curl"): "test_queries_give_traces",
    ("docs/traces.md", "while sleep"): "test_snapshots_give_a_trace",
    ("docs/traces.md", "for f in"): "test_snapshots_in_files_give_a_trace",
    ("docs/traces.md", "sum(rate(kafka_server"): "needs Prometheus",
    ("docs/traces.md", "sum(max by"): "needs Prometheus",
}
"""Other blocks of code, by page and beginning: the tests that run them, or why none does."""

ON_A_CLUSTER = {"docs/deploy.md": "test_deploy_page.py"}
"""Pages whose other blocks need a cluster, and what checks their names."""


def bash(code: str, folder: Path, port: int = 1) -> str:
    """What the code prints; its servers are the one at this port."""
    prelude = (
        f'set -euo pipefail\ncurl() {{ command curl --connect-to "::127.0.0.1:{port}" "$@"; }}\n'
    )
    done = subprocess.run(
        ["bash", "-c", prelude + code], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """Answers like Prometheus, and like Airflow's API; keeps what changes it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self, content: Any) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            assert url.path == "/api/v1/query_range"
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            self.answer(matrix(asked["query"], *(int(asked[n]) for n in ("start", "end", "step"))))

        def do_POST(self) -> None:
            assert self.path == "/auth/token"
            assert self.body() == {"username": "admin", "password": "secret"}
            self.answer({"access_token": TOKEN})

        def do_PATCH(self) -> None:
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            self.answer({"path": self.path, "body": self.body()})

        def body(self) -> Any:
            return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield running
        running.shutdown()


def matrix(query: str, start: int, end: int, step: int) -> dict[str, Any]:
    """Prometheus' answer for two partitions; labels are those that the query keeps."""
    assert DAYS <= end - start <= DAYS + 60  # two calls of `date`
    labels = re.search(r"by \((\w+), (\w+)\)", query)
    assert labels is not None
    topic, partition = labels.groups()

    def value(number: int, time: int) -> str:
        rate = 100.5 * (number + 1)
        return str(rate if "rate(" in query else int(rate * (time - start)) + 1_000_000)

    times = range(start, start + 20 * step, step)
    series = [
        {
            "metric": {topic: "orders", partition: str(number)},
            "values": [[time, value(number, time)] for time in times],
        }
        for number in range(2)
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": series}}


CURL = guides.block("docs/traces.md", "curl")
QUERIES = re.findall(
    r"^\| [^|]+ \| `(max by [^`]+)` \|", (here().root / "docs/traces.md").read_text(), re.MULTILINE
)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("query", QUERIES)
def test_queries_give_traces(query: str, server: ThreadingHTTPServer, tmp_path: Path) -> None:
    recipe = re.sub(r"query=[^']+", lambda _: f"query={query}", CURL)
    bash(recipe, tmp_path, server.server_port)
    result = call("import", tmp_path / "dump.json", "-o", tmp_path / "trace.csv")
    assert result.exit_code == 0, result.output
    rows = (tmp_path / "trace.csv").read_text().splitlines()[1:]
    rates = {float(row.rsplit(",", 1)[1]) for row in rows}
    assert sorted(rates) == pytest.approx([100.5, 201.0], abs=0.02), result.output
    assert all("orders" in row for row in rows)


def test_queries_are_seen() -> None:
    assert len(QUERIES) >= 6
    assert QUERIES[0] in CURL


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_nightly_is_unpaused_over_rest(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    passwords = tmp_path / ".state" / "services" / "airflow-passwords.json"
    passwords.parent.mkdir(parents=True)
    passwords.write_text('{"admin": "secret"}')
    answer = bash(guides.block("docs/operations.md", "token="), tmp_path, server.server_port)
    assert json.loads(answer) == {"path": "/api/v2/dags/nightly", "body": {"is_paused": False}}


def test_snapshots_give_a_trace(tmp_path: Path) -> None:
    tools = r"""
    n=0
    sleep() { n=$((n + 1)); ((n < 5)); }
    date() { command date -u -d "@$((1714521600 + 60 * n))" +%FT%TZ; }
    kafka-get-offsets.sh() { printf 'orders:%s\n' 0:$((6000 * n)) 1:$((12000 * n)); }
    """
    bash(tools + guides.block("docs/traces.md", "while sleep"), tmp_path)
    assert imported(tmp_path) == [100.0, 200.0]


def test_snapshots_in_files_give_a_trace(tmp_path: Path) -> None:
    for minute in range(4):
        file = tmp_path / f"offsets-{minute}.txt"
        file.write_text(f"orders:0:{6000 * minute}\norders:1:{12000 * minute}\n")
        os.utime(file, (1714521600 + 60 * minute,) * 2)
    bash(guides.block("docs/traces.md", "for f in"), tmp_path)
    assert imported(tmp_path) == [100.0, 200.0]


def imported(folder: Path) -> list[float]:
    """The rates that `import` reads from snapshots of offsets."""
    result = call("import", folder / "offsets.txt", "-o", folder / "trace.csv")
    assert result.exit_code == 0, result.output
    rows = (folder / "trace.csv").read_text().splitlines()[1:]
    return sorted({float(row.rsplit(",", 1)[1]) for row in rows})


def test_configurations_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(guides.block("docs/configuration.md", "family: autoscaling"))
    config = resolve(None, file, [], [])
    assert [experiment.name for experiment in config.autoscaling] == ["rush-hour"]
    file.write_text(guides.block("docs/applications.md", "family: applications"))
    assert [one.name for one in resolve(None, file, [], []).applications] == ["mine"]


def test_bundles_are_a_list(tmp_path: Path) -> None:
    code = guides.block("docs/nightly.md", "export AIRFLOW__DAG")
    value = bash(f'{code}\nprintf %s "$AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST"', tmp_path)
    assert [bundle["name"] for bundle in json.loads(value)] == ["dags-folder", "ours"]


def test_each_block_is_run_or_listed() -> None:
    """Of blocks with our commands, the other lines."""
    others = {
        (e.page, code)
        for e in guides.examples()
        if not is_python(e) and e.language != "mermaid" and e.page not in ON_A_CLUSTER
        for code in [guides.other_lines(e)]
        if code
    }
    listed = {
        (page, code)
        for page, code in others
        if any(page == name and code.startswith(start) for name, start in LISTED)
    }
    assert others - listed == set()
    assert len(listed) == len(LISTED)
