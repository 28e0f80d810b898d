"""Limits of a run, each with its reason; checked before anything starts."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.group_declarations import MAX_RATE
from pipeline.base.errors import InputError

MAX_PARTITIONS = 1_000_000
"""Partitions of a stream. Consumer ids go up to this number and are 32-bit integers."""

MAX_ITERATIONS = 1_000_000
"""Iterations of a stream: a year of half minutes."""

MAX_REPLICATES = 100_000
"""Streams for each δ and start condition."""

MAX_DELTAS = 1_000
"""Values of δ in an experiment; each is a task of its own in Airflow."""

MAX_ALGORITHMS = 1_000
"""Algorithms or strategies of an experiment; each is an MLflow run of its own for every δ."""

MAX_EXPERIMENTS = 100
"""Experiments of a run."""

MAX_TRACES = 1_000
"""Trace files of a run; all are read before the run starts."""

MAX_NAME = 1_000
"""Characters of a partition's name, which is in each of its rows in a table."""

MAX_RATES = 25_000_000
"""Partitions × iterations of a stream, which one Spark task holds in memory (200 MB)."""

MAX_IDS_OF_STREAM = 500_000_000
"""Consumer ids of a stream under all its algorithms: one Spark task's result (2 GB)."""

MAX_STREAMS = 1_000_000
"""Streams of a run, which the driver lists in memory (1 GB)."""

MAX_RATES_OF_TRACES = 100_000_000
"""Partitions × iterations of all traces of a run, in memory at once and handed to Spark: 800 MB of
the 2 GB that its JVM has by default."""

MAX_SCORES = 10_000_000
"""Pairs of a stream and an algorithm or strategy in a run: rows of `scores`, `latency` and
`simulations`, which the driver holds for MLflow and the report: 550 bytes, measured, so 5.5 GB."""

MAX_IDS_OF_RUN = 10**12
"""Consumer ids of a run: table `assignments` is in the order of a terabyte then."""

MAX_SAMPLES = 2**53
"""Latency samples of a stream and algorithm: counted in doubles, exact up to here."""

MAX_CAPACITY = MAX_RATE
"""Capacities, bytes/s."""

MIN_CAPACITY = 1e-6
"""Capacities, bytes/s: below it speeds become 0 in the decimals that means are computed with."""

MAX_LOAD = 1e12
"""Total speed of a trace's iteration in capacities; Rscores up to here fit their decimals."""

MIN_BOUND_SECONDS, MAX_BOUND_SECONDS = 0.01, 3600.0
"""Time for one bound: below, no model could be built; above, a stream would take days."""

MAX_SEED = 2**63 - 1
"""Seeds fit Spark's BIGINT."""

MAX_CONFIG_BYTES = 1_000_000
"""Size of a configuration file."""

MAX_TRACE_BYTES = 2 * 1024**3
"""Size of a CSV or Parquet trace, and of what the latter is when decompressed."""

MAX_PARQUET_FOOTER = 16 * 1024**2
"""Size of a Parquet file's metadata, which takes about ten times as much in memory."""

MAX_PARQUET_PAGE = 64 * 1024**2
"""Size of a page of a Parquet file, which is in memory several times; writers make them of 1 MB."""

MAX_PARQUET_PARTS = 10_000
"""Row groups of a Parquet file, and columns: 90,000 nested ones crashed the process."""

MAX_JSON_BYTES = 512 * 1024**2
"""Size of a JSON trace, whose parsed form takes several times as much memory."""


class Terms(NamedTuple):
    """What messages call the parts of a family's runs."""

    streams: str
    """Settings whose product is the number of streams."""
    algorithms: str
    """Setting that lists what is tried on each stream."""
    table: str
    """Table with a row per stream and algorithm."""
    kept: str = ""
    """Table with a consumer id per partition, iteration and algorithm; empty if there is none."""


ASSIGNMENT = Terms("deltas × initial_rates × replicates", "algorithms", "scores", "assignments")
AUTOSCALING = Terms("replicates", "strategies", "simulations")
LIVE = Terms("replicates", "strategies", "live_runs")


class Size(NamedTuple):
    """Size of the streams of one experiment, or of one trace."""

    partitions: int
    iterations: int
    algorithms: int
    streams: int
    terms: Terms = ASSIGNMENT

    @property
    def rates(self) -> int:
        """Rates of one stream."""
        return self.partitions * self.iterations

    @property
    def ids(self) -> int:
        """Consumer ids of one stream under all algorithms; its rates where ids are not kept."""
        return self.rates * self.algorithms if self.terms.kept else self.rates

    @property
    def shape(self) -> str:
        """What its ids are counted by."""
        shape = f"{self.partitions:,} partitions × {self.iterations:,} iterations"
        return f"{shape} × {self.algorithms:,} algorithms" if self.terms.kept else shape

    @property
    def smaller(self) -> str:
        """What to choose fewer of, for fewer ids."""
        more = "partitions, iterations or algorithms"
        return more if self.terms.kept else "partitions or iterations"


class Cost(NamedTuple):
    """Estimated cost of a run on a small machine."""

    seconds: float
    memory_gib: float


