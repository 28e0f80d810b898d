"""The science of Groupscale: NumPy arrays in, NumPy arrays out, kernels compiled by Numba.

Assignment algorithms (`anyfit`, `modified`, `static`, listed in `registry`), generated streams
(`streams`), what an assignment costs (`metrics`, `latency`), fronts (`pareto`) and statistics
over replicates (`statistics`). Nothing here knows Spark, tables, files or clocks, and whatever
is random depends on seeds that are passed in.
"""
