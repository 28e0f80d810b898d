"""Settings of a live run, which each of its processes reads from one file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from algorithms.core.group_declarations import CLASSIC_HEARTBEAT_S, CLASSIC_SESSION_S
from algorithms.core.setting import setting
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from live.protocol.loss_settings import LaunchTime, Lease

PROMPT, CYCLE = "prompt", "cycle"
"""When a consumer looks for commands: after every slice of 20 ms, or once per batch."""

FIFO, FIXED_FIRST = "fifo", "fixed_first"
"""Which records a consumer takes first: the oldest, or those of partitions that did not move."""

EVEN, BURSTS, DRIFT = "even", "bursts", "drift"
"""When the records of a second are due: spread over it, or together, once per second."""

EXACT, HASHED = "exact", "hashed"
KEYS = (EXACT, HASHED)
"""Whether each partition gets its exact share of a second's records, or that of hashed keys."""

EAGER, COOPERATIVE = "eager", "cooperative"
"""Which partitions a rebalance of a group that asks takes away: all, or those that move."""

GIVEN, MEASURED = "given", "measured"
"""Where the strategy's rates come from."""


NODES = (1, 3)
"""Sizes of a cluster of the run's own: fewer than three nodes survive no failure."""

LEAST_RECORD, MOST_RECORD = 256, 100_000
"""Size of a record's value, bytes: a smaller one has no room for its head."""

LAST_PHASE_S = 0.999
"""Latest time of a burst within its second, s."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What a group needs of its brokers."""

    nodes: int = setting(1, "Brokers, and replicas of each partition.", "brokers", one_of=NODES)


@dataclass(frozen=True, kw_only=True)
class LiveChoices(Lease, Cluster):
    """What experiments set."""

    record_bytes: int = setting(
        2000,
        "Size of a record's value; a record takes a consumer at most 50 ms.",
        "bytes",
        at_least=LEAST_RECORD,
        at_most=MOST_RECORD,
    )
    mode: str = setting(
        PROMPT,
        "When consumers look for commands: every 20 ms (prompt), or once per batch of "
        "`batch_bytes` or `wait_s` (cycle).",
        one_of=(PROMPT, CYCLE),
    )
    batch_bytes: int = setting(
        5_000_000,
        "What a cycle gathers at most.",
        "bytes",
        at_least=10_000,
        at_most=50_000_000,
    )
    wait_s: float = setting(
        1.0, "Time that a cycle gathers at most.", "s", at_least=0.05, at_most=60
    )
    order: str = setting(
        FIFO,
        "Which records a consumer takes first: the oldest (fifo), or those of partitions that did "
        "not move within the last iteration (fixed_first), as in the paper's latency model.",
        one_of=(FIFO, FIXED_FIRST),
    )
    period_s: float = setting(
        1.0, "Time between two measurements of the monitor.", "s", at_least=0.2, at_most=60
    )
    window_s: float = setting(
        30.0,
        "Time that the monitor's speeds are a mean of at most; at least two periods.",
        "s",
        at_least=3,
        at_most=600,
    )
    speeds: str = setting(
        GIVEN,
        "What strategies decide on: the stream itself (given), or the sizes of the brokers' logs "
        "(measured).",
        one_of=(GIVEN, MEASURED),
    )
    group_protocol: str = setting(
        EAGER,
        "Rebalance protocol of groups that ask: all partitions are taken away (eager), or those "
        "that move (cooperative).",
        one_of=(EAGER, COOPERATIVE),
    )
    heartbeat_s: float = setting(
        CLASSIC_HEARTBEAT_S,
        "Time between the heartbeats of members of groups that ask: they learn of a rebalance by "
        "them.",
        "s",
        at_least=0.1,
        at_most=15,
    )
    session_s: float = setting(
        CLASSIC_SESSION_S,
        "Time after which a group that asks misses a member that sends no heartbeats; brokers "
        "allow no less than 6 s by default.",
        "s",
        at_least=6,
        at_most=300,
    )
    revoke_s: float = setting(
        0.0,
        "Time that members of groups that ask wait whenever partitions are taken from them.",
        "s",
        at_least=0,
        at_most=20,
    )
    max_poll_records: int = setting(
        500,
        "Most records that members of groups that ask process before they poll and commit.",
        "records",
        at_least=1,
        at_most=100_000,
    )
    lag_threshold: int = setting(
        100,
        "Lag per member that `keda` aims at.",
        "records",
        at_least=1,
        at_most=1_000_000,
    )
    arrivals: str = setting(
        EVEN,
        "When records are due: each by itself as the rates say (even), all of a second together at "
        "its start (bursts), or 1 s after the burst before was sent, as with a program that sends "
        "and sleeps (drift).",
        one_of=(EVEN, BURSTS, DRIFT),
    )
    phase_s: float = setting(
        0.0,
        "Time from the start of a second to its burst, or to the first one; for bursts that drift, "
        "0 has the seed of their stream draw it.",
        "s",
        at_least=0,
        at_most=LAST_PHASE_S,
    )
    keys: str = setting(
        EXACT,
        "Which partition each record of a burst is of: partitions get their shares up to whole "
        "records (exact), or the partition of each record is drawn by its share, as that of a key "
        "is hashed (hashed).",
        one_of=KEYS,
    )
    client_file: str = setting(
        "", "Client properties file with TLS and SASL of the brokers; empty for neither."
    )


