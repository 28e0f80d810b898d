"""Benchmarks of this repository: ``python -m tools.bench``, behind the Makefile.

Unlike the rest of `tools`, these modules only run in the virtual environment, and set-up does not
import them.
"""
