"""The data model of a survey of a trace, in parts that programs read as JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Times of the measurements."""

    column: str | None
    """``timestamp``, ``iteration``, or None where the file has no times."""
    first: str | None
    last: str | None
    """`first`, `last`: as written in the file."""
    span_seconds: float | None = None
    step_seconds: float | None = None
    shortest_step_seconds: float | None = None
    longest_step_seconds: float | None = None
    """`span_seconds`, `step_seconds`, `shortest_step_seconds`, `longest_step_seconds`: from first
    to last; the usual, least and greatest time between measurements. None unless there are
    timestamps."""
    irregular_steps: int | None = None
    """Steps that are more than 1 % of the usual one longer or shorter than it."""


@dataclass(frozen=True)
class Gap:
    """A silence: no measurement for longer than one holds."""

    after: int
    """Number of the measurement before it, from 1."""
    missing: int
    """Iterations that are missing."""


@dataclass(frozen=True)
class Cells:
    """Missing rates."""

    missing: int
    """Cells (measurement, partition) without a rate, and their share of all."""
    missing_share: float
    arrivals: int
    departures: int
    """`arrivals`, `departures`: times that a partition begins to exist after the first measurement,
    or ceases to."""
    within_lives: float
    """Share of missing cells between the first and last rate of their partitions."""
    empty_measurements: int
    """Measurements at which no partition exists."""


@dataclass(frozen=True)
class Range:
    """Least, median and greatest rate, bytes/s, of a partition or of their total."""

    name: str
    least: float
    median: float
    greatest: float


@dataclass(frozen=True)
class Beyond:
    """A partition that exceeds the capacity of one consumer."""

    name: str
    iterations: int
    """Iterations at which its rate is above the capacity, and their share of all."""
    share: float
    greatest: float
    """Its greatest rate, as a multiple of the capacity."""


@dataclass(frozen=True)
class Volatility:
    """Changes of a partition's rate from one iteration to the next, in % of the capacity."""

    p50: float
    p90: float
    p99: float
    """`p50`, `p90`, `p99`: percentiles of the absolute change."""
    like_delta: float
    """Volatility of the generated streams whose mean absolute change is the same."""


@dataclass(frozen=True)
class Stream:
    """The stream that a run over rates per partition would use."""

    iterations: int
    partitions: int
    resampled: bool
    """Whether rates are means over iterations, because times are not regular."""
    iteration_seconds: float
    """Length of an iteration: the file's usual step unless set. The suggested command uses it in
    the latency model too."""
    capacity: float
    consumer_capacity: float
    capacity_guessed: bool
    algorithms: int
    """Number of algorithms that a run tries by default."""
    seconds: float
    memory_gib: float
    """`seconds`, `memory_gib`: estimated time and memory of the run on one small machine."""


@dataclass(frozen=True)
class Survey:
    """The whole survey."""

    file: str
    format: str
    unit: str
    """Unit of the rates; empty if not known."""
    measurements: int
    timing: Timing
    gaps: tuple[Gap, ...]
    """Silences in order of time."""
    cells: Cells
    total: Range
    partitions: tuple[Range, ...]
    """Rates of each partition; none in a file of one total rate."""
    beyond_capacity: tuple[Beyond, ...]
    volatility: Volatility | None
    stream: Stream | None
    """`volatility`, `stream`: none for a file of one total rate, which a run does not take."""
    notes: tuple[str, ...]
    """What the reader should know before a run, in sentences."""
    command: str
    """The command for a run over the trace, or for a simulation of a total rate."""
    recommend: str
    """The command that chooses a number of consumers; empty if the rate of one is not known."""
