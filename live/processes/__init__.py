"""Processes that end with their parent, and the lines they exchange."""
