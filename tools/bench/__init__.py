"""Benchmarks of this repository: ``python -m tools.bench``, behind the Makefile.

Unlike the rest of `tools` these modules run in the virtual environment only, and nothing of
set-up imports them.
"""
