"""Tables of runs: Spark, storage, checks, and the record of each run."""
