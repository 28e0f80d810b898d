"""The configuration of a run: its model, presets, and how it is loaded and validated."""
