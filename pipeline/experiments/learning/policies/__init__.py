"""Policies as files, and traces to judge them on."""
