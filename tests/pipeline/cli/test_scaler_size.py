"""The scaler is small: what the process takes, with both servers, as it answers."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.pipeline.cli.test_scaler_command import BROKER, serving

pytestmark = [pytest.mark.unit, pytest.mark.slow]

MOST_MB = 120
READY_S = 2.0
"""Of processor time: how long it takes on a busy machine says nothing."""

NEEDLESS = ("llvmlite", "numba", "scipy", "pandas", "pyarrow", "pyspark")
PORTS = ("--listen", "--health-listen", "--grpc-listen")


def test_it_is_ready_soon_and_small(tmp_path: Path) -> None:
    words = [word for option in PORTS for word in (option, "127.0.0.1:0")]
    with serving(tmp_path, BROKER.replace("linear", "headroom"), *words) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        of_process = psutil.Process(process.pid)
        times = of_process.cpu_times()
        assert json.loads(process.stdout.readline())["what"] == "decision"
        metrics = urllib.request.urlopen(f"http://{line['health']}/metrics", timeout=20)
        assert metrics.status == 200
        memory_mb = of_process.memory_info().rss / 1e6
        mapped = " ".join(each.path for each in of_process.memory_maps())
    assert times.user + times.system < READY_S
    assert memory_mb < MOST_MB
    assert not [name for name in NEEDLESS if f"/{name}" in mapped]
