"""A group that is scaled for an hour while something goes wrong; every answer is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc

from live.protocol import external_scaler_pb2 as messages
from live.scaler import group_look, recent_counts
from live.scaler.asked_targets import AskedTargets
from live.scaler.group_look import Look
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_service import METRIC, ScalerService
from live.scaler.scaler_settings import Clock, ScalerTarget
from tests.live.scaler.scaler_fakes import TARGET, Clients, Topic
from tests.live.scaler.test_answer_server import ALLOW

NAME, PARTITIONS = "shop/billing", 36
LOOK_S, SYNC_S = 5, 15
PEAK_END_S, FAULT_S, END_S = 300, 600, 1500
PEAK, USUAL = 720, 540
"""Events/s of all partitions until `PEAK_END_S`, and after it."""

ONE_TOPIC = {"orders": PARTITIONS}

WALL_S = 1_000_000.0


class Ended(Exception):
    """What a call of gRPC ends with."""


class Call:
    """The server's side of a call."""

    def abort(self, code: grpc.StatusCode, said: str) -> None:
        assert "\n" not in said
        raise Ended(code.name)


@dataclass(frozen=True)
class Asked:
    """A sync of the pod autoscaler."""

    at_s: int
    count: int | None
    state: str
    least: int
    """What a scaler without faults sends then."""


class FaultedGroup:
    """Plays the cluster, the process of the scaler and the pod autoscaler, second by second.

    fault: Called each second with this group, and the time.
    healthy: Counts of a scaler without faults, by time.
    topics: Partitions of each topic that the group reads.
    """

    def __init__(
        self,
        strategy: str,
        folder: Path,
        fault: Callable[[FaultedGroup, int], None],
        healthy: dict[int, int],
        topics: Mapping[str, int] = ONE_TOPIC,
    ) -> None:
        self.target: ScalerTarget = replace(TARGET, topics=tuple(topics), strategy=strategy)
        self.history: Path | None = folder / "history.json"
        self._fault, self._healthy = fault, healthy
        self.clients = Clients()
        self.clients.now_s = lambda: self.now_s  # type: ignore[method-assign]
        self.replicas = 2
        self.at_s, self.leap_s, self.wall_leap_s = 0, 0.0, 0.0
        self.look_takes_s = 0
        self.has_commits = True
        self.metric = METRIC
        self.asked: list[Asked] = []
        self.refused: Counter[str] = Counter()
        self.scalers: list[ScaledTarget] = []
        for name, partitions in topics.items():
            self.recreate(partitions, name)
        self.start()

    @property
    def topic(self) -> Topic:
        """The topic as it is now."""
        return self.clients.topics["orders"]

    @property
    def now_s(self) -> float:
        """The clock that the scaler sees."""
        return self.at_s + self.leap_s

    def start(self) -> None:
        """Start a process, which reads the file of the last hour if there is one."""
        recent = RecentCounts()
        if self.history and self.history.exists():
            digests = {NAME: self.target.digest}
            loaded = recent_counts.load(self.history, digests, self.now_s, self._wall_s)
            recent = loaded.get(NAME, recent)
        self.scalers.append(
            ScaledTarget(
                NAME,
                self.target,
                Clock(),
                recent,
                self._look,
                lambda: self.now_s,
                lambda *_, **__: None,
            )
        )

    def kill(self) -> None:
        """End the process without any warning."""
        self.scalers.clear()

    def recreate(self, partitions: int, name: str = "orders") -> None:
        """Delete a topic, and create it with as many partitions."""
        self.clients.topics[name] = Topic.of(partitions)

    def widen(self, partitions: int, name: str = "orders") -> None:
        """Add partitions to a topic, up to as many."""
        own, wider = self.clients.topics[name], Topic.of(partitions)
        own.leaders = {**wider.leaders, **own.leaders}
        own.ends = {**wider.ends, **own.ends}
        own.committed_offsets = {**wider.committed_offsets, **own.committed_offsets}

    def jump_back(self, records: int) -> None:
        """Let the end offsets of each third partition go back."""
        ends: Any = self.topic.ends
        for number in range(0, len(ends), 3):
            ends[number] -= records

    def run(self) -> FaultedGroup:
        """Look each period, until the end."""
        while self.at_s < END_S:
            due_s = self.at_s + LOOK_S
            for scaler in list(self.scalers):
                scaler.look()
            self._save()
            while self.at_s < due_s:
                self._second()
        return self

    @property
    def _wall_s(self) -> float:
        return WALL_S + self.at_s + self.wall_leap_s

    def _save(self) -> None:
        if self.history and self.scalers:
            counts = {NAME: (self.target.digest, self.scalers[0].recent)}
            recent_counts.save(self.history, counts, self._wall_s - self.now_s)

    def _look(self) -> Look:
        for _ in range(self.look_takes_s):
            self._second()
        named = [
            SimpleNamespace(
                member_id=f"m{n:02}",
                host=f"h{n}",
                assignment=SimpleNamespace(topic_partitions=[]),
            )
            for n in range(self.replicas)
        ]
        self.clients.group.members = named
        return group_look.take(self.clients, self.target.topics, "billing", 0.2)

    def _second(self) -> None:
        self.at_s += 1
        rate = PEAK if self.at_s <= PEAK_END_S else USUAL
        topics = self.clients.topics.values()
        each = rate // sum(len(topic.ends) for topic in topics)
        for topic in topics:
            ends: Any = topic.ends
            for number, end in ends.items():
                if isinstance(end, int):
                    ends[number] = end + each
                    if self.has_commits:
                        topic.committed_offsets[number] = ends[number]
        self._fault(self, self.at_s)
        if self.at_s % SYNC_S == 0:
            for scaler in self.scalers:
                self._sync(scaler)

    def _sync(self, scaler: ScaledTarget) -> None:
        service = ScalerService(AskedTargets({NAME: scaler}, ALLOW), LOOK_S)
        ref = messages.ScaledObjectRef(namespace="shop", name="billing")
        request = messages.GetMetricsRequest(scaledObjectRef=ref, metricName=self.metric)
        count = None
        try:
            (value,) = service.get_metrics(request, Call()).metricValues
            count = self.replicas = int(value.metricValueFloat)
        except Ended as ended:
            self.refused[str(ended)] += 1
        state = scaler.answer().state
        self.asked.append(Asked(self.at_s, count, state, self._healthy.get(self.at_s, 0)))
