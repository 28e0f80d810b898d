"""Verdicts on a paper's claims."""
