"""Brokers that are added and removed while records flow, with evidence of all that happens.

Left in the folder: ``journal.jsonl`` of our controller, ``pauses.jsonl`` with the times without a
change, the faults and elections, and what `broker_load_process` writes.
"""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.cimpl import NewTopic

from algorithms.core.seeds import derive_seed
from live.brokers import broker_load_process
from live.brokers.broker_admin import BrokerAdmin
from live.brokers.broker_load_process import Load
from live.brokers.elastic_choices import (
    CANCELLED,
    CONTROLLER,
    DISK_FULL,
    KILLED,
    KRAFT_CONTROLLER_KILLED,
    OF_DISKS,
    ElasticChoices,
)
from live.brokers.elastic_cluster import ElasticCluster
from live.brokers.scaling_journal import DOWN, UP, Scaling
from live.brokers.scaling_owner import ScalingOwner
from live.brokers.scaling_process import CANCEL, RESUME
from live.kafka import admin_client
from live.processes import child_processes
from live.processes.child_processes import Child
from pipeline.base import progress
from pipeline.base.errors import StageError

MIB = 2**20
TOPIC = "elastic"

START_S = 300.0
"""Time limit until the topic is filled and records flow, s."""

END_S = broker_load_process.FLUSH_S + broker_load_process.DRAIN_S + 60.0
"""Time limit until everything has been read, s."""

FULL_S = 20.0
"""For how long a disk stays full that gets its space back, s; a broker is missed after 6."""

SPARE_MIB = 1024
"""Room on a broker's own file system for index files, internal topics and what is written, MiB."""

ELECTION_S = 60.0
"""Time limit until another KRaft controller is active, s; followers notice after 2."""

_LOOK_S = 0.1


def run(choices: ElasticChoices, faults: Sequence[str], seed: int, folder: Path) -> str:
    """Scale a new cluster up and down; returns Kafka's version.

    faults: Faults while partitions move; see `fault_of`.
    folder: New folder for the evidence, and for the cluster's data, which is deleted at the end.
    Raises StageError, such as BrokerFailed and ScalingFailed, if something fails.
    """
    cluster = ElasticCluster(
        folder / "cluster",
        choices.least_brokers,
        choices.most_brokers,
        choices.kraft_controllers,
        choices.replication,
        disk_mib(choices),
    )
    progress.note(f"starting {choices.least_brokers} brokers and their KRaft quorum")
    rate = round(choices.throttle_mib_s * MIB)
    with cluster, ScalingOwner(cluster, folder, rate, choices.planner) as owner:
        create_topic(cluster, choices)
        load = _started(cluster, choices, folder)
        try:
            _Scalings(cluster, owner, load, choices, faults, seed, folder).run()
            load.send(signal.SIGTERM)
            if load.status_within(END_S) != 0:
                raise StageError(f"the load did not end in order: {load.why()}")
        finally:
            child_processes.kill([load])
    return cluster.version


def disk_mib(choices: ElasticChoices) -> int:
    """Size of a file system that holds all partitions with room to spare, MiB.

    It takes memory only as far as it is used.
    """
    return round(choices.preload_mib) + SPARE_MIB


def fault_of(faults: Sequence[str], scaling: Scaling, earlier: int) -> str:
    """Fault of a scaling; empty for none.

    Every second scaling has one; brokers that join have all of them in turn, and brokers that leave
    have those that are not of disks.

    earlier: Faults of scalings of this kind so far.
    """
    own = [one for one in faults if scaling.kind == UP or one not in OF_DISKS]
    if not own or scaling.number % 2:
        return ""
    return own[earlier % len(own)]


def next_scaling(
    choices: ElasticChoices, present: list[int], number: int, is_rising: bool, seed: int
) -> Scaling:
    """The next scaling, up to the most brokers and down to the least.

    is_rising: Whether the last scaling added a broker; it goes on to the limit.
    """
    count = len(present)
    up = count <= choices.least_brokers or (is_rising and count < choices.most_brokers)
    return scaling_of(choices, present, number, UP if up else DOWN, seed)


def scaling_of(
    choices: ElasticChoices, present: list[int], number: int, kind: str, seed: int
) -> Scaling:
    """The lowest free id joins, or a broker drawn from the seed leaves."""
    if kind == UP:
        free = next(n for n in range(1, choices.most_brokers + 1) if n not in present)
        return Scaling(number, UP, free)
    drawn = min(present, key=lambda broker: derive_seed(seed, "leaves", number, broker))
    return Scaling(number, DOWN, drawn)


