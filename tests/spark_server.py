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

from pipeline.engine import connect_server
from pipeline.spark import remote_session

PATIENCE = 600.0
TOKEN = "only-for-this-test"


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """Variables of a client of a server that runs, with its state in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        remote_session.TOKEN: TOKEN,
        connect_server.PORT: str(port),
        "GROUPSCALE_STATE": str(folder),
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
        until = time.monotonic() + PATIENCE
        while not _answers(port):
            assert server.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.2)
        yield {remote_session.REMOTE: f"sc://127.0.0.1:{port}", remote_session.TOKEN: TOKEN}
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0
