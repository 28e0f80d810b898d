"""Columns that several tables have in common, so that they mean the same in each."""

from schemas.column_kinds import double, flag, integer, text

RUN_ID = text("run_id", "Identifier of the pipeline run that wrote the row; joins to runs.")

EXPERIMENT = text(
    "experiment",
    "Experiment within the run: a set of streams and the algorithms run on them. Recorded traces "
    "are in experiment trace.",
)

DELTA = double(
    "delta",
    "% of capacity",
    "Volatility of the stream: from one iteration to the next, each write speed changes by an "
    "amount drawn uniformly from -delta to +delta.",
    0,
    100,
    null="Recorded trace or load profile, whose volatility is not set.",
)

STREAM_ID = text(
    "stream_id",
    "Identifier of the stream within the run; joins to streams. Built from experiment, delta, "
    "initial rate and replicate (tradeoff-d5-uniform-r0003), from experiment and replicate of a "
    "load profile, or from the trace's file name.",
)

REPLICATE = integer(
    "replicate",
    "index",
    "Number of the stream or simulation, from 1, among those of the same experiment, delta and "
    "initial rate, which differ only in their random numbers; for a recorded trace, among the "
    "run's files.",
    1,
)

INITIAL_RATE = text(
    "initial_rate",
    "Write speeds of the first iteration: uniform (drawn from 0 to 100 % of capacity), or 0, 50 "
    "or 100 % of capacity for all partitions.",
    ("uniform", "0", "50", "100"),
    null="Recorded trace or load profile.",
)

ITERATION = integer("iteration", "index", "Position in the stream, from 1.", 1)

N_ITERATIONS = integer("n_iterations", "iterations", "Length of the stream.", 1)

ALGORITHM = text(
    "algorithm",
    "Assignment algorithm, named as in the paper (MWF, BFD, ...). kd_n and range_n are Kafka's "
    "for n consumers, SR_g is sticky repair at price g; +M and +P mark passes.",
)

REFERENCE = flag(
    "reference", "Whether the algorithm is one of the paper's twelve, the reference set of CBS."
)

MEAN_CONSUMERS = double("mean_consumers", "consumers", "Consumers in use, mean over iterations.")

REPLICATES = integer(
    "replicates",
    "replicates",
    "Compared streams; start conditions of the same replicate share their random numbers and "
    "count as one, with the mean of their scores.",
    1,
)

NOTE = text("note", "Reason why a value is missing.", null="Nothing is missing.")
