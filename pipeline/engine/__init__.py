"""Runs the stages of a run, resumes it, and maintains and retains its tables."""
