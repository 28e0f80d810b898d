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
    "Experiment within the run: a set of streams and the algorithms run on them. Recorded "
    "traces are in experiment trace.",
)

DELTA = Column(
    "delta",
    "double",
    "Volatility of the stream: from one iteration to the next, each write speed changes by an "
    "amount drawn uniformly from -delta to +delta.",
    "% of capacity",
    nullable=True,
    null_means="Recorded trace or load profile, whose volatility is not set.",
    minimum=0,
    maximum=100,
)

STREAM_ID = Column(
    "stream_id",
    "string",
    "Identifier of the stream within the run; joins to streams. Built from experiment, delta, "
    "initial rate and replicate (tradeoff-d5-uniform-r0003), from experiment and replicate of a "
    "load profile, or from the trace's file name.",
)

REPLICATE = Column(
    "replicate",
    "int",
    "Number of the stream, from 1, among those of the same experiment, delta and initial rate, "
    "which differ only in their random numbers; for a recorded trace, among the run's files.",
    "index",
    minimum=1,
)

INITIAL_RATE = Column(
    "initial_rate",
    "string",
    "Write speeds of the first iteration: uniform (drawn from 0 to 100 % of capacity), or 0, 50 "
    "or 100 % of capacity for all partitions.",
    nullable=True,
    null_means="Recorded trace or load profile.",
    allowed=("uniform", "0", "50", "100"),
)

ITERATION = Column(
    "iteration",
    "int",
    "Position in the stream, from 1; each has one measurement and one assignment per algorithm.",
    "index",
    minimum=1,
)

N_ITERATIONS = Column("n_iterations", "int", "Length of the stream.", "iterations", minimum=1)

ALGORITHM = Column(
    "algorithm",
    "string",
    "Assignment algorithm, named as in the paper (MWF, BFD, ...). kd_n and range_n "
    "are Kafka's for n consumers, SR_g is sticky repair at price g; +M and +P mark passes.",
)

REFERENCE = Column(
    "reference",
    "boolean",
    "Whether the algorithm is one of the paper's twelve, the reference set of CBS.",
)

MEAN_CONSUMERS = Column(
    "mean_consumers",
    "double",
    "Mean number of consumers in use over all iterations.",
    "consumers",
    minimum=0,
)

REPLICATES = Column(
    "replicates",
    "int",
    "Compared streams; start conditions of the same replicate share their random numbers and "
    "count as one, with the mean of their scores.",
    "replicates",
    minimum=1,
)

NOTE = Column(
    "note",
    "string",
    "Reason why a value is missing.",
    nullable=True,
    null_means="Nothing is missing.",
)
