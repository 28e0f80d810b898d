"""Algorithms and statistics of Groupscale: NumPy arrays in and out, kernels compiled by Numba.

Subpackages: `assignment` (the algorithms and their `registry`), `workloads` (generated streams),
`scores` (what an assignment costs, including latency), `bounds` (how well any algorithm could do),
`inference` (fronts and statistics over replicates) and `core` (arrays, compilation, seeds,
sorting). Nothing here uses Spark, tables, files or clocks. Random results depend only on the seeds
that are passed in. Public functions raise `core.input_errors.InvalidParameterError` for arguments
of another shape than their docstrings say, or out of bounds.
"""
