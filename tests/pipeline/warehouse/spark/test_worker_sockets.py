"""Sockets of Python workers are in a folder of the process, which is removed with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pipeline.warehouse.spark import worker_sockets
from tools.layout import here

pytestmark = pytest.mark.unit

PROGRAM = """\
import socket
from pathlib import Path
from pipeline.warehouse.spark import worker_sockets
folder = worker_sockets.make()
left = socket.socket(socket.AF_UNIX)
left.bind(folder + "/.00000000-0000-0000-0000-000000000000.sock")
print(folder, oct(Path(folder).stat().st_mode & 0o777))
"""


def test_nothing_is_left_in_the_temporary_folder() -> None:
    with tempfile.TemporaryDirectory(prefix="s", dir="/tmp") as place:
        environment = {**os.environ, "TMPDIR": place}
        command = [sys.executable, "-c", PROGRAM]
        said = subprocess.check_output(command, env=environment, cwd=here().root, text=True)
        folder, mode = said.split()
        assert Path(folder).parent == Path(place)
        assert len(folder) <= worker_sockets.LONGEST
        assert mode == "0o700"
        assert list(Path(place).iterdir()) == []


def test_without_space_the_usual_folder_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_sockets, "parent", lambda: "/proc/none")
    assert worker_sockets.make() == "/proc/none"
