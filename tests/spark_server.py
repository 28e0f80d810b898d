"""A Spark Connect server as `make up` starts it, for tests of its clients."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from live.kafka.reserved_ports import HOST, reserved
from pipeline.engine import connect_server
from pipeline.warehouse.spark import remote_session

PATIENCE = 600.0
TOKEN = "only-for-this-test"


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """Variables of a client of a server that runs, with its state in a folder."""
    with reserved(1) as (port,), _started(folder, port) as server:
        until = time.monotonic() + PATIENCE
        while not _answers(port):
            assert server.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.2)
        yield {remote_session.REMOTE: f"sc://{HOST}:{port}", remote_session.TOKEN: TOKEN}


@contextmanager
def _started(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    env = {
        remote_session.TOKEN: TOKEN,
        connect_server.PORT: str(port),
        "GROUPSCALE_STATE": str(folder),
        # As in brief runs: the optimising compiler does not pay off in tests.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
    }
    with (folder / "server.log").open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", connect_server.__name__],
            env=os.environ | env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield server
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex((HOST, port)) == 0
