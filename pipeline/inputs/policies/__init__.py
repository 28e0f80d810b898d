"""Trained policies as files: written from tables, and read as strategies."""
