"""The data model of a survey of a trace, in parts that programs read as JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Times of the measurements.

    Attributes
    ----------
    column
        ``timestamp``, ``iteration``, or None where the file has no times.
    first, last
        As written in the file.
    span_seconds, step_seconds, shortest_step_seconds, longest_step_seconds
        From first to last; the usual, least and greatest time between measurements. None unless
        there are timestamps.
    irregular_steps
        Steps that are more than 1 % of the usual one longer or shorter than it.
    """

    column: str | None
    first: str | None
    last: str | None
    span_seconds: float | None = None
    step_seconds: float | None = None
    shortest_step_seconds: float | None = None
    longest_step_seconds: float | None = None
    irregular_steps: int | None = None


@dataclass(frozen=True)
class Gap:
    """A silence: no measurement for longer than one holds."""

    after: int
    """Number of the measurement before it, from 1."""
    missing: int
    """Iterations that are missing."""


@dataclass(frozen=True)
class Cells:
    """Missing rates.

    Attributes
    ----------
    missing
        Cells (measurement, partition) without a rate, and their share of all.
    arrivals, departures
        Times that a partition begins to exist after the first measurement, or ceases to.
    within_lives
        Share of missing cells between the first and last rate of their partitions.
    empty_measurements
        Measurements at which no partition exists.
    """

    missing: int
    missing_share: float
    arrivals: int
    departures: int
    within_lives: float
    empty_measurements: int


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
    """Changes of a partition's rate from one iteration to the next, in % of the capacity.

    Attributes
    ----------
    p50, p90, p99
        Percentiles of the absolute change.
    like_delta
        Volatility of the generated streams whose mean absolute change is the same.
    """

    p50: float
    p90: float
    p99: float
    like_delta: float


@dataclass(frozen=True)
class Stream:
    """The stream that a run over rates per partition would use.

    Attributes
    ----------
    resampled
        Whether rates are means over iterations, because times are not regular.
    iteration_seconds
        Length of an iteration: the file's usual step unless set. The suggested command uses it in
        the latency model too.
    algorithms
        Number of algorithms that a run tries by default.
    seconds, memory_gib
        Estimated time and memory of the run on one small machine.
    """

    iterations: int
    partitions: int
    resampled: bool
    iteration_seconds: float
    capacity: float
    consumer_capacity: float
    capacity_guessed: bool
    algorithms: int
    seconds: float
    memory_gib: float


@dataclass(frozen=True)
class Survey:
    """The whole survey.

    Attributes
    ----------
    unit
        Unit of the rates; empty if not known.
    gaps
        Silences in order of time.
    partitions
        Rates of each partition; none in a file of one total rate.
    volatility, stream
        None for a file of one total rate, which a run does not take.
    notes
        What the reader should know before a run, in sentences.
    command
        The command for a run over the trace, or for a simulation of a total rate.
    recommend
        The command that chooses a number of consumers; empty if the rate of one is not known.
    """

    file: str
    format: str
    unit: str
    measurements: int
    timing: Timing
    gaps: tuple[Gap, ...]
    cells: Cells
    total: Range
    partitions: tuple[Range, ...]
    beyond_capacity: tuple[Beyond, ...]
    volatility: Volatility | None
    stream: Stream | None
    notes: tuple[str, ...]
    command: str
    recommend: str
