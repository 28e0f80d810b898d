"""Measures a cluster that shrinks or grows, each number of brokers under its loads."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from live.broker_metrics import broker_reader, cpu_caps, scraped_values
from live.broker_metrics.broker_reader import BrokerReader, RunningNode
from live.broker_metrics.scraped_values import Latencies
from live.brokers import record_load
from live.brokers.deciding import interval_sampler
from live.brokers.deciding.interval_sampler import Sample
from live.brokers.record_load import LoadSettings
from pipeline.base.errors import StageError
from tools.bench.brokers import curve_rows, plain_cluster
from tools.bench.brokers.curve_rows import CAPPED, SHARED, UNIT_RATE, CurveRow
from tools.bench.brokers.plain_cluster import PARTITIONS, PlainCluster

_OPEN_S = 60.0


@dataclass(frozen=True)
class Design:
    """What is measured."""

    brokers: tuple[int, ...] = (3, 4, 5, 6, 7)
    shared: tuple[float, ...] = (1.0,)
    """Loads of brokers that share the cores."""
    capped: tuple[float, ...] = (0.25, 1.0)
    """Loads of brokers with quotas."""
    repeats: int = 5
    cores: float = cpu_caps.BROKER_CORES
    """Quota of a broker."""
    warm_scrapes: int = 1
    scrapes: int = 4
    """Times between scrapes that count, after those that let a load settle."""


def measure(design: Design, file: Path, seconds: float) -> None:
    """Measure the sizes that are not in the file yet, until all are or the time is over.

    Raises InputError before anything starts if this system cannot cap the brokers.
    """
    if design.capped:
        cpu_caps.check(max(design.brokers), design.cores)
    until = time.monotonic() + seconds
    for repeat in range(design.repeats):
        kept = {row.cluster for row in curve_rows.rows(file)}
        left = [size for size in order(design, repeat) if (repeat, size) not in kept]
        if left and time.monotonic() < until:
            with ExitStack() as stack:
                place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="brokers-")))
                folder, most = place / "cluster", max(left)
                cluster = stack.enter_context(plain_cluster.started(folder, most, left[0]))
                reader = stack.enter_context(broker_reader.reading([], place / "reader"))
                bench = _Bench(design, cluster, reader, place)
                for size in left:
                    if time.monotonic() > until:
                        return
                    for row in list(bench.rows(size, repeat)):  # all of a size, or none
                        curve_rows.add(file, row)


def order(design: Design, repeat: int) -> list[int]:
    """Sizes of a repeat: brokers leave one after the other, or join, in turn.

    >>> order(Design(), 0), order(Design(), 1)
    ([7, 6, 5, 4, 3], [3, 4, 5, 6, 7])
    """
    return sorted(design.brokers, reverse=repeat % 2 == 0)


class _Bench:
    def __init__(
        self, design: Design, cluster: PlainCluster, reader: BrokerReader, place: Path
    ) -> None:
        self._design, self._cluster, self._reader, self._place = design, cluster, reader, place
        self._read = dict[int, int]()

    def rows(self, size: int, repeat: int) -> Iterator[CurveRow]:
        """Rows of a number of brokers: shared first, then capped, loads in their order."""
        self._cluster.resize(size)
        self._follow()
        topic = f"curve-{size}"
        with self._cluster.topic(topic):
            for load in self._design.shared:
                yield self._row(topic, SHARED, load, repeat)
            with cpu_caps.capped(self._cluster.brokers, self._design.cores):
                for load in self._design.capped:
                    yield self._row(topic, CAPPED, load, repeat)

    def _follow(self) -> None:
        """Let the reader read the brokers that run, and wait until it has opened their ports."""
        now = self._cluster.brokers
        self._reader.forget(self._read.keys() - now.keys())
        self._reader.add([RunningNode(n, pid) for n, pid in now.items() if n not in self._read])
        self._read = now
        until = time.monotonic() + _OPEN_S
        while (scrape := self._reader.scrape()).failures or scrape.brokers.keys() != now.keys():
            if time.monotonic() > until:
                raise StageError(f"brokers were not read after {_OPEN_S:g} s")

    def _row(self, topic: str, curve: str, load: float, repeat: int) -> CurveRow:
        """Let a load run, and measure it."""
        folder = self._place / "load"
        folder.mkdir()
        file, rate = folder / "read.txt", load * UNIT_RATE
        settings = LoadSettings(self._cluster.bootstrap, topic, PARTITIONS, rate, str(file))
        with record_load.running(settings, folder):
            for _ in range(self._design.warm_scrapes):
                self._reader.scrape()
            began = record_load.read_at(file, time.monotonic_ns())
            gaps = self._gaps(file)
            ended = record_load.read_at(file, time.monotonic_ns())
        shutil.rmtree(folder)
        row = CurveRow(
            curve=curve,
            brokers=len(self._cluster.brokers),
            load=load,
            repeat=repeat,
            cores=self._design.cores if curve == CAPPED else 0.0,
            machine_load=os.getloadavg()[0],
            read_share=(ended.records - began.records)
            / (rate * (ended.at_ns - began.at_ns) * 1e-9),
            latencies=tuple(latencies for _, latencies in gaps),
            metrics=scraped_values.interval_metrics([gap for gap, _ in gaps]),
        )
        print(
            f"{curve}, {row.brokers} brokers, load {load:g}: "
            f"{curve_rows.mean_of(row, 'end_to_end'):.1f} ms, {100.0 * row.read_share:.1f} % read, "
            f"machine {row.machine_load:.1f}",
            flush=True,
        )
        return row

    def _gaps(self, file: Path) -> list[tuple[Mapping[str, float], Latencies]]:
        """Values and latencies between scrapes."""
        return interval_sampler.gaps([self._sampled(file) for _ in range(self._design.scrapes + 1)])

    def _sampled(self, file: Path) -> Sample:
        scrape = self._reader.scrape()
        if scrape.failures:
            raise StageError(f"brokers were not read: {dict(scrape.failures)}")
        at_ns = max(values.at_ns for values in scrape.brokers.values())
        return Sample(scrape, record_load.read_at(file, at_ns))
