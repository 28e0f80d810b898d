"""The programs of ``docs/live-consumer.md``, as the page has them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.base.process import own_environment
from tools.layout import here

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

CONSUMER, GROUP = "order_totals.py", "run_orders.py"
TOPIC = "gs.orders.data"
PARTITIONS, RECORDS = 6, 40
WAIT_S = 90.0


def programs() -> list[str]:
    page = (here().root / "docs" / "live-consumer.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


@pytest.mark.unit
def test_the_page_has_two_programs_that_compile() -> None:
    consumer, group = programs()
    for code in (consumer, group):
        compile(code, "page", "exec")
    assert "order_totals" in group


class Orders:
    """The folder that the two programs write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, code in zip((CONSUMER, GROUP), programs(), strict=True):
            (folder / name).write_text(code, encoding="utf-8")

    def read(self) -> Counter[tuple[int, int]]:
        """How often each record was processed."""
        rows: Counter[tuple[int, int]] = Counter()
        for file in (self.folder / "orders").glob("orders-*.csv"):
            for line in file.read_text().splitlines():
                partition, offset, value = line.split(",")
                assert value == f"order {partition}/{offset}"
                rows[int(partition), int(offset)] += 1
        return rows

    def logs(self) -> str:
        files = sorted((self.folder / "orders" / "logs").glob("*"))
        return "\n".join(f"{file.name}: {file.read_text()}" for file in files)

    @contextmanager
    def running(self, bootstrap: str) -> Iterator[subprocess.Popen[bytes]]:
        environment = {**os.environ, "PYTHONPATH": str(here().root)}
        # A user's shell does not have it: the program finds modules beside it.
        environment.pop(own_environment.SAFE_PATH, None)
        with (self.folder / "output.txt").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, GROUP, bootstrap],
                cwd=self.folder,
                env=environment,
                stdout=output,
                stderr=output,
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def wait_until(self, process: subprocess.Popen[bytes], holds: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_S
        while not holds():
            said = (self.folder / "output.txt").read_text()
            assert process.poll() is None, (said, self.logs())
            assert time.monotonic() < until, (said, self.logs())
            time.sleep(0.2)


def produce(bootstrap: str, first: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for n in range(first, first + RECORDS):
        for p in range(PARTITIONS):
            producer.produce(TOPIC, f"order {p}/{n}".encode(), partition=p)
    assert producer.flush(30) == 0


def consumer_pids(folder: Path) -> list[int]:
    """Processes of consumers, the latest first."""
    from live.records.journal import entries

    files = sorted(folder.glob("orders/journal/c*.jsonl"), key=lambda file: file.stat().st_mtime)
    return [entry["pid"] for file in files[::-1] for entry in entries(file) if "pid" in entry]


@pytest.mark.live
def test_the_programs_work(broker: Cluster, tmp_path: Path) -> None:
    from live.kafka import topics

    orders = Orders(tmp_path)
    try:
        with orders.running(broker.bootstrap) as process:
            orders.wait_until(process, lambda: bool(topics.of_run(broker.bootstrap, "orders")))
            produce(broker.bootstrap, 0)
            orders.wait_until(process, lambda: len(orders.read()) == PARTITIONS * RECORDS)
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT_S) == 0, orders.logs()
        assert set(orders.read().values()) == {1}
        produce(broker.bootstrap, RECORDS)
        with orders.running(broker.bootstrap) as process:
            orders.wait_until(process, lambda: len(orders.read()) == 2 * PARTITIONS * RECORDS)
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT_S) == 0, orders.logs()
        # The second group goes on where the first one has ended.
        assert set(orders.read().values()) == {1}
    finally:
        topics.delete(broker.bootstrap, "orders")


@pytest.mark.live
def test_a_consumer_that_dies_is_replaced(broker: Cluster, tmp_path: Path) -> None:
    from live.kafka import topics

    orders = Orders(tmp_path)
    try:
        with orders.running(broker.bootstrap) as process:
            orders.wait_until(process, lambda: bool(topics.of_run(broker.bootstrap, "orders")))
            produce(broker.bootstrap, 0)
            orders.wait_until(process, lambda: len(orders.read()) == PARTITIONS * RECORDS)
            os.kill(consumer_pids(tmp_path)[0], signal.SIGKILL)
            produce(broker.bootstrap, RECORDS)
            orders.wait_until(process, lambda: len(orders.read()) == 2 * PARTITIONS * RECORDS)
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT_S) == 0, orders.logs()
    finally:
        topics.delete(broker.bootstrap, "orders")


@pytest.mark.unit
def test_groups_that_kafka_manages_run_no_program(tmp_path: Path) -> None:
    from live.user_cluster.program_group import ProgramGroup
    from pipeline.base.errors import InputError
    from tests.live.kafka_probe import run_settings

    settings = run_settings("127.0.0.1:1", tmp_path)
    for strategy, message in (("kafka_848_2", "Kafka manages this group"), ("x", "unknown")):
        with pytest.raises(InputError, match=message):
            ProgramGroup(settings, strategy, "order_totals")
    assert list(tmp_path.iterdir()) == []
