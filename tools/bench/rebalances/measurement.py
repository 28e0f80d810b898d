"""Measures cells on one broker, some at a time, and keeps each event's row at once."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from live.kafka.broker_cluster import Cluster
from live.records import run_clock
from tools.bench.rebalances import broker_log, event_rows, kip848_settings
from tools.bench.rebalances.cells import BROKER_SETTINGS, Cell
from tools.bench.rebalances.measured_group import CLIENT, MeasuredGroup, Place, Unsettled
from tools.bench.rebalances.record_source import BACKLOG, RecordSource


def measure(
    cells: Sequence[Cell], folder: Path, repeats: int, together: int, seconds: float
) -> None:
    """Measure the cells that lack repeats until all have them, or the time is over.

    folder: Where the results are kept.
    together: How many groups are measured at a time.
    """
    until = time.monotonic() + seconds
    lacking = [cell for cell in cells if event_rows.left(folder, cell, repeats)]
    if not lacking or seconds <= 0.0:
        return
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rebalances-")))
        stack.enter_context(_coordinators_logged())
        bench = _Bench(stack.enter_context(Cluster(place / "cluster", changes=BROKER_SETTINGS)))
        stack.enter_context(bench)
        with ThreadPoolExecutor(together) as pool:
            done = [
                pool.submit(bench.measure, cell, place, folder, repeats, until) for cell in lacking
            ]
        for each in done:
            each.result()


@contextmanager
def _coordinators_logged() -> Iterator[None]:
    """Let brokers that are started meanwhile log what their coordinators do."""
    before = os.environ.get(broker_log.LEVEL_VARIABLE)
    os.environ[broker_log.LEVEL_VARIABLE] = f"{before or ''} {broker_log.LEVEL_OPTION}".strip()
    try:
        yield
    finally:
        if before is None:
            del os.environ[broker_log.LEVEL_VARIABLE]
        else:
            os.environ[broker_log.LEVEL_VARIABLE] = before


class _Bench(ExitStack):
    """A broker, and the topics that groups share."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster, self._offset_ns = cluster, run_clock.offset_now()
        self._lock, self._topics = threading.Lock(), set[str]()

    def measure(self, cell: Cell, place: Path, folder: Path, repeats: int, until: float) -> None:
        """Measure a cell; a group that does not settle is given up, and another one made."""
        number = 0
        while time.monotonic() < until and event_rows.left(folder, cell, repeats):
            number += 1
            where = Place(
                self._cluster.bootstrap,
                self._cluster.log(1),
                place / f"{cell.name}.{number}",
                self._offset_ns,
            )
            self._fill(cell)
            kip848_settings.apply(where.bootstrap, where.group, cell.group_settings())
            with suppress(Unsettled), MeasuredGroup(cell, where) as run:
                self._repeat(run, cell, folder, repeats, until)

    def _repeat(
        self, run: MeasuredGroup, cell: Cell, folder: Path, repeats: int, until: float
    ) -> None:
        while events := event_rows.left(folder, cell, repeats):
            for event in events:
                if time.monotonic() > until:
                    return
                try:
                    row = run.event(event)
                except Unsettled as error:
                    untimed = event_rows.event_row(event, CLIENT, os.getloadavg()[0])
                    event_rows.add(folder, cell, untimed)
                    print(error, flush=True)
                    raise
                event_rows.add(folder, cell, row)
                settled = f"{row['settled_s']:.2f} s" if event_rows.is_timed(row) else "no times"
                print(f"{cell.name}: {event}, {settled}, load {row['load']:.1f}", flush=True)

    def _fill(self, cell: Cell) -> None:
        """Let records come into the cell's topic."""
        with self._lock:
            if cell.topic not in self._topics:
                backlog = BACKLOG if cell.has_backlog else 0
                source = RecordSource(self._cluster.bootstrap, cell.topic, cell.partitions, backlog)
                self.enter_context(source)
                self._topics.add(cell.topic)
