"""Streams of a run: what families say of theirs, and what is the same for all."""
