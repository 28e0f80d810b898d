"""The commands of the manifests, as processes on a broker in place of pods."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.kubernetes.group_manifests import GroupOnKubernetes, manifests
from live.live_settings import LiveSettings
from tests.live.kafka_probe import run_settings
from tools.layout import here

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

pytestmark = pytest.mark.live

PODS, PARTITIONS, RECORDS = 3, 6, 30
WAIT_S = 90.0

PROGRAM = """
import sys
from pathlib import Path
from live.consumer.consumer_process import serve
from live.live_settings import load

place = Path(load(Path(sys.argv[1])).folder) / f"rows-{sys.argv[2]}-{sys.argv[3]}.txt"

def process(records):
    with place.open("a") as file:
        for record in records:
            file.write(f"{record.partition}/{record.offset}\\n")

if __name__ == "__main__":
    serve(process)
"""


class Pods:
    """Starts the containers of a group as processes, each with its pod's folder."""

    def __init__(self, group: GroupOnKubernetes, folder: Path) -> None:
        self.folder = folder
        self._objects = {document["kind"]: document for document in manifests(group)}
        (folder / "written_rows.py").write_text(PROGRAM)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, kind: str, pod: str) -> None:
        (container,) = self._objects[kind]["spec"]["template"]["spec"]["containers"]
        work = self.folder / pod
        work.mkdir(exist_ok=True)
        file = work / "mounted.json"
        content = json.loads(self._objects["ConfigMap"]["data"]["settings.json"])
        file.write_text(json.dumps(content | {"folder": str(work)}))
        words = [
            sys.executable if word == "python" else word.replace("$(POD)", pod)
            for word in container["command"]
        ]
        words = [str(file) if word.endswith("/settings.json") else word for word in words]
        path = os.pathsep.join((str(here().root), str(self.folder)))
        with (work / "output.txt").open("ab") as output:
            self._running[pod] = subprocess.Popen(
                words, env={**os.environ, "PYTHONPATH": path}, stdout=output, stderr=output
            )

    def end(self, pod: str, number: signal.Signals) -> int:
        process = self._running.pop(pod)
        if number == signal.SIGKILL:
            # A container ends with all of its processes.
            for child in children(process.pid):
                os.kill(child, signal.SIGKILL)
        process.send_signal(number)
        return process.wait(WAIT_S)

    def end_all(self) -> None:
        for pod in list(self._running):
            self.end(pod, signal.SIGKILL)

    def rows(self) -> set[str]:
        """Partition and offset of all records that were processed."""
        files = self.folder.glob("*/rows-*.txt")
        return {line for file in files for line in file.read_text().splitlines()}

    def said(self) -> str:
        files = sorted(self.folder.glob("*/output.txt")) + sorted(self.folder.glob("*/logs/*"))
        return "\n".join(f"{file}: {file.read_text()[-1500:]}" for file in files)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_S
        while not holds():
            assert time.monotonic() < until, self.said()
            time.sleep(0.2)


def children(pid: int) -> list[int]:
    import psutil  # type: ignore[import-untyped]

    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


@contextmanager
def group(settings: LiveSettings, folder: Path) -> Iterator[Pods]:
    from live.kafka import topics

    pods = Pods(GroupOnKubernetes(settings, "MWF", PODS, "image", "written_rows"), folder)
    try:
        for number in range(PODS):
            pods.start("StatefulSet", f"test-consumers-{number}")
        pods.start("Deployment", "test-controller-x")
        pods.wait_until(lambda: bool(topics.of_run(settings.bootstrap, settings.run)))
        yield pods
    finally:
        pods.end_all()
        topics.delete(settings.bootstrap, settings.run)


def produce(settings: LiveSettings, first: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": settings.bootstrap, "log_level": 0})
    for n in range(first, first + RECORDS):
        for p in range(PARTITIONS):
            producer.produce(settings.topic("data"), f"{p}/{n}".encode() * 100, partition=p)
    assert producer.flush(30) == 0


def expected(until: int) -> set[str]:
    return {f"{p}/{n}" for p in range(PARTITIONS) for n in range(until)}


def test_pods_process_everything_whichever_of_them_ends(broker: Cluster, tmp_path: Path) -> None:
    settings = replace(
        run_settings(broker.bootstrap, tmp_path, PARTITIONS), lease_s=3.0, record_bytes=0
    )
    with group(settings, tmp_path) as pods:
        produce(settings, 0)
        pods.wait_until(lambda: pods.rows() == expected(RECORDS))
        # The controller's pod is replaced; consumers go on.
        assert pods.end("test-controller-x", signal.SIGTERM) == 0
        produce(settings, RECORDS)
        pods.wait_until(lambda: pods.rows() == expected(2 * RECORDS))
        pods.start("Deployment", "test-controller-y")
        # Every strategy uses consumer 0: its partitions go on in its new incarnation, or elsewhere.
        pods.end("test-consumers-0", signal.SIGKILL)
        produce(settings, 2 * RECORDS)
        pods.start("StatefulSet", "test-consumers-0")
        pods.wait_until(lambda: pods.rows() == expected(3 * RECORDS))
        for number in range(PODS):
            assert pods.end(f"test-consumers-{number}", signal.SIGTERM) == 0
