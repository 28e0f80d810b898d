"""The comparison of docs/own-strategy.md: strategies by hypervolume, in many settings."""