START_SECONDS = 30.0
SECONDS_PER_ID = 1.2e-6
BASE_GIB = 2.4
COPIES = 7
"""Measurements of `docs/capacity.md`: a trace of 10,000 partitions and 500 iterations, whose 60
million ids took 105 s and 4.4 GiB, and minimal runs. A stream is processed by one task, so by one
core; its data is in memory several times, in the JVM and in Python."""

SMALL_GIB = 0.25
"""Streams up to this size are never refused as too large for a machine: one without room for them
lacks memory for Spark itself. The streams of all presets are smaller."""


def cost_of_stream(size: Size) -> Cost:
    """Estimate the cost of a run over one recorded trace."""
    return Cost(START_SECONDS + SECONDS_PER_ID * size.ids, BASE_GIB + memory_of_stream(size))


def memory_of_stream(size: Size) -> float:
    """Estimate the memory of a stream while it is processed, GiB."""
    held = 8 * size.rates + 4 * size.ids
    return COPIES * held / 2**30


def check_memory(sizes: list[Size], cores: int, memory_gib: float) -> None:
    """Raise `InputError` if a machine cannot hold as many of a run's streams as it has cores.

    sizes: Of all streams of the run; agents that learn need none.
    cores, memory_gib: Cores that Spark uses, and all memory of the machine.
    """
    if not sizes:
        return
    largest_first = sorted(sizes, key=memory_of_stream, reverse=True)
    largest, free, needed = largest_first[0], cores, BASE_GIB
    for size in largest_first:
        at_work = min(free, size.streams)
        free -= at_work
        needed += at_work * memory_of_stream(size)
    if memory_of_stream(largest) > SMALL_GIB and needed > memory_gib:
        fits_alone = BASE_GIB + memory_of_stream(largest) <= memory_gib
        alone = "run one stream at a time (GROUPSCALE_SPARK_MASTER=local[1]), " * fits_alone
        raise InputError(
            f"the run needs about {needed:.1f} GiB of memory, but this machine has "
            f"{memory_gib:.1f} GiB ({largest.shape} take "
            f"{memory_of_stream(largest):.1f} GiB per stream, {cores - free} streams at a time); "
            f"choose fewer {largest.smaller}, {alone}or use a cluster"
        )


def check_stream(size: Size) -> None:
    """Raise `InputError` if one Spark task could not hold a stream and its assignments."""
    check_rates(f"{size.partitions:,} partitions × {size.iterations:,} iterations", size.rates)
    if size.ids > MAX_IDS_OF_STREAM:
        raise InputError(
            f"a stream can have at most {MAX_IDS_OF_STREAM:,} consumer ids (got {size.shape} = "
            f"{size.ids:,}); choose fewer {size.smaller}"
        )


def check_rates(shape: str, rates: int, where: str = "") -> None:
    """Raise `InputError` if a stream of that shape has too many rates for one task."""
    if rates > MAX_RATES:
        raise InputError(
            f"{where}a stream can have at most {MAX_RATES:,} rates (got {shape} = {rates:,}); "
            "choose fewer partitions or iterations"
        )


def check_run(sizes: list[Size]) -> None:
    """Raise `InputError` if all streams of a run together are too many or too large."""
    streams, terms = sum(size.streams for size in sizes), sizes[0].terms
    if streams > MAX_STREAMS:
        raise InputError(
            f"a run can have at most {MAX_STREAMS:,} streams (got {terms.streams} = {streams:,}); "
            "choose fewer replicates"
        )
    scores = sum(size.streams * size.algorithms for size in sizes)
    if scores > MAX_SCORES:
        raise InputError(
            f"a run can have at most {MAX_SCORES:,} rows in table {terms.table} (got {streams:,} "
            f"streams × {terms.algorithms} = {scores:,}); choose fewer replicates or "
            f"{terms.algorithms}"
        )
    ids = sum(size.streams * size.ids for size in sizes)
    if ids > MAX_IDS_OF_RUN:
        what = f"consumer ids, about 1 TB in table {terms.kept}" if terms.kept else "rates"
        raise InputError(
            f"a run can have at most {MAX_IDS_OF_RUN:,} {what} (got {ids:,} in {streams:,} "
            f"streams); choose fewer replicates, {sizes[0].smaller}"
        )


def check_traces(sizes: list[Size]) -> None:
    """Raise `InputError` if the driver could not hold all traces of a run at once."""
    rates = sum(size.rates for size in sizes)
    if rates > MAX_RATES_OF_TRACES:
        raise InputError(
            f"the traces of a run can have at most {MAX_RATES_OF_TRACES:,} rates in total (got "
            f"{rates:,} in {len(sizes):,} traces); split them over several runs"
        )


def check_samples(samples: float, what: str) -> None:
    """Raise `InputError` if a stream could have more latency samples than can be counted."""
    if not samples <= MAX_SAMPLES:
        raise InputError(
            f"a stream can have at most 2**53 ({MAX_SAMPLES:.3g}) latency samples (got {what} = "
            f"{samples:.3g}); use a larger unit for rates and capacities, such as kB/s"
        )
