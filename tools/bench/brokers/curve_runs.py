"""Measures clusters of different sizes in random order, each under its loads."""

from __future__ import annotations

import math
import os
import random
import shutil
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from algorithms.core.seeds import derive_seed
from live.broker_metrics import broker_reader, cpu_caps, scraped_values
from live.broker_metrics.broker_reader import BrokerReader, RunningNode
from live.broker_metrics.scraped_values import Latencies
from pipeline.base.errors import StageError
from tools.bench.brokers import curve_rows, plain_cluster, record_load
from tools.bench.brokers.curve_rows import CAPPED, SHARED, UNIT_RATE, CurveRow
from tools.bench.brokers.plain_cluster import PARTITIONS, TOPIC, PlainCluster
from tools.bench.brokers.record_load import LoadSettings


@dataclass(frozen=True)
class Design:
    """What is measured."""

    brokers: tuple[int, ...] = (3, 4, 5, 6, 7)
    shared: tuple[float, ...] = (1.0,)
    """Loads of brokers that share the cores."""
    capped: tuple[float, ...] = (0.25, 0.5)
    """Loads of brokers with quotas."""
    repeats: int = 5
    cores: float = 0.2
    """Quota of a broker."""
    warm_scrapes: int = 1
    scrapes: int = 4
    """Times between scrapes that count, after those that let a load settle."""


def measure(design: Design, file: Path, seconds: float) -> None:
    """Measure the clusters that are not in the file yet, until all are or the time is over."""
    until = time.monotonic() + seconds
    kept = {row.cluster for row in curve_rows.rows(file)}
    for repeat in range(design.repeats):
        order = list(design.brokers)
        random.Random(derive_seed(0, "curve", repeat)).shuffle(order)
        for brokers in order:
            if time.monotonic() > until:
                return
            if (repeat, brokers) not in kept:
                for row in _cluster_rows(design, repeat, brokers):
                    curve_rows.add(file, row)
                    way = curve_rows.mean_of(row, "end_to_end")
                    print(
                        f"{row.curve}, {brokers} brokers, load {row.load:g}: {way:.1f} ms, "
                        f"{100 * row.read_share:.1f} % read, machine {row.machine_load:.1f}",
                        flush=True,
                    )


def _cluster_rows(design: Design, repeat: int, brokers: int) -> list[CurveRow]:
    """Rows of a new cluster: shared first, then capped, loads in their order."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="brokers-")))
        cluster = stack.enter_context(plain_cluster.started(place / "cluster", brokers))
        nodes = [RunningNode(number, pid) for number, pid in cluster.brokers.items()]
        reader = stack.enter_context(broker_reader.reading(nodes, place / "reader"))
        reader.scrape()  # opens the ports, while brokers are still fast
        phases = _Phases(design, cluster, reader, place)
        rows = [phases.row(SHARED, load, repeat) for load in design.shared]
        if design.capped:
            stack.enter_context(cpu_caps.capped(cluster.brokers, design.cores))
            rows += [phases.row(CAPPED, load, repeat) for load in design.capped]
        return rows


class _Phases:
    def __init__(
        self, design: Design, cluster: PlainCluster, reader: BrokerReader, place: Path
    ) -> None:
        self._design, self._cluster, self._reader, self._place = design, cluster, reader, place

    def row(self, curve: str, load: float, repeat: int) -> CurveRow:
        """Let a load run, and measure it."""
        folder = self._place / "load"
        folder.mkdir()
        file, rate = folder / "read.txt", load * UNIT_RATE
        settings = LoadSettings(self._cluster.bootstrap, TOPIC, PARTITIONS, rate, str(file))
        with record_load.running(settings, folder):
            for _ in range(self._design.warm_scrapes):
                self._reader.scrape()
            began = record_load.read_at(file, time.monotonic_ns())
            gaps = self._gaps(file)
            ended = record_load.read_at(file, time.monotonic_ns())
        shutil.rmtree(folder)
        return CurveRow(
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

    def _gaps(self, file: Path) -> list[tuple[dict[str, float], Latencies]]:
        """Values and latencies between scrapes."""
        gaps = []
        before, had = self._scraped(file)
        for _ in range(self._design.scrapes):
            after, has = self._scraped(file)
            records = has.records - had.records
            waited = (has.latency_ns - had.latency_ns) * 1e-6
            end_to_end = waited / records if records else math.nan
            gap = scraped_values.between(before, after, records)
            gaps.append((gap, scraped_values.latencies(gap, end_to_end)))
            before, had = after, has
        return gaps

    def _scraped(self, file: Path) -> tuple[scraped_values.Scrape, record_load.ReadSoFar]:
        scrape = self._reader.scrape()
        if scrape.failures:
            raise StageError(f"brokers were not read: {dict(scrape.failures)}")
        at_ns = max(values.at_ns for values in scrape.brokers.values())
        return scrape, record_load.read_at(file, at_ns)