class _Scalings:
    """The scalings of a run."""

    def __init__(
        self,
        cluster: ElasticCluster,
        owner: ScalingOwner,
        load: Child,
        choices: ElasticChoices,
        faults: Sequence[str],
        seed: int,
        folder: Path,
    ) -> None:
        self._cluster, self._owner, self._load = cluster, owner, load
        self._choices, self._faults, self._seed = choices, faults, seed
        self._admin = BrokerAdmin(cluster)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._pauses = os.open(folder / "pauses.jsonl", flags, 0o644)
        self._fault = ""
        self._earlier: Counter[str] = Counter()
        """Faults so far, by kind of scaling."""
        self._space_at = math.inf
        """When a full disk gets its space back, s of the monotonic clock."""
        self._may_end = 0
        """The broker that may end by itself: one that joins, whose restarts are counted, or one
        that a fault has killed; 0 for none."""

    def run(self) -> None:
        rises = True
        try:
            for number in range(1, self._choices.scalings + 1):
                present = self._cluster.brokers
                scaling = next_scaling(self._choices, present, number, rises, self._seed)
                rises = scaling.kind == UP
                self._one(scaling)
        finally:
            os.close(self._pauses)

    def _one(self, scaling: Scaling) -> None:
        """Wait, then scale."""
        verb = "joins" if scaling.kind == UP else "leaves"
        progress.note(
            f"scaling {scaling.number} of {self._choices.scalings}: broker {scaling.broker} {verb}"
        )
        begin_ns = time.monotonic_ns()
        self._wait(self._choices.still_s)
        self._write(scaling, kind="still", begin_ns=begin_ns, end_ns=time.monotonic_ns())
        self._fault = fault_of(self._faults, scaling, self._earlier[scaling.kind])
        if self._fault in OF_DISKS:
            self._cluster.give_disk(scaling.broker)
        self._may_end = scaling.broker if scaling.kind == UP else 0
        self._owner.scale(scaling, self._watch)
        # Moves can end before a disk that was to be full is.
        if scaling.broker in self._cluster.brokers:
            self._make_room(scaling.broker, math.inf)
        self._space_at, self._may_end = math.inf, 0
        self._cluster.restart_controllers()
        self._check()

    def _watch(self, scaling: Scaling, phase: str) -> str | None:
        """Inject the fault once, while partitions move."""
        self._check()
        self._make_room(scaling.broker, time.monotonic())
        if phase != "moved" or not self._fault:
            return None
        # One is killed only while the others follow it, so that they can elect another.
        quorum = self._admin.quorum() if self._fault == KRAFT_CONTROLLER_KILLED else None
        if (quorum is not None and not quorum.is_whole) or not self._admin.moving():
            return None
        fault, self._fault = self._fault, ""
        self._earlier[scaling.kind] += 1
        self._write(scaling, kind="fault", fault=fault, at_ns=time.monotonic_ns())
        if quorum is not None:
            self._replace(scaling, quorum.active)
            return None
        if fault in (CANCELLED, CONTROLLER):
            return CANCEL if fault == CANCELLED else RESUME
        if fault == KILLED:
            self._may_end = scaling.broker
            self._cluster.kill(scaling.broker)
        else:
            self._cluster.fill_disk(scaling.broker)
        if fault == DISK_FULL:
            self._space_at = time.monotonic() + FULL_S
        return None

    def _make_room(self, broker: int, now: float) -> None:
        """Give a full disk its space back once it is time."""
        if now > self._space_at:
            self._space_at = math.inf
            self._cluster.make_room(broker)

    def _replace(self, scaling: Scaling, controller: int) -> None:
        """Kill the active KRaft controller, and wait until another one is."""
        self._cluster.kill_controller(controller)
        until = time.monotonic() + ELECTION_S
        while (active := self._admin.quorum().active) in (controller, -1):
            if time.monotonic() > until:
                raise StageError(f"no KRaft controller was elected within {ELECTION_S:.0f} s")
            time.sleep(_LOOK_S)
        at_ns, moving = time.monotonic_ns(), len(self._admin.moving())
        self._write(
            scaling, kind="elected", killed=controller, active=active, at_ns=at_ns, moving=moving
        )

    def _check(self) -> None:
        if self._load.status() is not None:
            raise StageError(f"the load ended early: {self._load.why()}")
        for node, problem in self._cluster.failures().items():
            if node != self._may_end:
                raise StageError(problem)

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, _LOOK_S))

    def _write(self, scaling: Scaling, **content: Any) -> None:
        line = json.dumps({"number": scaling.number, **content})
        os.write(self._pauses, f"{line}\n".encode())


def create_topic(cluster: ElasticCluster, choices: ElasticChoices) -> None:
    """Create the topic, and wait for its leaders. Raises StageError if it gets none."""
    client = admin_client.connect(cluster.bootstrap, cluster.properties.confluent)
    topic = NewTopic(
        TOPIC,
        choices.partitions,
        choices.replication,
        config={"unclean.leader.election.enable": "false"},
    )
    try:
        client.create_topics([topic], request_timeout=30)[TOPIC].result(60)
    except KafkaException as error:
        raise StageError(f"cannot create the topic: {error.args[0].str()}") from error

    def are_led() -> bool:
        view = admin_client.look(client)
        leaders = {} if view is None else view.leaders.get(TOPIC, {})
        return len(leaders) == choices.partitions and min(leaders.values()) >= 0

    if not admin_client.waited_for(are_led, 60.0):
        raise StageError("the topic has no leaders after 60 s")


def _started(cluster: ElasticCluster, choices: ElasticChoices, folder: Path) -> Child:
    """Start the load, and wait until records flow."""
    load = Load(
        cluster.bootstrap,
        str(cluster.client_file),
        TOPIC,
        choices.partitions,
        choices.records_per_s,
        round(choices.preload_mib * MIB),
    )
    broker_load_process.write(folder, load)
    child = child_processes.start_module(
        broker_load_process.__name__, [folder], "load", folder / "load.log"
    )
    until = time.monotonic() + START_S
    while not (folder / "began.json").exists():
        if child.status() is not None or time.monotonic() > until:
            child_processes.kill([child])
            raise StageError(f"the load did not begin: {child.why()}")
        time.sleep(_LOOK_S)
    return child
