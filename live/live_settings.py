"""Settings of a live run, which each of its processes reads from one file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties

PROMPT, CYCLE = "prompt", "cycle"
"""When a consumer looks for commands: after every slice of 20 ms, or once per batch."""

FIFO, FIXED_FIRST = "fifo", "fixed_first"
"""Which records a consumer takes first: the oldest, or those of partitions that did not move."""


GIVEN, MEASURED = "given", "measured"
"""Where the strategy's rates come from."""


@dataclass(frozen=True, slots=True)
class LiveSettings:
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
    record_bytes: int = 2000
    """Size of a record's value."""
    began_ns: int = 0
    """Start of the first iteration, in nanoseconds of the system clock."""
    mode: str = PROMPT
    """``prompt`` or ``cycle``."""
    batch_bytes: int = 5_000_000
    """Bytes that a cycle gathers at most."""
    wait_s: float = 1.0
    """Time that a cycle gathers at most, seconds."""
    lease_s: float = 10.0
    """Time without a sign of life after which a consumer is lost, seconds."""
    progress_s: float = 0.5
    """Time between two writes of progress, seconds."""
    nodes: int = 1
    """Brokers, and replicas of each partition."""
    seed: int = 0
    """Root of all random numbers."""
    clock_offset_ns: int = 0
    """Distance of the system clock from the monotonic clock of this machine, nanoseconds
    (`live.records.run_clock`); 0: each process measures it."""
    order: str = FIFO
    """``fifo`` or ``fixed_first``."""
    period_s: float = 1.0
    """Time between two measurements of the monitor, seconds."""
    window_s: float = 30.0
    """Time that the monitor's speeds are a mean of at most, seconds."""
    speeds: str = GIVEN
    """What the strategy decides on: ``given``, the rates of the stream at the beginning of each
    iteration, or ``measured`` by the monitor."""
    decide_s: float = 10.0
    """Longest time between two decisions on measured speeds, seconds."""
    lag_threshold: int = 100
    """Records of lag per member that strategy ``keda`` aims at."""
    launch_s: float = 30.0
    """Time in which a consumer that was asked for must be ready, seconds."""
    client_file: str = ""
    """Client properties file with TLS and SASL of the brokers; empty for neither."""
    spare: int = 0
    """Consumers without partitions that are kept."""

    def topic(self, name: str) -> str:
        """Full name of one of the run's topics: data, speed, command, event, state, progress."""
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
        file.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


def load(file: Path) -> LiveSettings:
    """Read the settings of a run."""
    return LiveSettings(**json.loads(file.read_text(encoding="utf-8")))
