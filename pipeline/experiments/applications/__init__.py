"""Experiments on applications of several functions that a policy scales."""
