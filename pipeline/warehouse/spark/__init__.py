"""Spark: the session, its JVM, progress and Arrow batches."""
