"""Columns that several tables have in common, so that they mean the same in each."""

from schemas.column import Column

RUN_ID = Column(
    "run_id",
    "string",
    "Identifier of the pipeline run that wrote the row; joins to runs.",
)

EXPERIMENT = Column(
    "experiment",
    "string",
    "Name of the experiment within the run: a set of streams and the algorithms run on them. "
    "It is trace where the streams were read from files.",
)

DELTA = Column(
    "delta",
    "double",
    "Volatility of the stream: a partition's write speed changes from one iteration to the next "
    "by an amount drawn uniformly from -delta to +delta.",
    "% of capacity",
    nullable=True,
    null_means="Recorded trace, so the volatility was not chosen.",
    minimum=0,
    maximum=100,
)

STREAM_ID = Column(
    "stream_id",
    "string",
    "Identifier of the stream within the run; joins to streams. Built from experiment, delta, "
    "initial rate and replicate (tradeoff-d5-uniform-r0003), or from a trace's file name.",
)

REPLICATE = Column(
    "replicate",
    "int",
    "Number of the stream, from 1, among those of the same experiment, delta and initial rate, "
    "which differ by their random numbers alone; for a recorded trace, among the run's files.",
    "index",
    minimum=1,
)

INITIAL_RATE = Column(
    "initial_rate",
    "string",
    "How the write speeds of the first iteration were set: drawn uniformly from 0 to 100 % of "
    "capacity (uniform), or the same for all partitions: 0, 50 or 100 % of capacity.",
    nullable=True,
    null_means="Recorded trace, so the first speeds are those recorded.",
    allowed=("uniform", "0", "50", "100"),
)

ITERATION = Column(
    "iteration",
    "int",
    "Position in the stream, from 1; one measurement and one assignment are made at each.",
    "index",
    minimum=1,
)

N_ITERATIONS = Column("n_iterations", "int", "Length of the stream.", "iterations", minimum=1)

ALGORITHM = Column(
    "algorithm",
    "string",
    "Name of the assignment algorithm, as in the paper (MWF, BFD, ...); kd_n is Kafka's static "
    "assignment to n consumers, SR_g sticky repair at the price g; +M and +P stand for passes.",
)

REFERENCE = Column(
    "reference",
    "boolean",
    "Whether the algorithm is one of the paper's twelve, the set that CBS compares with.",
)

MEAN_CONSUMERS = Column(
    "mean_consumers",
    "double",
    "Mean number of consumers in use, over all iterations.",
    "consumers",
    minimum=0,
)

REPLICATES = Column(
    "replicates",
    "int",
    "Streams that are compared; start conditions of the same replicate, which share their random "
    "numbers, count as one, with the mean of their scores.",
    "replicates",
    minimum=1,
)

NOTE = Column(
    "note",
    "string",
    "Why a value is missing.",
    nullable=True,
    null_means="Nothing is missing.",
)
