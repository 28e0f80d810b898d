"""Tests of the benchmarks: of their arithmetic, never of a time."""