@dataclass(frozen=True)
class LiveSettings(LiveChoices, LaunchTime):
    """What all processes of a run agree on."""

    run: str
    """Name of the run: its topics are ``gs.<run>.…``."""
    bootstrap: str
    """Addresses of the brokers, ``host:port,…``."""
    folder: str
    """Folder of the run: settings, logs, evidence."""
    partitions: int
    """Number of partitions P of the data topic."""
    capacity: float
    """Packing capacity C, bytes/s."""
    consumer_rate: float
    """What a consumer processes at most, C̄, bytes/s."""
    iteration_s: float
    """Length T of an iteration, seconds."""
    iterations: int
    """Number of iterations N."""
    began_ns: int = 0
    """Start of the first iteration, in nanoseconds of the system clock."""
    progress_s: float = 0.5
    """Time between two writes of progress, seconds."""
    seed: int = 0
    """Root of all random numbers."""
    clock_offset_ns: int = 0
    """Distance of the system clock from the monotonic clock of this machine, nanoseconds
    (`live.records.run_clock`); 0: each process measures it."""
    decide_s: float = 10.0
    """Longest time between two decisions on measured speeds, seconds."""
    data_topic: str = ""
    """Topic of the user that consumers read; nothing writes to it. Empty: one of the run's own."""
    first_offsets: tuple[int, ...] = ()
    """Where its partitions begin that were never started; empty: at 0."""
    group_events: tuple[str, ...] = ()
    """What happens to a group that asks: events as in ``--event``."""

    @property
    def sizes(self) -> tuple[int, float, float, int, float]:
        """Arguments of `algorithms.simulation.broker_group.BrokerGroup`.

        Where records have any size, ``record_bytes`` 0, what is counted is bytes.
        """
        return (
            *(self.partitions, self.capacity, self.consumer_rate),
            *(self.record_bytes or 1, self.iteration_s),
        )

    def topic(self, name: str) -> str:
        """Full name of one of the run's topics: data, speed, command, event, state, progress."""
        if name == "data" and self.data_topic:
            return self.data_topic
        return f"gs.{self.run}.{name}"

    def slot(self, consumer: int) -> str:
        """Transactional id of a consumer's slot, which fences its earlier incarnations."""
        return f"gs.{self.run}.c{consumer}"

    @property
    def security(self) -> ClientProperties:
        """Settings of all clients for TLS and SASL, read from their file; they may hold secrets."""
        return client_properties.read(Path(self.client_file)) if self.client_file else NO_PROPERTIES

    @property
    def controller_id(self) -> str:
        """Transactional id of the group's controller, which fences an earlier one."""
        return f"gs.{self.run}.controller"

    def evidence(self, consumer: int, incarnation: int) -> Path:
        """File of the records that one incarnation of a consumer has processed."""
        return Path(self.folder) / "evidence" / f"c{consumer}-{incarnation}.bin"

    def iteration_at(self, now_ns: int, began_ns: int) -> int:
        """Iteration of a time, from 0; the first one if the run has not begun, ``began_ns`` = 0."""
        if not began_ns:
            return 0
        passed = int((now_ns - began_ns) / (self.iteration_s * 1e9))
        return min(max(passed, 0), self.iterations - 1)

    def save(self, file: Path) -> None:
        """Write the file that `load` reads."""
        file.write_text(self.text, encoding="utf-8")

    @property
    def text(self) -> str:
        """JSON that `load` reads; a topic of the user is in it only if there is one."""
        content = asdict(self)
        if not self.data_topic:
            del content["data_topic"], content["first_offsets"]
        return json.dumps(content, indent=1)


def load(file: Path) -> LiveSettings:
    """Read the settings of a run."""
    content = json.loads(file.read_text(encoding="utf-8"))
    # JSON has no tuples.
    for name in ("first_offsets", "group_events"):
        content[name] = tuple(content.get(name, ()))
    return LiveSettings(**content)
