"""A real Prometheus that scrapes an exporter of a made-up group, whose numbers are known."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.faults.faulty_servers import free_port

RATES = (300, 120)
"""Events/s that are written to the partitions."""

MU, MEMBERS = 350.0, 2
"""Events/s that a member can read; the group has more lag than it can read in a test."""

LAG_S = 600
"""Lag of the group at the begin, s of what is written."""

SHARES = tuple(rate / sum(RATES) for rate in RATES)


def find() -> str | None:
    """Path of the program, None where there is none; ``GROUPSCALE_PROMETHEUS`` names another."""
    return os.environ.get("GROUPSCALE_PROMETHEUS") or shutil.which("prometheus")


def exposed(age_s: float) -> str:
    """What kafka_exporter tells of the group, some seconds after its begin."""
    lines = [f'kafka_consumergroup_members{{consumergroup="billing"}} {MEMBERS}']
    for number, (rate, share) in enumerate(zip(RATES, SHARES, strict=True)):
        labels = f'topic="orders",partition="{number}"'
        end = int(rate * (LAG_S + age_s))
        read = int(MEMBERS * MU * share * age_s)
        of_group = f'{{consumergroup="billing",{labels}}}'
        lines += [
            f"kafka_topic_partition_current_offset{{{labels}}} {end}",
            f"kafka_consumergroup_current_offset{of_group} {read}",
            f"kafka_consumergroup_lag{of_group} {end - read}",
        ]
    return "\n".join(lines) + "\n"


@contextmanager
def exporter() -> Iterator[int]:
    """Port of a server that tells of the group as it is now."""
    begin = time.time()
    with serving(lambda: exposed(time.time() - begin)) as port:
        yield port


Page = Callable[[], str | None]


@contextmanager
def serving(page: Page) -> Iterator[int]:
    """Port of a server with a page of metrics; None is an error."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = page()
            self.send_response(500 if text is None else 200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def prometheus(program: str, folder: Path, *ports: int) -> Iterator[str]:
    """Address of a Prometheus that scrapes ports each second."""
    config = folder / "prometheus.yml"
    targets = [f"127.0.0.1:{port}" for port in ports]
    scraped = {"job_name": "kafka", "static_configs": [{"targets": targets}]}
    every = {"scrape_interval": "1s", "scrape_timeout": "1s"}
    config.write_text(json.dumps({"global": every, "scrape_configs": [scraped]}))
    port = free_port()
    options = [f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]
    options.append(f"--web.listen-address=127.0.0.1:{port}")
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen([program, *options], stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(f"{url}/-/ready", process, folder / "prometheus.log")
        yield url
    finally:
        process.terminate()
        process.wait(30)


def wait_for_a_sample(url: str, metric: str = "kafka_consumergroup_members") -> None:
    """Wait until a metric has been scraped once."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        if answer(f"{url}/api/v1/query?query={metric}"):
            return
        time.sleep(0.2)
    raise AssertionError("nothing was scraped within 60 s")


def answer(address: str) -> list[Any]:
    """Result of a query."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address) as page:
        result: list[Any] = json.load(page)["data"]["result"]
    return result


def _wait(page: str, process: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    ends = time.monotonic() + 60
    while True:
        try:
            opener.open(page, timeout=2).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > ends:
                raise AssertionError(log.read_text()[-2000:]) from None
            time.sleep(0.2)
