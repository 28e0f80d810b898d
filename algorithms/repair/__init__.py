"""Sticky repair: the last assignment is kept and mended, at a price for each consumer."""
