"""Set-up and daily commands of this repository: ``python3 -m tools``, behind the Makefile.

These modules run before any package is installed, so they use the standard library alone.
"""
