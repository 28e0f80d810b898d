"""The loop's own process, over HTTP, without a Pulsar: killed in the middle, it goes on."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from algorithms.simulation.application_graph import check_application
from live.pulsar import loop_journal, loop_process, pulsar_login, scaled_application
from live.pulsar.function_settings import AT_LEAST_ONCE, UNINTERRUPTIBLE
from live.pulsar.real_application import Work, specs_of
from live.pulsar.scaling_loop import LoopTask, Resizing

pytestmark = [pytest.mark.unit, pytest.mark.slow]

APPLICATION = check_application({"a": {"mu": 10.0}}, [("images", "a")], {"images": [(1.2, 10.0)]})
SPECS = specs_of(APPLICATION, "", Work(1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0))
LOAD = """\
import json, sys, time
with open(sys.argv[1] + "/began.json", "w") as file:
    json.dump({"began_ns": time.monotonic_ns()}, file)
"""


class Administration(ThreadingHTTPServer):
    """Has one function, whose number of instances a request changes."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.instances, self.changes = 1, 0


class _Handler(BaseHTTPRequestHandler):
    server: Administration

    def do_GET(self) -> None:
        """The list of functions, or the function."""
        is_list = self.path.endswith("/default")
        self._say(["a"] if is_list else {"parallelism": self.server.instances})

    def do_PUT(self) -> None:
        """Change the number of instances, as the configuration in the first part says."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        config = json.loads(body.partition(b"\r\n\r\n")[2].partition(b"\r\n--")[0])
        self.server.instances = config["parallelism"]
        self.server.changes += 1
        self._say({})

    def _say(self, content: object) -> None:
        text = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Pulsar:
    """Runs for as long as the test."""

    def check(self) -> None:
        """It has not ended."""


@pytest.fixture
def administration() -> Iterator[Administration]:
    with Administration() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_killed_loop_is_replaced_and_asks_for_nothing_twice(
    administration: Administration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "short_load.py").write_text(LOAD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(scaled_application, "LOAD", "short_load")
    # Killed before its first request, and after the one for one instance.
    monkeypatch.setattr(scaled_application, "LOOP", "tests.live.pulsar.dying_loop")
    changes = (Resizing(0.3, "a", 2), Resizing(0.6, "a", 1), Resizing(0.9, "a", 3))
    task = LoopTask(APPLICATION, SPECS, Path("no.jar"), 5.0, 1.0, "fixed", {}, changes)
    url = f"http://127.0.0.1:{administration.server_port}/admin"
    pulsar_login.write(tmp_path)
    loop_process.write(tmp_path, task, url, pulsar_login.token_file(tmp_path))
    with scaled_application._Processes(Pulsar(), tmp_path) as both:  # type: ignore[arg-type]
        both.begin()
        both.wait(120.0)
    entries = loop_journal.read(tmp_path / loop_journal.FILE)
    kinds = [entry["kind"] for entry in entries]
    assert kinds.count("restarted") == loop_journal.recoveries(entries) == 2
    assert [e["after"] for e in entries if e["kind"] == "asked"] == [2, 2, 1, 3]
    assert [e["after"] for e in entries if e["kind"] == "resized"] == [2, 1, 3]
    assert (administration.instances, administration.changes) == (3, 3)
