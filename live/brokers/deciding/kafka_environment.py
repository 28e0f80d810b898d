"""A Kafka cluster of our own with a load and quotas, whose brokers join and leave by decisions."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from live.broker_metrics import broker_reader, cpu_caps
from live.broker_metrics.broker_reader import BrokerReader, RunningNode
from live.broker_metrics.cpu_caps import Caps
from live.brokers import elastic_run, record_load
from live.brokers.deciding import interval_sampler, observed_interval
from live.brokers.deciding.interval_sampler import IntervalSampler
from live.brokers.deciding.observed_interval import Observed
from live.brokers.elastic_choices import ElasticChoices
from live.brokers.elastic_cluster import ElasticCluster
from live.brokers.elastic_run import MIB, TOPIC
from live.brokers.record_load import LoadSettings
from live.brokers.scaling_journal import DOWN, PLANNED, UP, Scaling, ScalingJournal
from live.brokers.scaling_owner import ScalingOwner
from live.processes import child_processes
from live.processes.child_processes import Child
from pipeline.base.errors import StageError

WARM_SAMPLES = 2
"""Samples before the first interval; the last of them begins it."""

SAMPLES_S = 120.0
"""Time limit until samples arrive, s."""

_LOOK_S = 0.1


class KafkaEnvironment:
    """The `Environment` of an episode; a context manager, which ends the cluster.

    decision_s: Length of an interval, s; one in which a scaling takes longer ends with it.
    seed: Decides which brokers leave.
    folder: New folder of data, logs and our controller's journal.
    """

    def __init__(self, choices: ElasticChoices, decision_s: float, seed: int, folder: Path) -> None:
        self._choices, self._decision_s = choices, decision_s
        self._seed, self._folder = seed, folder
        self._stack = ExitStack()
        self._capped = dict[int, int]()
        self._is_read = set[int]()
        self._scalings = self._mark = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, brokers: int) -> Observed:
        """Start the cluster and its load; then an interval passes.

        Raises InputError or StageError if something does not start.
        """
        choices, enter = self._choices, self._stack.enter_context
        most, place = choices.most_brokers, self._folder
        caps = Caps(most, cpu_caps.BROKER_CORES)
        nodes = brokers, most, choices.kraft_controllers
        self._cluster = enter(ElasticCluster(place / "cluster", *nodes, choices.replication))
        elastic_run.create_topic(self._cluster, choices)
        reader = enter(broker_reader.reading([], place / "reader"))
        self._reader: BrokerReader = reader
        self._caps = enter(caps)
        self._read_all()
        self._follow()
        rate = round(choices.throttle_mib_s * MIB)
        self._owner = enter(ScalingOwner(self._cluster, place, rate, choices.planner))
        load = place / "load"
        load.mkdir()
        settings = LoadSettings(
            self._cluster.bootstrap,
            TOPIC,
            choices.partitions,
            choices.records_per_s,
            str(load / "read.txt"),
            str(self._cluster.client_file),
        )
        self._clients: list[Child] = enter(record_load.running(settings, load))
        self._sampler = IntervalSampler(reader, load / "read.txt")
        self._sampler.start()
        self._await(lambda: self._sampler.count >= WARM_SAMPLES, SAMPLES_S)
        self._mark = self._sampler.count - 1
        return self._interval(time.monotonic())

    def step(self, brokers: int) -> Observed:
        """Let a broker join or leave, or none, and the rest of the interval pass.

        Raises ScalingFailed if it does neither in time.
        """
        began, present = time.monotonic(), self._cluster.brokers
        if brokers == len(present):
            return self._interval(began)
        self._scalings += 1
        kind = UP if brokers > len(present) else DOWN
        scaling = elastic_run.scaling_of(self._choices, present, self._scalings, kind, self._seed)
        self._owner.scale(scaling, self._watch)
        self._follow()
        scaling_s = time.monotonic() - began
        return self._interval(began)._replace(scaling_s=scaling_s, moves=self._moves(scaling))

    def _read_all(self) -> None:
        """Wait until the reader has opened a port in each broker, which takes long with a quota."""
        now = [RunningNode(number, self._cluster.pid(number)) for number in self._cluster.brokers]
        self._reader.add(now)
        self._is_read = {node.number for node in now}
        until = time.monotonic() + SAMPLES_S
        while self._reader.scrape().brokers.keys() != self._is_read:
            if time.monotonic() > until:
                raise StageError(f"brokers were not read for {SAMPLES_S:.0f} s")

    def _watch(self, scaling: Scaling, phase: str) -> None:
        """Cap and read a broker as soon as it has joined, and no longer before it stops."""
        self._check()
        if (scaling.kind, phase) == (UP, PLANNED):
            self._follow()
        elif phase == "stopped":
            self._forget([scaling.broker])

    def _follow(self) -> None:
        """Cap and read the brokers that run."""
        now = {number: self._cluster.pid(number) for number in self._cluster.brokers}
        self._forget([n for n, pid in self._capped.items() if now.get(n) != pid])
        new = {number: pid for number, pid in now.items() if number not in self._capped}
        unread = new.keys() - self._is_read
        self._reader.add([RunningNode(number, new[number]) for number in sorted(unread)])
        self._is_read |= unread
        self._caps.add(new)
        self._capped |= new

    def _forget(self, brokers: list[int]) -> None:
        self._reader.forget(brokers)
        self._caps.lift(brokers)
        self._is_read -= set(brokers)
        for broker in brokers:
            self._capped.pop(broker, None)

    def _interval(self, began: float) -> Observed:
        """Wait for the end of an interval, and say what it was like."""
        mark = self._mark
        self._wait_until(began + self._decision_s)
        self._await(lambda: self._sampler.count > mark + 1, SAMPLES_S)
        samples = self._sampler.since(mark)
        self._mark = mark + len(samples) - 1
        seconds = time.monotonic() - began
        gaps = interval_sampler.gaps(samples)
        return observed_interval.observed(len(self._cluster.brokers), gaps, seconds)

    def _moves(self, scaling: Scaling) -> int:
        journal = ScalingJournal(self._owner.journal)
        journal.close()
        return int(journal.of(scaling)[PLANNED]["moves"])

    def _check(self) -> None:
        """Raise StageError if a part has ended by itself."""
        failures = self._cluster.failures()
        if failures:
            raise StageError("; ".join(failures.values()))
        ended = child_processes.died(self._clients)
        if ended:
            raise StageError(f"the load ended early: {', '.join(ended)} (logs: {self._folder})")
        self._sampler.check()

    def _wait_until(self, end: float) -> None:
        while (left := end - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, _LOOK_S))

    def _await(self, condition: Callable[[], bool], seconds: float) -> None:
        until = time.monotonic() + seconds
        while not condition():
            self._check()
            if time.monotonic() > until:
                raise StageError(f"brokers were not read for {seconds:.0f} s")
            time.sleep(_LOOK_S)
